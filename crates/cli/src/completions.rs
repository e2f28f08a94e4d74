//! `tokenforge completions`: a script for the user's shell.

use crate::arguments::Arguments;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::{self, Write};

/// Print a script that completes commands and options in your shell.
#[derive(Args)]
#[command(
    after_help = "Example:\n  tokenforge completions bash > ~/.local/share/bash-completion/completions/tokenforge"
)]
pub(crate) struct Completions {
    shell: Shell,
}

pub(crate) fn run(arguments: &Completions) -> anyhow::Result<()> {
    // Into memory first: the generator panics where it cannot write, as into `| head`.
    let mut script = Vec::new();
    let command = &mut Arguments::command();
    clap_complete::generate(arguments.shell, command, "tokenforge", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
