//! Results that the model saw before an output, as a caller gives them to restore it.

use super::{History, ToolCall};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A result that the model saw before, as JSON: `{"tool": NAME, "arguments": {…}, "text": "…"}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierResult {
    /// Name of the tool.
    tool: String,
    /// What it was called with, as it is spelled: a result is named by the first of them.
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
    /// The result as the model saw it.
    text: String,
}

impl EarlierResult {
    /// What a list of them looks like, for an error message.
    pub const EXPECTED: &str = r#"expected results such as {"tool": "Read", "arguments": {"file_path": "a.rs"}, "text": "..."}"#;
}

impl FromIterator<EarlierResult> for History {
    fn from_iter<I: IntoIterator<Item = EarlierResult>>(results: I) -> Self {
        let mut history = History::default();
        for (number, EarlierResult { tool, arguments, text }) in results.into_iter().enumerate() {
            let id = format!("result {number}");
            let arguments = arguments.as_deref().map_or("", RawValue::get);
            // Some tools take free text.
            let free_text = serde_json::from_str::<String>(arguments).ok();
            let arguments = free_text.as_deref().unwrap_or(arguments);
            history.add(&ToolCall { id: Some(&id), tool: &tool, arguments }, &text);
        }
        history
    }
}
