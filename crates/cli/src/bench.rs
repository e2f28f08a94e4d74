//! `tokenforge bench`: what the modes make of a folder of recordings.

use crate::arguments::Vocabulary;
use crate::output;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use tokenforge_compress::Mode;
use tokenforge_replay::{Corpus, measure};

/// Measure every mode on recorded outputs and sessions.
#[derive(Args)]
pub(crate) struct Bench {
    /// A folder with outputs/KIND/*.jsonl, sessions/SET/*.json and probes/SET/*.jsonl
    folder: PathBuf,

    /// Only this mode; may be given more than once [default: lossless, standard, aggressive]
    #[arg(long)]
    mode: Vec<Mode>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    vocabulary: Vocabulary,
}

pub(crate) fn run(arguments: &Bench) -> anyhow::Result<()> {
    let corpus = Corpus::open(&arguments.folder)?;
    let counter = arguments.vocabulary.counter();
    let modes = match &arguments.mode[..] {
        [] => &[Mode::Lossless, Mode::Standard, Mode::Aggressive],
        modes => modes,
    };
    let bar = progress();
    let report = measure::corpus(&corpus, modes, counter, &mut |step| {
        bar.set_length(step.of as u64);
        bar.set_position(step.done as u64);
        bar.set_message(format!("{}: {}", step.mode, step.name));
    })?;
    bar.finish_and_clear();
    if arguments.json {
        return Ok(output::print(&serde_json::to_string(&report)?)?);
    }
    Ok(output::print(report.to_string().trim_end())?)
}

fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
    ProgressBar::new(0).with_style(style.unwrap_or(ProgressStyle::default_bar()))
}
