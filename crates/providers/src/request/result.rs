//! Tool results: one text of a result, and the call it answers.

use super::name_ref::NameRef;
use crate::json::text::{escape_into, unescape};
use crate::splice::Splice;
use std::borrow::Cow;
use std::ops::Range;

/// One text of a tool result. A result may have several, around images and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// Where the text is: see [`ResultShape`].
    pub span: Range<usize>,
    /// What is there.
    pub shape: ResultShape,
    /// Which of the [answers](crate::Request::answers) this is a text of: those of one result have the same number.
    pub number: usize,
    /// The id of the call, where the result names it.
    pub call_id: Option<NameRef>,
    /// Which of the calls of the body it answers, from zero. Nothing if the call is not in the body.
    pub call: Option<usize>,
    /// The tool: as the call names it, else as the result does.
    pub tool_name: Option<NameRef>,
    /// The arguments of the call.
    pub arguments: Option<CallArguments>,
    /// The client says that the tool failed.
    pub is_error: bool,
}

/// What stands at the span of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultShape {
    /// The content of a string, between its quotes and still escaped.
    Text,
    /// A JSON value, in whose place a string may stand.
    Value,
    /// The value of a `json` block, which may become a `text` block.
    JsonBlock {
        /// Where the opening quote of its key is.
        key: usize,
    },
}

/// Where the arguments of a call are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallArguments {
    /// The bytes: of a JSON value, or between the quotes of a string.
    pub span: Range<usize>,
    /// They are in a string, escaped.
    pub is_string: bool,
}

impl ToolResult {
    /// The name of the tool; empty if the request does not give it.
    #[must_use]
    pub fn tool<'b>(&self, body: &'b [u8]) -> Cow<'b, str> {
        self.tool_name.as_ref().map(|name| name.text(body)).unwrap_or_default()
    }

    /// The id of the call, where the result names it.
    #[must_use]
    pub fn id<'b>(&self, body: &'b [u8]) -> Option<Cow<'b, str>> {
        self.call_id.as_ref().map(|id| id.text(body))
    }

    /// The text: for a string what it says, for a value its JSON as it stands.
    ///
    /// Nothing if it holds half a surrogate pair, which no text can: leave that result as it is.
    #[must_use]
    pub fn text<'b>(&self, body: &'b [u8]) -> Option<Cow<'b, str>> {
        text(body, &self.span, self.shape == ResultShape::Text)
    }

    /// Puts another text in its place.
    #[must_use]
    pub fn replaced_by(&self, text: &str) -> Splice<'static> {
        Splice { range: self.place(), with: Cow::Owned(self.spelling(text)) }
    }

    /// The bytes that go when another text takes its place.
    #[must_use]
    pub fn place(&self) -> Range<usize> {
        match self.shape {
            ResultShape::Text | ResultShape::Value => self.span.clone(),
            ResultShape::JsonBlock { key } => key..self.span.end,
        }
    }

    /// Another text as it is written in that [place](Self::place).
    fn spelling(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len() + text.len() / 8 + 16);
        if self.shape == ResultShape::Text {
            escape_into(text, &mut written);
            return written;
        }
        if self.shape != ResultShape::Value {
            written.push_str("\"text\":");
        }
        written.push('"');
        escape_into(text, &mut written);
        written.push('"');
        written
    }
}

impl CallArguments {
    /// The arguments as the call has them, which is JSON for most tools.
    #[must_use]
    pub fn text<'b>(&self, body: &'b [u8]) -> Option<Cow<'b, str>> {
        text(body, &self.span, self.is_string)
    }
}

pub(crate) fn text<'b>(
    body: &'b [u8],
    span: &Range<usize>,
    is_string: bool,
) -> Option<Cow<'b, str>> {
    let text = std::str::from_utf8(body.get(span.clone())?).ok()?;
    if is_string { unescape(text) } else { Some(Cow::Borrowed(text)) }
}
