//! `tokenforge gain`: what was saved, of what, and in money.

mod calibration;
mod cold_caches;
mod csv;
mod page;
mod unused_tools;

pub(crate) use page::dollars;
pub(crate) use unused_tools::unused_tools;

use crate::gateway::GatewayClient;
use crate::settings::{self, SettingsSource};
use crate::{ledger, output, values};
use anyhow::Context;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use tokenforge_config::{Overrides, Settings};
use tokenforge_ledger::{GroupBy, Ledger, LedgerSummary, ModelPrices, UtcDay};

const EXAMPLES: &str = "\
Examples:
  tokenforge gain
  tokenforge gain --by day --days 7
  tokenforge gain --by project --cost
  tokenforge gain --csv > gain.csv
  tokenforge gain --gateway http://127.0.0.1:8787    a gateway of another user";

/// Show what was saved, in tokens and money
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GainArgs {
    /// What to add up by; days are UTC, and a reason is why a result went on as it came
    #[arg(long, value_name = "WHAT", default_value = "tool", value_parser = values::sums())]
    by: GroupBy,

    /// Only the last N days, including today
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    days: Option<u64>,

    /// Show money too, at list prices or the `prices` in your settings
    #[arg(long)]
    cost: bool,

    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print the rows as CSV
    #[arg(long)]
    csv: bool,

    /// Ask this gateway instead of reading your own ledger
    #[arg(long, value_name = "URL", conflicts_with = "config", value_hint = ValueHint::Url)]
    gateway: Option<String>,

    /// The settings file, for `prices` and `ledger` [default: as for serve]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &GainArgs) -> anyhow::Result<()> {
    let (gain, place) = match &arguments.gateway {
        Some(url) => (arguments.ask_gateway(url)?, url.clone()),
        None => arguments.read()?,
    };
    let text = match arguments {
        GainArgs { json: true, .. } => serde_json::to_string(&gain)?,
        GainArgs { csv: true, .. } => csv::table(&gain),
        _ => page::page(&gain, arguments.cost, &place),
    };
    Ok(output::print(&text)?)
}

impl GainArgs {
    /// What the ledger of this user says, and where that is.
    fn read(&self) -> anyhow::Result<(tokenforge_ledger::GainReport, String)> {
        let file = settings::file(self.config.as_deref());
        let settings = SettingsSource { file, flags: Overrides::default() }.load()?;
        let folder = ledger::folder(&settings.ledger)?;
        let since = self.days.map(|days| UtcDay::of(ledger::now()).first_of(days));
        let reading = Ledger::read(&folder, since)
            .with_context(|| format!("cannot read the ledger in {}", folder.display()))?;
        let gain = LedgerSummary::of(reading, self.by, &ModelPrices::new(&settings.prices));
        Ok((gain, folder.display().to_string()))
    }

    /// What a gateway says, by its own ledger and prices. One with keys wants the admin token.
    fn ask_gateway(&self, url: &str) -> anyhow::Result<tokenforge_ledger::GainReport> {
        let gateway = GatewayClient::of_operator(Some(url), None, &Settings::default())?;
        let days = self.days.map(|days| format!("&days={days}")).unwrap_or_default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.context("cannot start threads")?.block_on(gateway.gain(self.by, &days))
    }
}
