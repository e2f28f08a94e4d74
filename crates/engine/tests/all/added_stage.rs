//! A lossless stage from outside of the engine: all that adding one takes.
//!
//! 1. `added_stage/stage.rs`: the stage with its decoder.
//! 2. One line that hands it to the engine: `Engine::with_stage`. For a built-in stage it is the line in a list of
//!    `crates/engine/src/stages.rs`, and its folder is in `stages/`.
//! 3. `added_stage/vectors.json`: texts, and what the stage writes of them; of a built-in stage in `spec/vectors/outputs`.
//! 4. `added_stage/docs-row.md`: its row in the table of `docs/stages.md`.
//!
//! The engine does the rest, which is tested here: it counts, checks the decoder on every output, and keeps the record.

mod stage;

use serde::Deserialize;
use stage::SharedStart;
use tokenforge_engine::{Engine, Fidelity, History, Mode, Output, Settings, Stage, stage_names};

const VECTORS: &str = include_str!("added_stage/vectors.json");
const ROW: &str = include_str!("added_stage/docs-row.md");

#[derive(Deserialize)]
struct Vector {
    name: String,
    text: String,
    /// Nothing, where the stage has nothing to do.
    written: Option<String>,
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(VECTORS).unwrap()
}

/// The text before and after the stage, where the engine took what it wrote.
fn applied(text: &str) -> Option<(String, String)> {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let engine = Engine::new(&settings).with_stage(&SharedStart).with_trace();
    let compressed = engine.compress(&Output::new("status", text), &History::default());
    let (before, after) = compressed.tokens(text, settings.counter);
    assert!(after <= before, "{after} of {before} tokens");
    let step = compressed.steps.iter().find(|step| step.stage == SharedStart.name())?;
    step.is_applied().then(|| *step.texts.clone().unwrap())
}

#[test]
fn d9_the_decoder_reads_every_vector() {
    for Vector { name, text, written } in vectors() {
        let Some(written) = written else { continue };
        assert_eq!(SharedStart.decode(&written).as_deref(), Some(&*text), "{name}");
    }
}

#[test]
fn l3_the_engine_writes_every_vector() {
    for Vector { name, text, written } in vectors() {
        let expected = written.map(|written| (text.clone(), written));
        assert_eq!(applied(&text), expected, "{name}");
    }
}

#[test]
fn l6_the_stage_leaves_its_own_text_alone() {
    for Vector { name, written, .. } in vectors() {
        let Some(written) = written else { continue };
        assert_eq!(applied(&written), None, "{name}");
    }
}

#[test]
fn f25_the_row_fits_the_table_of_stages() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stages.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    assert!(docs.contains("\n| stage | fidelity | what it does |\n|---|---|---|\n"));
    let cells: Vec<&str> = ROW.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [name, fidelity, what] = cells[..] else { panic!("{} cells", cells.len()) };
    assert_eq!(name, format!("`{}`", SharedStart.name()));
    assert_eq!((fidelity, SharedStart.fidelity()), ("lossless", Fidelity::Lossless));
    assert!(!what.is_empty() && stage_names().all(|other| other != SharedStart.name()));
}
