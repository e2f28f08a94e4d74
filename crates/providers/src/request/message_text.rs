//! Message texts: what people and systems say in a conversation.

use super::result::text;
use crate::json::text::escape_into;
use crate::splice::Splice;
use std::borrow::Cow;
use std::ops::Range;

/// A text that a person or a system wrote or attached: a string, or one block of several.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageText {
    /// Where the text is: the content of a string, between its quotes and still escaped.
    pub span: Range<usize>,
    /// Whose text it is.
    pub role: MessageRole,
}

/// Who says something to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRole {
    /// The person, or what a client says in their place.
    User,
    /// Who made the agent: system prompts, and messages of a system or a developer.
    System,
    /// No speaker: an attachment of a message, such as a document, or a tool result that a program reads.
    Attached,
}

/// Whether to collect what people and systems say, which most requests are read without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageTexts {
    /// Pass it.
    Unwanted,
    /// Collect it.
    Wanted,
}

impl MessageText {
    /// What it says. Nothing if it holds half a surrogate pair, which no text can: leave it as it is.
    #[must_use]
    pub fn text<'b>(&self, body: &'b [u8]) -> Option<Cow<'b, str>> {
        text(body, &self.span, true)
    }

    /// Puts another text in its place.
    #[must_use]
    pub fn replaced_by(&self, text: &str) -> Splice<'static> {
        let mut with = String::with_capacity(text.len() + text.len() / 8);
        escape_into(text, &mut with);
        Splice { range: self.span.clone(), with: Cow::Owned(with) }
    }
}
