//! Real tool outputs, where they lie beside the project; tests that need them are skipped elsewhere.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The id and text of every recorded output that is JSON; `None`, with a note, where there is no corpus.
///
/// # Panics
/// The corpus cannot be read.
#[must_use]
pub fn json_outputs() -> Option<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/outputs");
    if !folder.is_dir() {
        println!("skipped: no corpus at {}", folder.display());
        return None;
    }
    let mut files: Vec<PathBuf> = entries(&folder).iter().flat_map(|kind| entries(kind)).collect();
    files.sort();
    Some(files.iter().flat_map(|file| json_outputs_of(file)).collect())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn json_outputs_of(file: &Path) -> Vec<(String, String)> {
    let lines = fs::read_to_string(file).expect("a readable file");
    let output = |line| {
        let output: Value = serde_json::from_str(line).expect("JSON lines");
        let text = output["content"].as_str()?.to_owned();
        serde_json::from_str::<Value>(&text).ok()?;
        Some((output["id"].to_string(), text))
    };
    lines.lines().filter_map(output).collect()
}
