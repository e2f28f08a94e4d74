//! `tokenforge-lab bench`: what the modes make of a folder of recordings.

use crate::screen;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use tokenforge_config::{Choice, ExpandBy, OldResults};
use tokenforge_engine::{Mode, Settings};
use tokenforge_replay::{Corpus, ExpansionOffer, measure};
use tokenforge_tokens::Counter;

/// Measure every mode on a folder of recordings
#[derive(Args)]
#[command(
    after_help = "Examples:\n  tokenforge-lab bench recordings/\n  tokenforge-lab bench recordings/ --mode lossless --json"
)]
pub(crate) struct BenchArgs {
    /// A folder with outputs/KIND/*.jsonl, sessions/SET/*.json and probes/SET/*.jsonl
    #[arg(value_hint = ValueHint::DirPath)]
    folder: PathBuf,

    /// Only this mode; may be repeated [default: lossless, standard, aggressive]
    #[arg(long, value_name = "MODE", value_parser = clap::value_parser!(Mode))]
    mode: Vec<Mode>,

    /// When old results become references [default: when_cold]
    #[arg(long, value_name = "WHEN", value_parser = OldResults::parse)]
    old_results: Option<OldResults>,

    /// How models fetch what is left out, as if every shell ran commands on this machine without asking [default: tool]
    #[arg(long, value_name = "HOW", value_parser = ExpandBy::parse)]
    expand_by: Option<ExpandBy>,

    /// Leave this stage out, to see what it is worth; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = stages())]
    without: Vec<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Count with the vocabulary of this model [default: o200k_base]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

pub(crate) fn run(arguments: &BenchArgs) -> anyhow::Result<()> {
    let corpus = Corpus::open(&arguments.folder)?;
    let counter = counter(arguments.model.as_deref());
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
    let shows_progress = io::stderr().is_terminal();
    let report = measure::corpus(&corpus, modes, &settings, expansion, old_results, &mut |step| {
        if shows_progress {
            eprintln!("{} of {}: {} {}", step.done, step.of, step.mode, step.name);
        }
    })?;
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
        return Ok(());
    }
    println!("{}", report.text(screen::width()).trim_end());
    Ok(())
}

/// The names of the stages of the engine.
fn stages() -> PossibleValuesParser {
    tokenforge_engine::stage_names().collect::<Vec<_>>().into()
}

fn counter(model: Option<&str>) -> Counter {
    let vocabulary = model.map(|model| tokenforge_tokens::for_model(model).vocabulary);
    vocabulary.unwrap_or_default().into()
}
