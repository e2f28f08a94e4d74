//! `tokenforge gain`: what was saved, of what, and in money.

mod csv;
mod page;

use crate::settings::{self, Source};
use crate::{ledger, output};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;
use tokenforge_config::Overrides;
use tokenforge_ledger::{By, Day, Ledger, Prices, Summary};

const EXAMPLES: &str = "\
Examples:
  tokenforge gain
  tokenforge gain --by day --days 7
  tokenforge gain --by project --cost
  tokenforge gain --csv > gain.csv";

/// Show what was saved, of what, and in money
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Gain {
    /// Add up by tool, client, project, day (UTC) or stage
    #[arg(long, value_name = "WHAT", default_value = "tool")]
    by: By,

    /// Only the last N days, today included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    days: Option<u64>,

    /// Show money too, at list prices or those of your settings
    #[arg(long)]
    cost: bool,

    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print the rows as CSV
    #[arg(long)]
    csv: bool,

    /// The settings file, for prices and the place of the ledger [default: as for serve]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Gain) -> anyhow::Result<()> {
    let file = settings::file(arguments.config.as_deref());
    let settings = Source { file, flags: Overrides::default() }.load()?;
    let folder = ledger::folder(&settings.ledger)?;
    let since = arguments.days.map(|days| Day::of(ledger::now()).first_of(days));
    let reading = Ledger::read(&folder, since)
        .with_context(|| format!("cannot read the ledger in {}", folder.display()))?;
    let gain = Summary::of(reading, arguments.by, &Prices::new(&settings.prices));
    let text = match arguments {
        Gain { json: true, .. } => serde_json::to_string(&gain)?,
        Gain { csv: true, .. } => csv::table(&gain),
        _ => page::page(&gain, arguments.cost, &folder),
    };
    Ok(output::print(&text)?)
}
