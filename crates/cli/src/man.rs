//! `tokenforge man`: manual pages, made from the same words as `--help`.

use crate::arguments::{self, usage_error};
use anyhow::Context;
use clap::{Args, Command};
use clap_mangen::Man as Page;
use std::fs;
use std::io::{self, Write};
use std::iter;
use std::path::PathBuf;

/// Print the manual page of a command, or write the pages of all commands
#[derive(Args)]
#[command(after_help = "Examples:
  tokenforge man | man -l -
  tokenforge man mcp call | man -l -
  tokenforge man --folder ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The command, such as `mcp call` [default: the program itself]
    #[arg(conflicts_with = "folder")]
    command: Vec<String>,

    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArgs) -> anyhow::Result<()> {
    let program = program();
    let Some(folder) = &arguments.folder else {
        let mut text = Vec::new();
        page(find(&program, &arguments.command)).render(&mut text)?;
        return Ok(io::stdout().write_all(&text)?);
    };
    let cannot = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    for command in with_all_below(&program) {
        page(command).generate_to(folder).with_context(cannot)?;
    }
    Ok(())
}

/// The program with all its commands, each knowing its whole name.
fn program() -> Command {
    let mut program = arguments::command().disable_help_subcommand(true);
    program.build();
    program
}

/// The command that is called by these words.
fn find<'a>(program: &'a Command, words: &[String]) -> &'a Command {
    words.iter().fold(program, |command, word| {
        command.find_subcommand(word).unwrap_or_else(|| {
            let known: Vec<_> = visible_commands(command).map(Command::get_name).collect();
            let whole = command.get_bin_name().unwrap_or_default();
            usage_error(&format!("'{whole}' has no command '{word}'; it has {}", known.join(", ")))
        })
    })
}

fn with_all_below(command: &Command) -> Vec<&Command> {
    iter::once(command).chain(visible_commands(command).flat_map(with_all_below)).collect()
}

/// The commands below this one that are meant for people.
fn visible_commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

fn page(command: &Command) -> Page {
    Page::new(command.clone()).source(concat!("tokenforge ", env!("CARGO_PKG_VERSION")))
}
