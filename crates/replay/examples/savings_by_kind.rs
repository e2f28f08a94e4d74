//! Tokens of recorded outputs before and after the engine, by kind: `savings_by_kind [CORPUS] > table`. Without a corpus the
//! outputs that this repository has are measured, by the program that printed them.

use std::collections::BTreeMap;
use std::path::Path;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_replay::corpus::RecordedOutput;
use tokenforge_replay::{Corpus, outputs};
use tokenforge_tokens::Counter;

/// Stages of which more than one in a text is a stack.
const NOTATIONS: [&str; 9] = [
    "nested_json",
    "json",
    "python_repr",
    "json_lines",
    "truncated_json",
    "path_headings",
    "repeated_columns",
    "log_templates",
    "dictionary",
];

const MODES: [Mode; 3] = [Mode::Lossless, Mode::Standard, Mode::Aggressive];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kinds = match std::env::args().nth(1) {
        Some(folder) => outputs::by_kind(&Corpus::open(Path::new(&folder))?)?,
        None => samples(),
    };
    println!(
        "| kind | outputs | tokens | lossless | standard | aggressive | stacked in standard |\n|---|---|---|---|---|---|---|"
    );
    let mut sums = [0; 5];
    for (kind, recordings) in kinds.iter().filter(|(kind, _)| !kind.contains(',')) {
        let tokens = tokens(recordings);
        sums.iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
        row(kind, recordings.len(), tokens);
    }
    row("**all**", kinds.iter().map(|(_, recordings)| recordings.len()).sum(), sums);
    Ok(())
}

fn row(kind: &str, outputs: usize, [before, after @ .., stacked]: [usize; 5]) {
    let saved = after.map(|after| 100.0 - 100.0 * after as f64 / before.max(1) as f64);
    let [lossless, standard, aggressive] = saved;
    println!(
        "| {kind} | {outputs} | {before} | {lossless:.1} % | {standard:.1} % | {aggressive:.1} % | {stacked} |"
    );
}

/// Those of the outputs, and those of what each mode makes of them.
fn tokens(recordings: &[RecordedOutput]) -> [usize; 5] {
    let counter = Counter::default();
    let mut tokens = [0; 5];
    let mut stacked = 0;
    for recording in recordings {
        let text = &recording.content;
        tokens[0] += counter.count(text);
        for (mode, tokens) in MODES.iter().zip(&mut tokens[1..4]) {
            let settings = Settings { mode: *mode, ..Settings::default() };
            let key = ReferenceSecret::from_bytes([7; 32]);
            let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
            let arguments = outputs::arguments(recording);
            let tool = recording.tool.as_deref().unwrap_or_default();
            let output = Output { text, tool, arguments: &arguments, call: None, is_error: false };
            let compressed = engine.compress(&output, &History::default());
            *tokens += counter.count(compressed.text(text));
            if *mode == Mode::Standard {
                let notations = compressed
                    .steps
                    .iter()
                    .filter(|step| step.is_applied() && NOTATIONS.contains(&step.stage));
                stacked += usize::from(notations.count() > 1);
            }
        }
    }
    tokens[4] = stacked;
    tokens
}

/// The recorded outputs of this repository, by the program that printed them.
fn samples() -> Vec<(String, Vec<RecordedOutput>)> {
    let mut kinds: BTreeMap<String, Vec<RecordedOutput>> = BTreeMap::new();
    for output in tokenforge_samples::recorded() {
        let program = output.name.split(['-', '.']).next().unwrap_or_default().to_owned();
        let recording = RecordedOutput {
            content: output.text,
            tool: Some(output.tool),
            command: Some(output.arguments),
        };
        kinds.entry(program).or_default().push(recording);
    }
    kinds.into_iter().collect()
}
