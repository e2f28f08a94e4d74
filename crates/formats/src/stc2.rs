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

mod cost;
mod decode;
mod encode;
mod lightest;
mod plan;
mod prints;
mod share;
mod spell;

pub use decode::decode;
pub use encode::encode;
pub use lightest::{Weighed, lightest};

/// The line that every STC 2 text starts with. What starts otherwise is STC 1 or JSON.
pub const HEADER: &str = "stc2\n";

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
