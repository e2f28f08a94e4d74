//! `tokenforge completions`: a script for the user's shell.

use crate::arguments;
use clap::Args;
use clap_complete::Shell;
use std::io::{self, Write};

/// Print a script that completes commands, options and their values in your shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  source <(tokenforge completions bash)                 for this shell
  tokenforge completions zsh > ~/.zfunc/_tokenforge     for every shell
  tokenforge completions fish > ~/.config/fish/completions/tokenforge.fish")]
pub(crate) struct CompletionsArgs {
    /// Your shell
    shell: Shell,
}

pub(crate) fn run(arguments: &CompletionsArgs) -> anyhow::Result<()> {
    // Into memory first: the generator panics where it cannot write, as into `| head`.
    let mut script = Vec::new();
    let command = &mut arguments::command();
    clap_complete::generate(arguments.shell, command, "tokenforge", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
