//! `tokenforge bench`: what the modes make of a folder of recordings.

use crate::arguments::Vocabulary;
use crate::{output, screen, values};
use clap::{Args, ValueHint};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use tokenforge_config::{ExpandBy, OldResults};
use tokenforge_engine::{Mode, Settings};
use tokenforge_replay::{Corpus, ExpansionOffer, measure};

/// Measure every mode on a folder of recordings
#[derive(Args)]
#[command(
    after_help = "Examples:\n  tokenforge bench recordings/\n  tokenforge bench recordings/ --mode lossless --json"
)]
pub(crate) struct BenchArgs {
    /// A folder with outputs/KIND/*.jsonl, sessions/SET/*.json and probes/SET/*.jsonl
    #[arg(value_hint = ValueHint::DirPath)]
    folder: PathBuf,

    /// Only this mode; may be repeated [default: lossless, standard, aggressive]
    #[arg(long, value_name = "MODE", value_parser = values::modes())]
    mode: Vec<Mode>,

    /// When old results become references [default: when_cold]
    #[arg(long, value_name = "WHEN", value_parser = values::old_results())]
    old_results: Option<OldResults>,

    /// How models fetch what is left out, as if every shell ran commands on this machine without asking [default: tool]
    #[arg(long, value_name = "HOW", value_parser = values::expand_by())]
    expand_by: Option<ExpandBy>,

    /// Leave this stage out, to see what it is worth; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = values::stages())]
    without: Vec<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    vocabulary: Vocabulary,
}

pub(crate) fn run(arguments: &BenchArgs) -> anyhow::Result<()> {
    let corpus = Corpus::open(&arguments.folder)?;
    let counter = arguments.vocabulary.counter();
    let modes = match &arguments.mode[..] {
        [] => &[Mode::Lossless, Mode::Standard, Mode::Aggressive],
        modes => modes,
    };
    let settings =
        Settings { counter, skip_stages: arguments.without.clone(), ..Settings::default() };
    let old_results = arguments.old_results.unwrap_or_default();
    let expansion = match arguments.expand_by.unwrap_or(ExpandBy::Tool) {
        ExpandBy::Tool => ExpansionOffer::WhenItPays,
        ExpandBy::Shell => ExpansionOffer::ByShell,
        ExpandBy::Auto => ExpansionOffer::WhenItPaysElseByShell,
    };
    let bar = progress();
    let report = measure::corpus(&corpus, modes, &settings, expansion, old_results, &mut |step| {
        bar.set_length(step.of as u64);
        bar.set_position(step.done as u64);
        bar.set_message(format!("{}: {}", step.mode, step.name));
    })?;
    bar.finish_and_clear();
    if arguments.json {
        return Ok(output::print(&serde_json::to_string(&report)?)?);
    }
    Ok(output::print(report.text(screen::width()).trim_end())?)
}

fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
    ProgressBar::new(0).with_style(style.unwrap_or(ProgressStyle::default_bar()))
}
