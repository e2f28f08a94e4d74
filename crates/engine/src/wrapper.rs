//! What a client puts around a tool's output, taken off and put back.
//!
//! An output is cut into pieces: wrapper text, which stays as it is, and payloads, which may be compressed. A payload
//! may have been written as a JSON or Python string; it is shown unescaped and escaped again when it is put back. What
//! would not come back byte for byte is not taken apart.
//!
//! ```
//! use tokenforge_engine::internals::wrapper::unwrap;
//!
//! let output = "Wall time: 0.1 seconds\nOutput:\n{\"output\":\"a\\nb\\n\",\"metadata\":{\"exit_code\":0}}";
//! let parts = unwrap(output);
//! assert_eq!(parts.payloads().collect::<Vec<_>>(), ["a\nb\n"]);
//! assert_eq!(parts.rewrap(&["a\nb\n"]), output);
//! assert_eq!(parts.rewrap(&["c"]), "Wall time: 0.1 seconds\nOutput:\n{\"output\":\"c\",\"metadata\":{\"exit_code\":0}}");
//! ```

mod claude;
mod codec;
mod codex;
mod edges;
mod envelope;
mod gemini;
mod json;
pub(crate) mod json_string;
mod opening;
pub(crate) mod python_string;
mod slot;
mod tags;
mod text_content;
pub mod unescaped;

pub use codec::Codec;
pub use json_string::JsonStyle;

use std::borrow::Cow;
use std::ops::Range;

/// An output cut into wrapper and payloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts<'a> {
    text: &'a str,
    pieces: Vec<Piece<'a>>,
}

/// A part of an output. The pieces of an output follow each other without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Wrapper: these bytes of the output stay as they are.
    Keep(Range<usize>),
    /// What the tool printed.
    Payload(Payload<'a>),
}

/// A part that may be compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload<'a> {
    /// Where it stands in the output.
    pub range: Range<usize>,
    /// Its text, unescaped.
    pub text: Cow<'a, str>,
    /// How it is written in the output, the outermost first; empty where it stands as it is.
    pub codecs: Vec<Codec>,
}

/// Takes an output apart. Without a known wrapper all of it is one payload.
#[must_use]
pub fn unwrap(text: &str) -> Parts<'_> {
    Parts { text, pieces: opening::pieces(text) }
}

impl<'a> Parts<'a> {
    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece<'a>] {
        &self.pieces
    }

    /// The texts of the payloads, in order.
    pub fn payloads(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(Piece::payload).map(|payload| &*payload.text)
    }

    /// Puts payloads into the wrapper, one for each in order; where one is missing the old one stays. The old ones give
    /// back the output as it was, byte for byte.
    #[must_use]
    pub fn rewrap<S: AsRef<str>>(&self, payloads: &[S]) -> String {
        let mut payloads = payloads.iter();
        let mut output = String::with_capacity(self.text.len());
        for piece in &self.pieces {
            match piece {
                Piece::Keep(range) => output.push_str(&self.text[range.clone()]),
                Piece::Payload(old) => match payloads.next() {
                    Some(new) => output.push_str(&old.write(new.as_ref())),
                    None => output.push_str(&self.text[old.range.clone()]),
                },
            }
        }
        output
    }
}

impl Payload<'_> {
    /// Another text, written the way this one is.
    fn write<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.codecs.iter().rev().fold(Cow::Borrowed(text), |text, codec| codec.encode(text))
    }
}

impl<'a> Piece<'a> {
    /// Where the piece stands in the output.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Keep(range) => range.clone(),
            Self::Payload(payload) => payload.range.clone(),
        }
    }

    fn payload(&self) -> Option<&Payload<'a>> {
        match self {
            Self::Keep(_) => None,
            Self::Payload(payload) => Some(payload),
        }
    }

    fn payload_mut(&mut self) -> Option<&mut Payload<'a>> {
        match self {
            Self::Keep(_) => None,
            Self::Payload(payload) => Some(payload),
        }
    }

    fn moved(mut self, by: usize) -> Self {
        match &mut self {
            Self::Keep(range) => *range = range.start + by..range.end + by,
            Self::Payload(Payload { range, .. }) => *range = range.start + by..range.end + by,
        }
        self
    }
}
