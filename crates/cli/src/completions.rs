//! `tokenforge completions`: a script for the user's shell.

use crate::arguments::Arguments;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io;

/// Print a script that completes commands and options in your shell.
#[derive(Args)]
#[command(
    after_help = "Example:\n  tokenforge completions bash > ~/.local/share/bash-completion/completions/tokenforge"
)]
pub(crate) struct Completions {
    shell: Shell,
}

pub(crate) fn run(arguments: &Completions) -> anyhow::Result<()> {
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "tokenforge",
        &mut io::stdout(),
    );
    Ok(())
}
