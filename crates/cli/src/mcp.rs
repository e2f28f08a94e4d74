//! `tokenforge mcp`: tool servers.

mod backends;
mod call;
mod manage;
mod originals;
mod stdio;
mod target;
mod wrap;

pub(crate) use wrap::{client_names, masked_diff, wrapped_files};

use anyhow::Context;
use clap::{Args, Subcommand};

/// Put MCP tool servers behind Tokenforge
#[derive(Args)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    action: McpAction,
}

#[derive(Subcommand)]
enum McpAction {
    /// Run one tool server with smaller results, without a gateway
    #[command(after_help = stdio::EXAMPLES)]
    Stdio(stdio::StdioArgs),
    /// Put a tool server behind the gateway
    #[command(after_help = manage::ADD_EXAMPLES)]
    Add(manage::AddArgs),
    /// List the gateway's tool servers, without their secrets
    #[command(after_help = "Example:\n  tokenforge mcp list --json")]
    List(manage::ListArgs),
    /// Remove a tool server from the gateway
    #[command(after_help = "Example:\n  tokenforge mcp remove files")]
    Remove(manage::RemoveArgs),
    /// Call a tool, and compare the forms of its answer
    #[command(after_help = call::EXAMPLES)]
    Call(call::CallArgs),
    /// Put the tool servers in an agent's settings behind Tokenforge
    #[command(after_help = wrap::EXAMPLES)]
    Wrap(wrap::McpWrapArgs),
    /// Undo what `wrap` did
    #[command(after_help = wrap::EXAMPLES)]
    Unwrap(wrap::McpWrapArgs),
}

pub(crate) fn run(arguments: &McpArgs) -> anyhow::Result<()> {
    match &arguments.action {
        McpAction::Stdio(arguments) => stdio::run(arguments),
        McpAction::Add(arguments) => block_on(manage::add(arguments)),
        McpAction::List(arguments) => block_on(manage::list(arguments)),
        McpAction::Remove(arguments) => block_on(manage::remove(arguments)),
        McpAction::Call(arguments) => block_on(call::run(arguments)),
        McpAction::Wrap(arguments) => wrap::wrap(arguments),
        McpAction::Unwrap(arguments) => wrap::unwrap(arguments),
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot wait for sockets")?.block_on(work)
}
