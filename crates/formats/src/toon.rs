//! TOON 4.4: indentation instead of braces, tables instead of repeated keys.

mod decode;

pub use decode::{DecodeOptions, decode};

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
        match self {
            Self::Comma => ',',
            Self::Tab => '\t',
            Self::Pipe => '|',
        }
    }
}
