//! Real tool outputs, where they lie beside the project; tests that need them are skipped elsewhere.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The id and text of every output that is JSON, or `None` with a note when there is no corpus here.
pub(crate) fn json_documents() -> Option<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/outputs");
    if !folder.is_dir() {
        println!("skipped: no corpus at {}", folder.display());
        return None;
    }
    let files = entries(&folder).flat_map(|kind| entries(&kind).collect::<Vec<_>>());
    Some(files.flat_map(|file| documents(&file)).collect())
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("one").path())
}

fn documents(file: &Path) -> Vec<(String, String)> {
    let lines = std::fs::read_to_string(file).expect("a readable file");
    let outputs = lines.lines().map(|line| serde_json::from_str(line).expect("JSON lines"));
    outputs
        .filter_map(|output: Value| {
            let text = output["content"].as_str()?.to_owned();
            let is_json = tokenforge_formats::Json::parse(&text).is_ok()
                && serde_json::from_str::<Value>(&text).is_ok();
            is_json.then(|| (output["id"].to_string(), text))
        })
        .collect()
}
