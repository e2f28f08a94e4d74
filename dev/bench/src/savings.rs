//! What every mode saves on recorded outputs and sessions: what `tokenforge-lab bench` measures, with the modes side by side.

use std::fmt::{Display, Write};
use std::path::Path;
use tokenforge_config::OldResults;
use tokenforge_engine::{Mode, Settings};
use tokenforge_replay::report::{KindReport, ModeReport, SetReport};
use tokenforge_replay::{Corpus, ExpansionOffer, measure};

const MODES: [Mode; 3] = [Mode::Lossless, Mode::Standard, Mode::Aggressive];

/// A table of kinds of outputs, and one of sets of sessions.
pub(crate) fn savings(folder: &Path) -> anyhow::Result<String> {
    let corpus = Corpus::open(folder)?;
    let settings = Settings::default();
    let report = measure::corpus(
        &corpus,
        &MODES,
        &settings,
        ExpansionOffer::WhenItPays,
        OldResults::WhenCold,
        &mut |step| {
            eprintln!("{}/{} {}: {}", step.done, step.of, step.mode, step.name);
        },
    )?;
    let modes: Vec<&ModeReport> =
        MODES.iter().filter_map(|mode| report.modes.get(&mode.to_string())).collect();
    Ok([outputs(&modes), sessions(&modes)].join("\n"))
}

fn outputs(modes: &[&ModeReport]) -> String {
    let mut table = String::from(
        "| kind | outputs | tokens | saved: lossless, standard, aggressive | larger | not restored |\n\
         |---|---|---|---|---|---|\n",
    );
    for name in modes.iter().take(1).flat_map(|mode| mode.kinds.keys()) {
        let kinds: Vec<&KindReport> =
            modes.iter().filter_map(|mode| mode.kinds.get(name)).collect();
        let _ = writeln!(
            table,
            "| {name} | {} | {} | {} | {} | {} |",
            each(&kinds, |kind| kind.outputs),
            each(&kinds, |kind| kind.tokens_in),
            each(&kinds, |kind| percent_saved(kind.tokens_in, kind.tokens_out)),
            each(&kinds, |kind| kind.larger),
            each(&kinds, |kind| kind.roundtrip_failures),
        );
    }
    table
}

fn sessions(modes: &[&ModeReport]) -> String {
    let mut table = String::from(
        "| set | sessions | dearer | tool tokens | saved: lossless, standard, aggressive | input bill | whole bill | probes \
         | visible | decoded | retrievable | lost | requests | logged | prefix stability |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for name in modes.iter().take(1).flat_map(|mode| mode.sessions.keys()) {
        let sets: Vec<&SetReport> =
            modes.iter().filter_map(|mode| mode.sessions.get(name)).collect();
        let cells = [
            each(&sets, |set| set.sessions),
            each(&sets, |set| set.dearer),
            each(&sets, |set| set.tool_tokens_in),
            each(&sets, |set| percent_saved(set.tool_tokens_in, set.tool_tokens_out)),
            each(&sets, |set| format!("{:.3}", set.cost_ratio)),
            each(&sets, |set| format!("{:.3}", set.bill_ratio)),
            each(&sets, |set| set.probes.total),
            each(&sets, |set| set.probes.visible),
            each(&sets, |set| set.probes.decoded),
            each(&sets, |set| set.probes.retrievable),
            each(&sets, |set| set.probes.lost),
            each(&sets, |set| set.requests),
            each(&sets, |set| set.logged),
            each(&sets, |set| format!("{:.3}", set.prefix_stability)),
        ];
        let _ = writeln!(table, "| {name} | {} |", cells.join(" | "));
    }
    table
}

/// A figure of each mode, or one where all are the same.
fn each<T, F: Display>(modes: &[&T], figure: impl Fn(&T) -> F) -> String {
    let mut figures: Vec<String> = modes.iter().map(|mode| figure(mode).to_string()).collect();
    if figures.iter().all(|figure| *figure == figures[0]) {
        figures.truncate(1);
    }
    figures.join(", ")
}

fn percent_saved(before: usize, after: usize) -> String {
    match before {
        0 => "-".to_owned(), // nothing is no part of nothing
        _ => format!("{:.1} %", 100.0 * (1.0 - after as f64 / before as f64)),
    }
}
