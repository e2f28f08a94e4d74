//! TOON 4.4: indentation instead of braces, tables instead of repeated keys.

mod decode;
mod encode;
mod quote;
mod shape;

pub use decode::{DecodeOptions, decode};
pub use encode::encode;

#[cfg(feature = "serde")]
pub use crate::serde::{from_toon as from_str, to_toon as to_string};

/// How [`encode`] writes.
///
/// ```
/// use tokenforge_formats::toon::{Delimiter, EncodeOptions};
///
/// let tabs = EncodeOptions { delimiter: Delimiter::Tab, ..EncodeOptions::default() };
/// assert_eq!(tabs.indent, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Spaces per level, 2 by default; 0 is written as 1.
    pub indent: usize,
    /// What separates the values of arrays and rows.
    pub delimiter: Delimiter,
    /// How numbers are written.
    pub numbers: Numbers,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self { indent: 2, delimiter: Delimiter::Comma, numbers: Numbers::Canonical }
    }
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Numbers {
    /// As the specification asks: `1.50` is `1.5`, `1e2` is `100`. Digits are never lost.
    #[default]
    Canonical,
    /// As they stand in the JSON, so that decoding gives the same text. Every decoder reads them.
    Verbatim,
}

/// What separates the values of an inline array or a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// `,`, the default; not written in headers.
    #[default]
    Comma,
    /// A tab.
    Tab,
    /// `|`.
    Pipe,
}

impl Delimiter {
    /// The character itself.
    pub fn as_char(self) -> char {
        char::from(self.byte())
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
        }
    }
}
