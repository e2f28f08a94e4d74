//! `tokenforge mcp`: tool servers.

mod stdio;

use clap::{Args, Subcommand};

/// Put tool servers behind Tokenforge
#[derive(Args)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run a tool server and make its results smaller on the way to the client
    Stdio(stdio::Stdio),
}

pub(crate) fn run(arguments: &Mcp) -> anyhow::Result<()> {
    match &arguments.action {
        Action::Stdio(arguments) => stdio::run(arguments),
    }
}
