//! `tokenforge doctor`: is everything as it must be, and if not, what to do. One file for each thing that is looked at.

mod address;
mod bedrock;
mod clients;
mod finding;
mod ledger;
mod probe;
mod round_trip;
mod routes;
mod settings;
mod store;
mod tls;
mod version;

pub(crate) use probe::{ProbeToolsArgs, serve_tools};

use crate::serve::stop_or_hangup;
use crate::{arguments, output};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use finding::{Finding, FindingState};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  tokenforge doctor
  tokenforge doctor --json
  tokenforge doctor --probe
  tokenforge doctor --probe --probe-timeout 3m";

/// How long one run of an agent may take. Some unpack themselves first.
const PROBE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long what is under way may take to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Check that everything works, and how to fix what does not
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Print {"version", "ok", "findings": [{"check", "state", "says", "do", "probe": {"agent", "version",
    /// "relied_on", "honoured", "why"}}]}; state is ok, note or broken
    #[arg(long)]
    json: bool,

    /// Start each installed agent, with a made-up key, no settings of yours and a scripted model, and see whether it
    /// honours what is relied on: the address, the hook, `mcp wrap`, and a session in its requests
    #[arg(long)]
    probe: bool,

    /// How long one run of an agent may take, such as 90s or 3m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = arguments::time, requires = "probe")]
    probe_timeout: Option<Duration>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &DoctorArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let findings = runtime.block_on(async {
        // Agents that were started must not outlive it.
        let stopped = stop_or_hangup()?;
        tokio::select! {
            findings = findings(arguments) => Ok(findings),
            () = stopped => bail!("stopped"),
        }
    });
    runtime.shutdown_timeout(FAREWELL);
    let findings = findings?;
    let broken = findings.iter().filter(|finding| finding.state == FindingState::Broken).count();
    let shown = if arguments.json {
        serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "ok": broken == 0, "findings": findings,
        })
        .to_string()
    } else {
        findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n")
    };
    output::print(&shown)?;
    match broken {
        0 => Ok(()),
        1 => bail!("found 1 problem"),
        broken => bail!("found {broken} problems"),
    }
}

async fn findings(arguments: &DoctorArgs) -> Vec<Finding> {
    let config = arguments.config.as_deref();
    let mut findings = version::check();
    let (settings, found) = settings::check(config);
    findings.extend(found);
    findings.extend(address::check(&settings).await);
    findings.extend(tls::check(&settings));
    findings.extend(clients::check());
    if arguments.probe {
        findings.extend(probe::check(arguments.probe_timeout.unwrap_or(PROBE_TIMEOUT)).await);
    }
    findings.extend(routes::check(&settings, config).await);
    findings.extend(bedrock::check(&settings));
    findings.extend(store::check(&settings).await);
    findings.extend(ledger::check(&settings));
    findings.extend(round_trip::check(&settings).await);
    findings
}
