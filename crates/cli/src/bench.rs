//! `tokenforge bench`: what the modes make of a folder of recordings.

use crate::arguments::Vocabulary;
use crate::output;
use crate::prices::Prices;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tokenforge_compress::reference::Key;
use tokenforge_compress::{Engine, Mode, Settings, Vault};
use tokenforge_replay::report::ModeReport;
use tokenforge_replay::{Corpus, Expansion, Plan, Report, outputs, sessions};
use tokenforge_tokens::Counter;

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
    let (kinds, sets) = (outputs::by_kind(&corpus)?, corpus.sets()?);
    let bar = progress(modes.len() * (kinds.len() + sets.len()));
    let key = Key::from_bytes([7; 32]);
    let prices = Prices::new(&BTreeMap::new());
    let mut report = Report { vocabulary: name(counter), ..Report::default() };
    for mode in modes {
        let settings = Settings { mode: *mode, counter, ..Settings::default() };
        let engine = Engine::new(&settings);
        let engine = match mode.leaves_out() {
            true => engine.with_vault(Vault { key: &key, tenant: "bench" }),
            false => engine,
        };
        let plan = Plan {
            settings: settings.clone(),
            counter: Some(counter),
            expansion: Expansion::FromStart,
            prices: &|model| prices.of(model),
        };
        let mut found = ModeReport::default();
        for (kind, recordings) in &kinds {
            bar.set_message(format!("{mode}: {kind}"));
            found.kinds.insert(kind.clone(), outputs::measure(recordings, &engine, counter));
            bar.inc(1);
        }
        for set in &sets {
            bar.set_message(format!("{mode}: {set}"));
            let measured = sessions::measure(corpus.sessions(set)?, &plan)?;
            found.sessions.insert(set.clone(), measured);
            bar.inc(1);
        }
        report.modes.insert(mode.to_string(), found);
    }
    bar.finish_and_clear();
    if arguments.json {
        return Ok(output::print(&serde_json::to_string(&report)?)?);
    }
    Ok(output::print(report.to_string().trim_end())?)
}

/// The vocabulary's name, without the part that all have.
fn name(counter: Counter) -> String {
    match counter {
        Counter::Exact(vocabulary) => vocabulary.name().trim_end_matches("_base").to_owned(),
        _ => "estimate".to_owned(),
    }
}

fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
    ProgressBar::new(steps as u64).with_style(style.unwrap_or(ProgressStyle::default_bar()))
}
