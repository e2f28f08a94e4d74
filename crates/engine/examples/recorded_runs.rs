//! What is saved on recorded runs of tools, by kind and by half, as the table in `dev/bench/RESULTS.md`:
//!
//! ```sh
//! cargo run -p tokenforge-engine --example recorded_runs            # the table
//! cargo run -p tokenforge-engine --example recorded_runs -- tuning  # each output of the tuning half
//! cargo run -p tokenforge-engine --example recorded_runs -- NAME    # what the model sees of one output
//! ```
//!
//! *As errors*: calls whose command failed are marked as such, as some agents do; of those only passes are left out.

use std::collections::BTreeMap;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_samples::{Half, RecordedRun, RunKind, recorded_runs};

/// The tokens of some outputs, and of what the model sees of them.
#[derive(Clone, Copy, Default)]
struct Tokens {
    outputs: usize,
    original: usize,
    lossless: usize,
    standard: usize,
    as_errors: usize,
}

impl Tokens {
    /// How much is saved where these are seen, in percent.
    fn saved(&self, seen: usize) -> f64 {
        100.0 * (1.0 - seen as f64 / self.original as f64)
    }
}

fn main() {
    let runs = recorded_runs();
    match std::env::args().nth(1).as_deref() {
        None => print_table(&runs),
        Some("tuning") => print_each(runs.iter().filter(|run| run.half == Half::Tuning)),
        Some(name) => {
            for run in runs.iter().filter(|run| run.name == name) {
                println!("{}", seen(run, Mode::Standard, false));
            }
        }
    }
}

/// What is saved of each output.
fn print_each<'r>(runs: impl Iterator<Item = &'r RecordedRun>) {
    for run in runs {
        let tokens = measure(run);
        let saved =
            [tokens.lossless, tokens.standard, tokens.as_errors].map(|seen| tokens.saved(seen));
        println!(
            "{:40} {:6} {:5.1} {:5.1} {:5.1}",
            run.name, tokens.original, saved[0], saved[1], saved[2]
        );
    }
}

/// What is saved of each kind in each half.
fn print_table(runs: &[RecordedRun]) {
    let mut sums: BTreeMap<(Half, Option<RunKind>), Tokens> = BTreeMap::new();
    for run in runs {
        let tokens = measure(run);
        for kind in [Some(run.kind), None] {
            let sum = sums.entry((run.half, kind)).or_default();
            sum.outputs += tokens.outputs;
            sum.original += tokens.original;
            sum.lossless += tokens.lossless;
            sum.standard += tokens.standard;
            sum.as_errors += tokens.as_errors;
        }
    }
    println!("| half | kind | outputs | tokens | lossless | standard | standard, as errors |");
    println!("|---|---|---|---|---|---|---|");
    for ((half, kind), tokens) in sums {
        let kind = kind.map_or("all".to_owned(), |kind| format!("{kind:?}").to_lowercase());
        let half = if half == Half::Tuning { "tuning" } else { "held out" };
        println!(
            "| {half} | {kind} | {} | {} | {:.1} % | {:.1} % | {:.1} % |",
            tokens.outputs,
            tokens.original,
            tokens.saved(tokens.lossless),
            tokens.saved(tokens.standard),
            tokens.saved(tokens.as_errors),
        );
    }
}

fn measure(run: &RecordedRun) -> Tokens {
    let count = |text: &str| Settings::default().counter.count(text);
    Tokens {
        outputs: 1,
        original: count(&run.text),
        lossless: count(&seen(run, Mode::Lossless, false)),
        standard: count(&seen(run, Mode::Standard, false)),
        as_errors: count(&seen(run, Mode::Standard, run.status != 0)),
    }
}

/// What the model sees of an output.
fn seen(run: &RecordedRun, mode: Mode, is_error: bool) -> String {
    let key = ReferenceSecret::from_bytes([7; 32]);
    let settings = Settings { mode, ..Settings::default() };
    let arguments = format!("{{\"command\":{:?}}}", run.command);
    let output =
        Output { text: &run.text, tool: "Bash", arguments: &arguments, call: None, is_error };
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    engine.compress(&output, &History::default()).text(&run.text).to_owned()
}
