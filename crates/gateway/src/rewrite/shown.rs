//! What the model has seen of a conversation, read only when a new result may point to it.

use crate::memo::Entry;
use std::borrow::Cow;
use std::sync::Arc;
use tokenforge_compress::History;
use tokenforge_dialects::{Shape, ToolResult, unescape};

/// The results so far, as they are forwarded.
#[derive(Default)]
pub(super) struct Shown<'r> {
    history: History,
    /// Texts that nobody asked about yet.
    waiting: Vec<(&'r ToolResult<'r>, Arc<Entry>)>,
}

impl<'r> Shown<'r> {
    /// This became of a result.
    pub(super) fn add(&mut self, result: &'r ToolResult<'r>, entry: Arc<Entry>) {
        self.waiting.push((result, entry));
    }

    /// What was shown before a result. The texts of one result are one, and none of them is before the others.
    pub(super) fn before(&mut self, result: &ToolResult<'_>, body: &[u8]) -> &History {
        let ready = self.waiting.partition_point(|(waiting, _)| waiting.number < result.number);
        let rest = self.waiting.split_off(ready);
        for texts in self.waiting.chunk_by(|(a, _), (b, _)| a.number == b.number) {
            let Some((first, _)) = texts.first() else { continue };
            let texts: Vec<Cow<'_, str>> =
                texts.iter().map(|(result, entry)| forwarded(result, entry, body)).collect();
            let tool = first.tool_name.as_deref().unwrap_or_default();
            self.history.add(first.call_id.as_deref(), tool, &texts.join("\n"));
        }
        self.waiting = rest;
        &self.history
    }
}

/// What the model sees of a result.
fn forwarded<'t>(result: &ToolResult<'_>, entry: &'t Entry, body: &'t [u8]) -> Cow<'t, str> {
    let text = match &entry.replacement {
        Some(replacement) => text_of(replacement, result.shape),
        None => result.text(body),
    };
    text.unwrap_or_default()
}

/// The text of a replacement that is written as JSON already.
fn text_of(replacement: &str, shape: Shape) -> Option<Cow<'_, str>> {
    let escaped = match shape {
        Shape::Text => replacement,
        Shape::Value | Shape::JsonBlock { .. } => {
            let string = replacement.strip_prefix("\"text\":").unwrap_or(replacement);
            string.strip_prefix('"')?.strip_suffix('"')?
        }
    };
    unescape(escaped)
}
