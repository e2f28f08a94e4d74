//! Why a form cannot hold a document.

/// A form's refusal to hold a document that is valid JSON: another form can, so callers fall back.
///
/// ```
/// use tokenforge_formats::{Json, Refusal, toon};
///
/// let json = Json::parse(r#"{"a": 1, "a": 2}"#)?;
/// let refusal = toon::encode(&json, &toon::EncodeOptions::default()).unwrap_err();
/// assert_eq!(refusal, Refusal::DuplicateKey { offset: 9 });
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// TOON and tables have no place for the second of two members with one key.
    #[error("the object has the key at byte {offset} twice")]
    DuplicateKey {
        /// Where the second key starts.
        offset: usize,
    },
    /// TOON is UTF-8 without surrogate escapes.
    #[error("the string at byte {offset} has half of a surrogate pair")]
    LoneSurrogate {
        /// Where the string starts.
        offset: usize,
    },
    /// Indentation would make the text many times larger than the JSON.
    #[error("nested so deep that indentation would be most of the text")]
    TooIndented,
    /// A table holds a non-empty array of objects.
    #[error("the value at byte {offset} is not a row: a table is a non-empty array of objects")]
    NotARow {
        /// Where the value starts.
        offset: usize,
    },
    /// A table holds scalars only.
    #[error("the value at byte {offset} is nested: a cell of a table is a scalar")]
    NestedCell {
        /// Where the value starts.
        offset: usize,
    },
    /// The keys of the rows cannot be put into one order.
    #[error("the key at byte {offset} is not where the other rows have it")]
    KeyOrder {
        /// Where the key starts.
        offset: usize,
    },
    /// Most of the table would be empty.
    #[error("the rows have too few keys in common")]
    TooSparse,
    /// A table with thousands of columns is no help to a reader.
    #[error("the rows have more than {limit} different keys")]
    TooWide {
        /// The most columns a table has.
        limit: usize,
    },
    /// A row without cells would be an empty line.
    #[error("the row at byte {offset} has no cells")]
    EmptyRow {
        /// Where the row starts.
        offset: usize,
    },
}
