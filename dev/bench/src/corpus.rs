//! Real tool outputs, read from JSON lines: `<kind>/<source>.jsonl`, one output a line.

use anyhow::Context;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A JSON document of the corpus.
pub(crate) struct CorpusDocument {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) text: String,
}

/// Every output that is JSON: an object or an array.
pub(crate) fn read_documents(folder: &Path) -> anyhow::Result<Vec<CorpusDocument>> {
    let mut documents = Vec::new();
    for kind in sorted_entries(folder)? {
        for file in sorted_entries(&kind)? {
            let lines = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            for line in lines.lines() {
                documents.extend(document(&kind, line)?);
            }
        }
    }
    Ok(documents)
}

fn document(kind: &Path, line: &str) -> anyhow::Result<Option<CorpusDocument>> {
    let mut output: Value = serde_json::from_str(line)?;
    let Value::String(text) = output["content"].take() else { return Ok(None) };
    let is_container = text.trim_start().starts_with(['{', '[']);
    if !is_container || tokenforge_formats::Json::parse(&text).is_err() {
        return Ok(None);
    }
    let kind = kind.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let id = output["id"].as_str().unwrap_or_default().to_owned();
    Ok(Some(CorpusDocument { kind, id, text }))
}

fn sorted_entries(folder: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
