//! The results before an output, as a file tells of them.

use crate::input::InputText;
use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use tokenforge_engine::{History, ToolCall};

/// A result that the model saw before.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierResult {
    /// The name of the tool.
    tool: String,
    /// What it was called with.
    #[serde(default)]
    arguments: Value,
    /// The result as the model saw it.
    text: String,
}

/// Reads a file of earlier results: a JSON array, or one object a line.
pub(super) fn read(file: &Path) -> anyhow::Result<History> {
    let input = InputText::read(file)?;
    let results = parse(&input.text).with_context(|| input.name)?;
    let mut history = History::default();
    for (number, EarlierResult { tool, arguments, text }) in results.iter().enumerate() {
        let id = format!("result {number}");
        let arguments = match arguments {
            Value::Null => String::new(),
            // Some tools take free text.
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        };
        history.add(&ToolCall { id: Some(&id), tool, arguments: &arguments }, text);
    }
    Ok(history)
}

fn parse(text: &str) -> anyhow::Result<Vec<EarlierResult>> {
    const EXPECTED: &str = r#"expected results such as {"tool": "Read", "arguments": {"file_path": "a.rs"}, "text": "..."}"#;
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).context(EXPECTED);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {}: {EXPECTED}", at + 1))
        })
        .collect()
}
