//! `tokenforge tools list`: what was declared and never called, as the ledger says, and what is off in agents' settings.

use super::{settings_file, switch, switchable};
use crate::client_file::FileNotation;
use crate::gain::unused_tools;
use crate::output::printable;
use crate::settings::{self, SettingsSource};
use crate::{ledger, output, screen};
use anyhow::Context;
use clap::{Args, ValueHint};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tokenforge_agents::{Agent, ToolSwitches};
use tokenforge_config::Overrides;
use tokenforge_ledger::{DeclarationReport, GroupBy, Ledger, LedgerSummary, ModelPrices, UtcDay};

const EXAMPLES: &str = "\
Examples:
  tokenforge tools list
  tokenforge tools list --days 7 --json";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ToolListArgs {
    /// Only the last N days, including today
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    days: Option<u64>,

    /// Print {"declarations", "off"}
    #[arg(long)]
    json: bool,

    /// The settings file, for `prices` and `ledger` [default: as for serve]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

/// What is off in the settings of an agent.
struct OffTools {
    agent: &'static Agent,
    file: PathBuf,
    names: Vec<String>,
}

pub(super) fn run(arguments: &ToolListArgs) -> anyhow::Result<()> {
    let report = declarations(arguments.days, arguments.config.as_deref())?;
    let off: Vec<OffTools> = switchable().filter_map(|(agent, it)| off_tools(agent, it)).collect();
    if arguments.json {
        let off = off
            .iter()
            .map(|off| json!({"agent": off.agent.id, "file": off.file, "names": off.names}));
        let off: Vec<_> = off.collect();
        return Ok(output::print(&json!({"declarations": report, "off": off}).to_string())?);
    }
    let mut parts = vec![match &report {
        Some(report) => unused_tools(report, usize::MAX),
        None => screen::paragraph(
            "The ledger has no list of tools yet: the gateway writes down what agents declare while they work.",
        ),
    }];
    parts.extend(off.iter().map(|off| {
        let (agent, file) = (&off.agent.name, off.file.display());
        let names = printable(&off.names.join(", "));
        screen::paragraph(&format!("Off in {agent} ({file}): {names}"))
    }));
    Ok(output::print(&parts.join("\n\n"))?)
}

/// The one agent that declared all of these and is known.
pub(super) fn declaring_agent(names: &[String], is_server: bool) -> anyhow::Result<Option<String>> {
    let Some(report) = declarations(None, None)? else { return Ok(None) };
    let declares = |client: &str, name: &String| {
        if is_server {
            report.servers.iter().any(|it| it.client == client && it.server.as_ref() == Some(name))
        } else {
            report.unused.iter().any(|it| it.client == client && it.tool == *name)
        }
    };
    let clients: BTreeSet<&str> = report.servers.iter().map(|it| it.client.as_str()).collect();
    let all = clients.into_iter().filter(|client| names.iter().all(|name| declares(client, name)));
    let agents: BTreeSet<&str> =
        all.filter_map(tokenforge_agents::of_client).map(|agent| agent.id.as_str()).collect();
    Ok(match &agents.into_iter().collect::<Vec<_>>()[..] {
        [agent] => Some((*agent).to_owned()),
        _ => None,
    })
}

/// What the ledger of this user says of declarations.
fn declarations(
    days: Option<u64>,
    config: Option<&Path>,
) -> anyhow::Result<Option<DeclarationReport>> {
    let source = SettingsSource { file: settings::file(config), flags: Overrides::default() };
    let settings = source.load()?;
    let folder = ledger::folder(&settings.ledger)?;
    let since = days.map(|days| UtcDay::of(ledger::now()).first_of(days));
    let reading = Ledger::read(&folder, since)
        .with_context(|| format!("cannot read the ledger in {}", folder.display()))?;
    let prices = ModelPrices::new(&settings.prices);
    Ok(LedgerSummary::of(reading, GroupBy::Tool, &prices).declarations)
}

/// What is off in an agent's settings. Settings that cannot be read say nothing.
fn off_tools(agent: &'static Agent, switches: &ToolSwitches) -> Option<OffTools> {
    let file = settings_file(switches).ok().filter(|file| file.is_there())?;
    let names = switch::off_names(&file.text, FileNotation::of(&file.name), switches).ok()?;
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then_some(OffTools { agent, file: file.name, names })
}
