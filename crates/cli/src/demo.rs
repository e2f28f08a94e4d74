//! `tokenforge demo`: a recorded agent session through a real gateway, to a provider that is part of this program.

mod agent;
mod bill;
mod figures;
mod recorded_model;
mod session;
mod show;
mod tool_calls;
mod tools;

pub(crate) use tools::{answer as answer_tool_request, serve as serve_tools};

use crate::embedded::EmbeddedGateway;
use crate::gateway::GatewayClient;
use crate::scripted_provider::ScriptedProvider;
use crate::serve::stop;
use crate::{gateway, output};
use anyhow::Context;
use clap::Args;
use figures::Figures;
use std::collections::BTreeMap;
use std::env;
use std::io::{self, IsTerminal, stdout};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{
    ExpandInjection, LedgerSettings, Mcp, McpBackend, Settings, ToolOutput, Upstreams,
};
use tokenforge_ledger::GroupBy;
use tokenforge_store::{MemoryStore, StoreOptions as StoreSettings};

const EXAMPLES: &str = "\
Examples:
  tokenforge demo
  tokenforge demo --once --json";

/// How long what is under way may take to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// See what is saved on a recorded session: no key, no network
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// Exit after the session; on a terminal the demo otherwise stays up for the dashboard
    #[arg(long)]
    once: bool,

    /// Stay up for the dashboard even without a terminal
    #[arg(long, conflicts_with = "once")]
    stay: bool,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,

    /// The port of the demo's gateway [default: any free port]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

pub(crate) fn run(arguments: &Demo) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let shown = runtime.block_on(demonstrate(arguments));
    runtime.shutdown_timeout(FAREWELL);
    shown
}

async fn demonstrate(arguments: &Demo) -> anyhow::Result<()> {
    let provider = ScriptedProvider::start().await?;
    let ledger = tempfile::tempdir().context("cannot make a folder for the ledger")?;
    let settings = settings(&provider, ledger.path(), arguments.port)?;
    let store = Arc::new(MemoryStore::new(StoreSettings::MEMORY));
    let embedded = EmbeddedGateway::start(settings, store).await?;
    let url = gateway::url(embedded.address);
    let token = embedded.admit_client();
    let gateway = GatewayClient::new(&url, None)?.with_client_token(token);
    let played = agent::play(&gateway, &provider).await?;
    let called = tool_calls::make(&gateway).await?;
    // Everything that is shown of savings is what `gain` and the dashboard say.
    let gained = figures::Gained {
        by_tool: gateway.gain(GroupBy::Tool, "").await?,
        by_stage: gateway.gain(GroupBy::Stage, "").await?,
    };
    let mut figures = Figures::new(url, &played, gained, called);
    let stays = arguments.stay || (stdout().is_terminal() && !arguments.once);
    if stays {
        embedded.admit_operator();
    }
    // On a terminal alone: who reads a file or a pipe later must not find a way in.
    if stays
        && stdout().is_terminal()
        && let Some(link) = embedded.sign_in_link()
    {
        figures.dashboard = format!("{}{link}", figures.gateway);
    }
    if arguments.json {
        output::print(&figures.document().to_string())?;
    } else {
        output::print(&show::page(&figures))?;
    }
    if stays {
        output::tell("Press Ctrl-C to stop.");
        stop()?.await;
    }
    embedded.end().await;
    Ok(())
}

/// Where this program is. In a root without `/proc` the system cannot say; the name that it was called by will do.
fn own_path() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| env::args_os().next().map(PathBuf::from).ok_or(error))
}

/// The defaults, whatever the user's own settings are; nothing is kept beyond the process.
fn settings(provider: &ScriptedProvider, ledger: &Path, port: u16) -> anyhow::Result<Settings> {
    let backend = provider.url().parse().context("the provider's address")?;
    let own = own_path().context("cannot find this program")?;
    let tools = serde_json::json!({"command": own, "args": ["demo-tools"]});
    let tools = McpBackend::from_json(tools::PREFIX, &tools)?;
    Ok(Settings {
        listen: local(port),
        upstreams: Upstreams { backend: Some(backend), ..Upstreams::default() },
        mcp: Mcp {
            backends: BTreeMap::from([(tools::PREFIX.to_owned(), tools)]),
            ..Mcp::default()
        },
        ledger: LedgerSettings { path: Some(ledger.to_owned()), ..LedgerSettings::default() },
        // The prompt and the tools of the recording are abbreviated: those of a real agent are large enough for the tool
        // to pay for itself.
        tool_output: ToolOutput {
            expand_injection: ExpandInjection::FromStart,
            ..ToolOutput::default()
        },
        ..Settings::default()
    })
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}
