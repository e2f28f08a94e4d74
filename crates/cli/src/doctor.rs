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

use crate::output;
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use finding::{Finding, FindingState};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  tokenforge doctor
  tokenforge doctor --json
  tokenforge doctor --probe";

/// How long what is under way may take to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Check that everything works, and how to fix what does not
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Print {"version", "ok", "findings": [{"check", "state", "says", "do"}]}; state is ok, note or broken
    #[arg(long)]
    json: bool,

    /// Start each installed agent once, with a made-up key and no settings of yours, and see whether it asks the
    /// address it is given
    #[arg(long)]
    probe: bool,

    /// The settings file [default: tokenforge.yaml here, or in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &DoctorArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let findings = runtime.block_on(findings(arguments));
    runtime.shutdown_timeout(FAREWELL);
    let broken = findings.iter().filter(|finding| finding.state == FindingState::Broken).count();
    let shown = match arguments.json {
        true => serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "ok": broken == 0, "findings": findings,
        })
        .to_string(),
        false => findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n"),
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
        findings.extend(probe::check().await);
    }
    findings.extend(routes::check(&settings, config).await);
    findings.extend(bedrock::check(&settings));
    findings.extend(store::check(&settings).await);
    findings.extend(ledger::check(&settings));
    findings.extend(round_trip::check(&settings).await);
    findings
}
