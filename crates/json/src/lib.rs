//! JSON text: read, edited, quoted and unescaped, without a tree and without losing a byte.
//!
//! No crate above needs more of JSON than where something stands in a text, so everything here gives out slices and spans
//! of the text it was given. There are two readers, because there are two jobs:
//!
//! | reader | for | how |
//! |---|---|---|
//! | [`Json`], the tape | codecs, which look at every value, some of them many times | validates a text in one pass and lays out a 16-byte lexeme for each key, value and container; errors say line and column |
//! | [`Walker`] and [`Node`] | requests, replies and messages, of which a few members matter | validates as it skips, 64 bytes at a time; keeps nothing, so a megabyte of string costs next to nothing; an error says only where |
//!
//! A tape of a request body would cost memory for values that are not used, and the walker would read a document again
//! for each of a codec's looks. What a string, an escape and a number are both ask in [`lexeme`], so they take the same texts
//! for JSON: one value, in UTF-8, nested at most [`MAX_DEPTH`] deep. What is no JSON, but like it (cut off by a client, with
//! comments), is read where it occurs, by readers that forgive.
//!
//! There is one way to change a text: [`Splice`]s, made by hand or by [`Edit`], which knows about commas. Outside of them the
//! bytes stay. There is one [`quote`] and one [`unescape`].
//!
//! ```
//! use tokenforge_json::{Edit, Json, Node, quote};
//!
//! let text = r#"{ "id": 7, "name": "caf\u00e9", "price": 1.10 }"#;
//! assert_eq!(Json::parse(text)?.minify(), r#"{"id":7,"name":"caf\u00e9","price":1.10}"#);
//!
//! let root = Node::read(text)?;
//! assert_eq!(root.get("name").unwrap().text().as_deref(), Some("café"));
//! let mut edit = Edit::new(text);
//! edit.set(&root, "name", quote("tea"));
//! assert_eq!(edit.done(), r#"{ "id": 7, "name": "tea", "price": 1.10 }"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No input makes this crate panic or take more than linear time. It does no I/O and depends on no other crate of ours.

pub mod chunk;
pub mod content;
mod edit;
pub mod error;
mod escape;
pub mod lexeme;
pub mod output;
mod refusal;
mod splice;
pub mod tape;
mod walk;

pub use edit::{Edit, MemberPlace, cuts, join};
pub use error::{Error, ErrorKind};
pub use escape::{escape_into, quote, unescape};
pub use refusal::Refusal;
pub use splice::{Splice, replace, splice};
pub use tape::{Json, TapeValue};
pub use walk::{
    JsonToken, MemberKey, Node, ValueKind, ValueSpan, Walker, canonical, is_json_sequence, tokens,
};

/// The deepest nesting that any reader accepts: deeper than any request.
pub const MAX_DEPTH: usize = 512;
