//! How a payload is written inside its wrapper.

use super::json_string::{self, JsonStyle};
use super::python_string;
use std::borrow::Cow;
use tokenforge_json::unescape;

/// How a payload is written inside its wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Codec {
    /// As it is.
    Plain,
    /// Between the quotes of a JSON string.
    JsonString(JsonStyle),
    /// Between these quotes of a Python string, as `repr` writes it.
    PythonRepr(char),
}

impl Codec {
    /// The text that was written so, and the spelling that gives the writing back byte for byte, if there is one.
    pub(super) fn decode(self, written: &str) -> Option<(Self, String)> {
        let (codec, text) = match self {
            Self::Plain => return Some((self, written.to_owned())),
            Self::JsonString(_) => {
                let text = unescape(written)?.into_owned();
                (Self::JsonString(JsonStyle::of(written, &text)), text)
            }
            Self::PythonRepr(_) => (self, python_string::unescape(written)?),
        };
        (*codec.encode(Cow::Borrowed(&text)) == *written).then_some((codec, text))
    }

    /// Writes a text. Every character is written for itself, so that a text can be written in parts.
    pub(super) fn encode(self, text: Cow<'_, str>) -> Cow<'_, str> {
        match self {
            Self::Plain => text,
            Self::JsonString(style) => Cow::Owned(json_string::escape(&text, style)),
            Self::PythonRepr(quote) => Cow::Owned(python_string::escape(&text, quote)),
        }
    }
}
