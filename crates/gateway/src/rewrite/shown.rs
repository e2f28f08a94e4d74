//! What the model has seen of a conversation, read only when a new result may point to it.

use std::borrow::Cow;
use tokenforge_compress::History;
use tokenforge_dialects::{Shape, ToolResult, unescape};

/// The results so far, as they are forwarded.
#[derive(Default)]
pub(crate) struct Shown<'b> {
    history: History,
    /// The texts of one result, and those of results before it that nobody asked about yet.
    waiting: Vec<Waiting<'b>>,
}

struct Waiting<'b> {
    number: usize,
    call: Option<String>,
    tool: String,
    text: Cow<'b, str>,
}

impl<'b> Shown<'b> {
    /// A result was forwarded with this text.
    pub(crate) fn add(&mut self, result: &ToolResult<'_>, text: Cow<'b, str>) {
        self.waiting.push(Waiting {
            number: result.number,
            call: result.call_id.as_deref().map(str::to_owned),
            tool: result.tool_name.as_deref().unwrap_or_default().to_owned(),
            text,
        });
    }

    /// What was shown before a result. Its own texts are one, and not before themselves.
    pub(crate) fn before(&mut self, result: &ToolResult<'_>) -> &History {
        let number = result.number;
        let ready = self.waiting.partition_point(|waiting| waiting.number < number);
        let rest = self.waiting.split_off(ready);
        for texts in self.waiting.chunk_by(|a, b| a.number == b.number) {
            let joined = match texts {
                [one] => Cow::Borrowed(&*one.text),
                many => many.iter().map(|one| &*one.text).collect::<Vec<_>>().join("\n").into(),
            };
            if let Some(first) = texts.first() {
                self.history.add(first.call.as_deref(), &first.tool, &joined);
            }
        }
        self.waiting = rest;
        &self.history
    }
}

/// The text of a replacement that is written as JSON already.
pub(crate) fn text_of<'r>(replacement: &'r str, shape: Shape) -> Option<Cow<'r, str>> {
    let escaped = match shape {
        Shape::Text => replacement,
        Shape::Value | Shape::JsonBlock { .. } => {
            let string = replacement.strip_prefix("\"text\":").unwrap_or(replacement);
            string.strip_prefix('"')?.strip_suffix('"')?
        }
    };
    unescape(escaped)
}
