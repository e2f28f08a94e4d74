//! The corpus beside the project.

use std::fs;
use std::path::{Path, PathBuf};

/// Every text of the corpus beside the project with its kind, or `None` and a line that says so.
pub(crate) fn corpus() -> Option<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !root.is_dir() {
        println!("skipped: no corpus at {}", root.display());
        return None;
    }
    let mut texts = Vec::new();
    for path in files_under(&root.join("outputs")) {
        let kind = path.parent().and_then(Path::file_name).expect("outputs/<kind>/<source>.jsonl");
        for line in fs::read_to_string(&path).expect("readable").lines() {
            let output: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            let content = output["content"].as_str().expect("content is text");
            texts.push((kind.to_string_lossy().into_owned(), content.to_owned()));
        }
    }
    for path in files_under(&root.join("sessions")) {
        let session = fs::read_to_string(&path).expect("readable");
        let session: serde_json::Value = serde_json::from_str(&session).expect("JSON");
        push_strings(&session["messages"], &mut texts);
    }
    Some(texts)
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the corpus") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn push_strings(value: &serde_json::Value, texts: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::String(text) => texts.push(("session".to_owned(), text.clone())),
        serde_json::Value::Array(items) => items.iter().for_each(|item| push_strings(item, texts)),
        serde_json::Value::Object(members) => {
            members.values().for_each(|member| push_strings(member, texts));
        }
        _ => {}
    }
}
