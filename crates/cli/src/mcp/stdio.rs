//! `tokenforge mcp stdio -- CMD`: between a client and one tool server, over standard input and output.

use super::originals::LocalOriginals;
use crate::engine::TENANT;
use crate::settings::{self, SettingsSource};
use crate::values;
use anyhow::Context;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use tokenforge_config::{Overrides, ToolList};
use tokenforge_engine::Mode;
use tokenforge_formats::negotiate::Format;
use tokenforge_mcp::{HubSettings, ProxiedProgram, run_stdio_proxy};

pub(super) const EXAMPLES: &str = "\
Example, as the command of a server in an agent's settings:
  tokenforge mcp stdio -- npx -y @modelcontextprotocol/server-filesystem /tmp";

/// Run one tool server with smaller results, without a gateway
#[derive(Args)]
pub(crate) struct StdioArgs {
    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// The form of results [default: by client]
    #[arg(long, value_name = "FORMAT", value_parser = values::formats())]
    format: Option<Format>,

    /// How much to do to results [default: what the settings say]
    #[arg(long, value_name = "MODE", value_parser = values::modes())]
    mode: Option<Mode>,

    /// Which tools to list: all, or two that find and call the others [default: what the settings say]
    #[arg(long, value_name = "LIST", value_parser = values::tool_lists())]
    tool_list: Option<ToolList>,

    /// Do not offer expand_context: another server of this agent does, and one is enough
    #[arg(long)]
    no_expand_tool: bool,

    /// The server's program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &StdioArgs) -> anyhow::Result<()> {
    let source = SettingsSource {
        file: settings::file(arguments.config.as_deref()),
        flags: Overrides::default(),
    };
    let settings = source.load()?;
    let originals = LocalOriginals::open().with_ledger(&settings.ledger);
    let mut engine = settings.tool_output.engine_settings();
    engine.mode = arguments.mode.unwrap_or(engine.mode);
    let must_redact = settings.redact_secrets;
    engine.redact_secrets |= must_redact;
    let mut mcp = settings.mcp;
    mcp.format = arguments.format.or(mcp.format);
    mcp.tool_list = arguments.tool_list.unwrap_or(mcp.tool_list);
    let expands = settings.tool_output.enable_expand_context && !originals.is_closed();
    let lists_expand_tool = !arguments.no_expand_tool;
    let settings =
        HubSettings { mcp, engine, expands, lists_expand_tool, must_redact, has_tenants: false };
    let mut command = arguments.command.iter().cloned();
    let program = ProxiedProgram {
        command: command.next().context("a program is needed")?,
        args: command.collect(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let ended = runtime.block_on(run_stdio_proxy(&program, settings, Arc::new(originals), TENANT));
    let status =
        ended.with_context(|| format!("cannot run {}", program.command.to_string_lossy()))?;
    // A thread may still wait for a client that says nothing more.
    std::process::exit(code(status))
}

/// How the program ended, as shells say it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
