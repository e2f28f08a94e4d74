//! STC 1: JSON without the quotes around keys, and with tables for rows of the same shape.
//!
//! The grammar, the two spellings and the law are in `spec/stc.md`.

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;

#[cfg(feature = "serde")]
pub use crate::serde::{from_stc as from_str, to_stc as to_string};

/// How STC is written. All spellings are one grammar: every decoder reads each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Spelling {
    /// With spaces and compact arrays, as the format was first published; sent over HTTP.
    #[default]
    Adr,
    /// The fewest tokens, for a model to read.
    Dense,
    /// Dense, but without tables: rows are objects, keys and all. A small model loses its place in a table, and reads this as
    /// well as JSON, of which only the quotes around keys are missing.
    Flat,
}
