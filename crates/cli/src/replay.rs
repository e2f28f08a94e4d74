//! `tokenforge replay`: what would have been saved, on the user's own history.

use crate::settings::{self, SettingsSource as Settings};
use crate::{data, output, screen, values};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::path::PathBuf;
use tokenforge_config::{ExpandBy, ExpandInjection, OldResults, Overrides};
use tokenforge_engine::Mode;
use tokenforge_ledger::ModelPrices;
use tokenforge_replay::source::{self, LogSource};
use tokenforge_replay::{ExpansionOffer, ReplayHistory, ReplayPlan, history, page, table};
use tokenforge_tokens::{Counter, Vocabulary};

const EXAMPLES: &str = "\
Examples:
  tokenforge replay                           the sessions agents keep here
  tokenforge replay ~/.claude/projects/my-project --html report.html
  tokenforge replay session.jsonl --mode lossless --json
  tokenforge replay --without repeated_lines      what a stage is worth";

/// Measure what your own recorded sessions would have saved
///
/// Reads sessions of Claude Code, Codex and opencode, and lists of messages. Nothing is sent anywhere, and nothing is
/// changed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// Session logs, or folders of them [default: where agents keep theirs]
    #[arg(value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    /// How much to do to tool results [default: what the settings say]
    #[arg(long, value_name = "MODE", value_parser = values::modes())]
    mode: Option<Mode>,

    /// When old results become references [default: what the settings say]
    #[arg(long, value_name = "WHEN", value_parser = values::old_results())]
    old_results: Option<OldResults>,

    /// Leave this stage out, to see what it is worth; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = values::stages())]
    without: Vec<String>,

    /// How models fetch what is left out, as if every shell ran commands on this machine without asking [default: tool]
    #[arg(long, value_name = "HOW", value_parser = values::expand_by())]
    expand_by: Option<ExpandBy>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Count all models with this vocabulary [default: each with its own]
    #[arg(long, value_name = "NAME", value_parser = values::vocabularies())]
    vocabulary: Option<Vocabulary>,

    /// How many logs to read at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// How many rows of each table to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    rows: usize,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Write a page with charts to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ReplayArgs) -> anyhow::Result<()> {
    let sources = log_sources(arguments)?;
    let settings = gateway_settings(arguments)?;
    let prices = ModelPrices::new(&settings.prices);
    let tool_output = &settings.tool_output;
    // No log says where its shell ran, so the settings do not choose it.
    let expand_by = arguments.expand_by.unwrap_or(ExpandBy::Tool);
    let expansion = match tool_output.expand_injection {
        _ if !tool_output.enable_expand_context => ExpansionOffer::Never,
        _ if expand_by == ExpandBy::Shell => ExpansionOffer::ByShell,
        ExpandInjection::WhenItPays if expand_by == ExpandBy::Auto => {
            ExpansionOffer::WhenItPaysElseByShell
        }
        ExpandInjection::WhenItPays => ExpansionOffer::WhenItPays,
        ExpandInjection::FromStart => ExpansionOffer::FromStart,
        ExpandInjection::WhenReferenced => ExpansionOffer::WhenReferenced,
    };
    let mut engine = tool_output.engine_settings();
    engine.skip_stages.clone_from(&arguments.without);
    let mode = engine.mode;
    let counter = arguments.vocabulary.map(Counter::from);
    let class = tool_output.model_class.class();
    let prices = |model: &str| prices.of(model);
    let old_results = arguments.old_results.unwrap_or(tool_output.old_results);
    let plan =
        ReplayPlan { settings: engine, counter, class, expansion, old_results, prices: &prices };
    let bar = progress(sources.iter().map(|source| source.bytes).sum());
    let found = history::replay(&sources, &plan, threads(arguments), &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    if found.sessions.is_empty() {
        found.problems.iter().take(arguments.rows).for_each(|problem| {
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            output::tell(&format!(
                "{}{line}: {}",
                output::printable(&problem.file),
                problem.reason
            ));
        });
        bail!("no session found in {} files", sources.len());
    }
    report(arguments, &found, mode)
}

fn report(arguments: &ReplayArgs, found: &ReplayHistory, mode: Mode) -> anyhow::Result<()> {
    if let Some(file) = &arguments.html {
        let about = format!("Replayed in mode {mode} by tokenforge {}.", env!("CARGO_PKG_VERSION"));
        fs::write(file, page::html(found, &about))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    if arguments.json {
        return Ok(output::print(&serde_json::to_string(found)?)?);
    }
    let text = table::text(found, arguments.rows, screen::width());
    Ok(output::print(&format!("Mode {mode}.\n{}", text.trim_end()))?)
}

/// The logs that were named, or those that clients keep; says which those are.
fn log_sources(arguments: &ReplayArgs) -> anyhow::Result<Vec<LogSource>> {
    if !arguments.paths.is_empty() {
        let missing = arguments.paths.iter().find(|path| !path.exists());
        if let Some(missing) = missing {
            bail!("{} does not exist", missing.display());
        }
        let sources: Vec<LogSource> =
            arguments.paths.iter().flat_map(|path| source::at(path)).collect();
        if sources.is_empty() {
            bail!("no .jsonl or .json file there");
        }
        return Ok(sources);
    }
    let mut sources = Vec::new();
    for place in source::log_folders(&data::set) {
        let found = source::at(&place.path);
        let count = output::group_digits(found.len());
        output::tell(&format!("{:<12} {count:>7} logs in {}", place.client, place.path.display()));
        sources.extend(found);
    }
    for unread in
        tokenforge_agents::all().iter().filter_map(|agent| agent.logs.as_ref()?.unread.as_ref())
    {
        if unread.file.resolve(&data::set).is_some_and(|file| file.is_file()) {
            output::tell(&format!("note: {}", unread.note));
        }
    }
    if sources.is_empty() {
        bail!("no agent has recorded sessions here; name a file or folder");
    }
    Ok(sources)
}

/// The settings of the gateway that would have stood in between.
fn gateway_settings(arguments: &ReplayArgs) -> anyhow::Result<tokenforge_config::Settings> {
    let mode = arguments.mode.map(|mode| mode.to_string());
    let flags = Overrides { tool_output_compression: mode, ..Overrides::default() };
    Settings { file: settings::file(arguments.config.as_deref()), flags }.load()
}

fn threads(arguments: &ReplayArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    arguments.threads.map_or_else(cores, usize::from)
}

/// A bar over the bytes of all logs, on a terminal.
fn progress(bytes: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes}, {eta} left");
    ProgressBar::new(bytes).with_style(style.unwrap_or(ProgressStyle::default_bar()))
}
