//! `tokenforge mcp`: tool servers.

mod backends;
mod call;
mod manage;
mod originals;
mod stdio;
mod target;
mod wrap;

pub(crate) use wrap::behind;

use anyhow::Context;
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
    /// Put a tool server behind the gateway
    #[command(after_help = manage::ADD_EXAMPLES)]
    Add(manage::Add),
    /// Show the tool servers behind the gateway, without their secrets
    List(manage::List),
    /// Take a tool server away from the gateway
    Remove(manage::Remove),
    /// Call a tool, and show its answer in every form with its tokens
    #[command(after_help = call::EXAMPLES)]
    Call(call::Call),
    /// Put the tool servers in a client's settings behind Tokenforge
    #[command(after_help = wrap::EXAMPLES)]
    Wrap(wrap::Wrap),
    /// Undo what `wrap` did
    #[command(after_help = wrap::EXAMPLES)]
    Unwrap(wrap::Wrap),
}

pub(crate) fn run(arguments: &Mcp) -> anyhow::Result<()> {
    match &arguments.action {
        Action::Stdio(arguments) => stdio::run(arguments),
        Action::Add(arguments) => block_on(manage::add(arguments)),
        Action::List(arguments) => block_on(manage::list(arguments)),
        Action::Remove(arguments) => block_on(manage::remove(arguments)),
        Action::Call(arguments) => block_on(call::run(arguments)),
        Action::Wrap(arguments) => wrap::wrap(arguments),
        Action::Unwrap(arguments) => wrap::unwrap(arguments),
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot wait for anything")?.block_on(work)
}
