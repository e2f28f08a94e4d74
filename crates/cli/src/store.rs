//! `tokenforge store`: how much is stored, and how to be rid of it.

use crate::output::{self, group_digits};
use crate::{arguments, confirm, data, screen};
use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use std::time::Duration;
use tokenforge_replay::columns::{TextColumn, TextTable};
use tokenforge_store::{EntryKind, StoreLocation};

const EXAMPLES: &str = "\
Examples:
  tokenforge store stats
  tokenforge store stats --store redis://127.0.0.1:6379/0 --json
  tokenforge store purge --kind original --older-than 7d";

/// Show how much is stored, and delete it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Subcommand)]
enum StoreCommand {
    /// Show how much is stored, by kind
    #[command(after_help = "Example:\n  tokenforge store stats --store redis://127.0.0.1:6379/0")]
    Stats(Stats),
    /// Delete what is stored; references to it can no longer be expanded
    #[command(after_help = "Example:\n  tokenforge store purge --kind original --older-than 7d")]
    Purge(Purge),
}

#[derive(Args)]
struct StorePlace {
    /// The store: disk:PATH, redis://HOST:PORT/DB, rediss:// or redis+cluster://HOST,HOST [default: the data folder]
    #[arg(long = "store", value_name = "URL")]
    url: Option<String>,
}

#[derive(Args)]
struct Stats {
    #[command(flatten)]
    place: StorePlace,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Purge {
    #[command(flatten)]
    place: StorePlace,

    /// Only this kind
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<EntryKind>,

    /// Only what was not used for this long, such as 90s, 30m, 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = arguments::time)]
    older_than: Option<Duration>,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// Print {"store", "removed"}
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &StoreArgs) -> anyhow::Result<()> {
    match &arguments.command {
        StoreCommand::Stats(arguments) => stats(arguments),
        StoreCommand::Purge(arguments) => purge(arguments),
    }
}

fn stats(arguments: &Stats) -> anyhow::Result<()> {
    let location = arguments.place.location()?;
    let place = location.to_string();
    let stats = open(location)?.stats()?;
    if arguments.json {
        let kinds = EntryKind::ALL.iter().map(|kind| {
            let amount = stats.of(*kind);
            let amount = serde_json::json!({ "entries": amount.entries, "bytes": amount.bytes });
            (kind.name().to_owned(), amount)
        });
        let kinds: serde_json::Map<_, _> = kinds.collect();
        return Ok(output::print(
            &serde_json::json!({ "store": place, "kinds": kinds }).to_string(),
        )?);
    }
    let columns =
        [TextColumn::text("kind"), TextColumn::number("entries"), TextColumn::number("bytes")];
    let mut table = TextTable::new(columns);
    for kind in EntryKind::ALL {
        let amount = stats.of(*kind);
        let (entries, bytes) =
            (group_digits(amount.entries as usize), group_digits(amount.bytes as usize));
        table.row([kind.name().to_owned(), entries, bytes]);
    }
    Ok(output::print(&format!("{place}\n{}", screen::table(&table)))?)
}

fn purge(arguments: &Purge) -> anyhow::Result<()> {
    let location = arguments.place.location()?;
    let what = arguments.kind.map_or("entries".to_owned(), |kind| format!("{}s", kind.name()));
    let (whence, place) = (format!("{what} from {location}"), location.to_string());
    if !arguments.yes
        && !confirm::is_confirmed(&format!("Delete {whence}?"), &format!("this deletes {whence}"))?
    {
        bail!("nothing was deleted");
    }
    let removed = open(location)?.purge(arguments.kind, arguments.older_than)?;
    Ok(output::print(&if arguments.json {
        serde_json::json!({"store": place, "removed": removed}).to_string()
    } else {
        format!("deleted {} {what}", group_digits(removed as usize))
    })?)
}

impl StorePlace {
    fn location(&self) -> anyhow::Result<StoreLocation> {
        match self.url.as_deref().map(str::parse).transpose().context("--store")? {
            Some(StoreLocation::Memory) => {
                bail!(
                    "--store: memory: lives inside the gateway's process, out of reach of this command"
                )
            }
            Some(location) => Ok(location),
            None => data::location(),
        }
    }
}

fn open(location: StoreLocation) -> anyhow::Result<std::sync::Arc<dyn tokenforge_store::Store>> {
    let settings = location.default_settings();
    Ok(location.open(settings)?)
}

fn kinds() -> impl TypedValueParser<Value = EntryKind> {
    let names = EntryKind::ALL.iter().map(|kind| kind.name());
    PossibleValuesParser::new(names)
        .try_map(|name| EntryKind::from_name(&name).ok_or("no such kind"))
}
