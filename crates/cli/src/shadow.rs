//! `tokenforge shadow`: whether compression changes what the model does, measured on live traffic; and what is held for it.

mod page;

use crate::settings::{self, SettingsSource};
use crate::{ledger, output};
use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueHint};
use std::path::{Path, PathBuf};
use tokenforge_config::{Overrides, ShadowSettings};
use tokenforge_shadow::{ShadowFile, ShadowHold, ShadowReport, ShadowState};

const EXAMPLES: &str = "\
Examples:
  tokenforge shadow
  tokenforge shadow --json
  tokenforge shadow release family";

/// Show whether compression changes what the model does
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ShadowArgs {
    #[command(subcommand)]
    command: Option<ShadowCommand>,

    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Args)]
struct ReportArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// The settings file, for `shadow` and `ledger` [default: as for serve]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum ShadowCommand {
    /// Use a mode or a stage again that was held; its evidence begins anew
    #[command(after_help = "Example:\n  tokenforge shadow release family")]
    Release(ReleaseArgs),
}

#[derive(Args)]
struct ReleaseArgs {
    /// The mode or stage, as the report names it; `all` for everything
    #[arg(value_name = "NAME")]
    name: String,

    /// Print {"released"}
    #[arg(long)]
    json: bool,

    /// The settings file, for `ledger` [default: as for serve]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ShadowArgs) -> anyhow::Result<()> {
    match &arguments.command {
        Some(ShadowCommand::Release(arguments)) => release(arguments),
        None => report(&arguments.report),
    }
}

fn report(arguments: &ReportArgs) -> anyhow::Result<()> {
    let (settings, file) = place(arguments.config.as_deref())?;
    let now = ledger::now();
    let state = file.read()?;
    let report = ShadowReport::of(&state.unwrap_or_else(|| ShadowState::new(now)), now);
    Ok(output::print(&if arguments.json {
        serde_json::to_string(&report)?
    } else {
        page::page(&report, &settings)
    })?)
}

/// A gateway that runs sees the file change with its next request.
fn release(arguments: &ReleaseArgs) -> anyhow::Result<()> {
    let (_, file) = place(arguments.config.as_deref())?;
    let held: Vec<ShadowHold> = file.read()?.map(|state| state.holds).unwrap_or_default();
    let name = Some(&*arguments.name).filter(|name| *name != "all");
    if !held.iter().any(|hold| name.is_none_or(|name| hold.name == name)) {
        let names: Vec<&str> = held.iter().map(|hold| &*hold.name).collect();
        if names.is_empty() {
            bail!("nothing is held")
        } else {
            bail!("{} is not held; held: {}", arguments.name, names.join(", "))
        }
    }
    let now = ledger::now();
    let released = file.update(now, |state| state.release(name, now))?;
    let names: Vec<&str> = released.iter().map(|hold| &*hold.name).collect();
    Ok(output::print(&if arguments.json {
        serde_json::json!({ "released": names }).to_string()
    } else {
        format!("released {}; used again from the next request on", names.join(", "))
    })?)
}

/// The settings, and where what is measured is kept.
fn place(config: Option<&Path>) -> anyhow::Result<(ShadowSettings, ShadowFile)> {
    let file = settings::file(config);
    let settings = SettingsSource { file, flags: Overrides::default() }.load()?;
    let folder = ledger::folder(&settings.ledger).context("there is no place for a ledger")?;
    Ok((settings.shadow, ShadowFile::in_folder(&folder)))
}
