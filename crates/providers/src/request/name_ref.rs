//! A reference to a name or an id, by where it stands in the body.

use super::result::text;
use crate::json::Reader;
use crate::json::text::unescape;
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::ops::Range;

/// A name or an id. Who knows of it need not hold the body, and looks it up there when it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameRef {
    /// It stands there: the content of a string, between its quotes and still escaped.
    At(Range<usize>),
    /// The body does not spell it.
    Fixed(&'static str),
}

impl NameRef {
    /// How many bytes it takes in the body.
    pub(crate) fn size(&self) -> usize {
        match self {
            NameRef::At(span) => span.len(),
            NameRef::Fixed(name) => name.len(),
        }
    }

    /// What it is in the body that it was found in.
    #[must_use]
    pub fn text<'b>(&self, body: &'b [u8]) -> Cow<'b, str> {
        match self {
            NameRef::At(span) => text(body, span, true).unwrap_or_default(),
            NameRef::Fixed(name) => Cow::Borrowed(name),
        }
    }
}

/// Reads a string: nothing if it is not one, or one that no text can hold.
pub(crate) fn read_name(reader: &mut Reader<'_>) -> Result<Option<NameRef>, Refusal> {
    let content = reader.value()?.content();
    Ok(content.filter(|span| unescape(reader.spelling(span.clone())).is_some()).map(NameRef::At))
}
