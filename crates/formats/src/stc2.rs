//! STC 2: JSON with bare words, and with everything that repeats factored out of rows and values.
//!
//! The grammar, the levels, the costs by which the encoder chooses and the law are in `spec/stc2.md`.
//!
//! ```
//! use tokenforge_formats::stc2::{self, Level};
//! use tokenforge_formats::{Json, MAX_OUTPUT};
//!
//! let text = r#"{"total": 2, "items": [
//!     {"id": 7, "user": {"name": "ann", "age": 31}, "open": true},
//!     {"id": 9, "user": {"name": "bob", "age": 27}, "open": true}
//! ]}"#;
//! let json = Json::parse(text)?;
//! let encoded = stc2::encode(&json, Level::Nested);
//! assert_eq!(encoded, "stc2\n{total:2 items:[2]{id user{name age} open:true}\n7 ann 31\n9 bob 27}");
//! assert_eq!(stc2::decode(&encoded, MAX_OUTPUT)?, json.minify());
//! # Ok::<(), tokenforge_formats::Error>(())
//! ```

mod audience;
mod cost;
mod cut;
mod decode;
mod encode;
mod fingerprints;
mod lightest;
mod plan;
mod share;
mod spell;

pub use decode::decode;
pub use encode::{encode, encode_for_model};
pub use lightest::{LightestText, lightest};

/// The line that every STC 2 text starts with. What starts otherwise is STC 1 or JSON. Where a model reads it, the line has
/// a legend: `stc2 (JSON; columns above rows)`.
pub const HEADER: &str = "stc2\n";

/// Is a text STC 2, by its first line?
///
/// ```
/// use tokenforge_formats::stc2::is_stc2;
///
/// assert!(is_stc2("stc2\n[a b]") && is_stc2("stc2 (JSON)\n[a b]"));
/// assert!(!is_stc2("stc2 is a format\n[a b]"));
/// ```
#[must_use]
pub fn is_stc2(text: &str) -> bool {
    body(text).is_some()
}

/// Where the value of an STC 2 text starts: behind its first line, with or without a legend.
fn body(text: &str) -> Option<usize> {
    if text.starts_with(HEADER) {
        return Some(HEADER.len());
    }
    let legend = text.strip_prefix("stc2 (")?;
    let end = legend.find(['(', ')', '\n'])?;
    legend.get(end..)?.starts_with(")\n").then_some("stc2 (".len() + end + ")\n".len())
}

/// How much is factored out. Every level is the same grammar: a decoder need not know which one it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// 1: bare words, and tables for rows with the same keys.
    Dense,
    /// 2: also nested columns, columns that some rows lack, constant columns and tables of maps.
    #[default]
    Nested,
    /// 3: also what follows from other cells or was written before: prefixes, suffixes, templates, runs, ditto marks
    /// and references.
    Shared,
}

impl Level {
    /// Every level, the least factored first.
    pub const ALL: [Self; 3] = [Self::Dense, Self::Nested, Self::Shared];

    /// The level of a number from 1 to 3.
    ///
    /// ```
    /// use tokenforge_formats::stc2::Level;
    ///
    /// assert_eq!(Level::from_number(2), Some(Level::Nested));
    /// assert_eq!(Level::from_number(4), None);
    /// ```
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }

    /// Its number, from 1 to 3.
    pub fn number(self) -> u8 {
        match self {
            Self::Dense => 1,
            Self::Nested => 2,
            Self::Shared => 3,
        }
    }
}
