//! JSON text to the form that costs fewest tokens, and back, without losing a character.
//!
//! | form | what it is | holds |
//! |---|---|---|
//! | [`toon`] | TOON 4.4: indentation, tables | all but duplicate keys and lone surrogates |
//! | [`stc`] | STC 1: JSON with bare keys and tables; one grammar, three spellings | every JSON text |
//! | [`stc2`] | STC 2: bare words, and everything that repeats factored out; three levels | every JSON text |
//! | [`table`] | a typed header and CSV rows | arrays of flat objects |
//! | [`Json::minify`] | JSON without white space: the baseline | every JSON text |
//!
//! Everything works on [`Json`]: a text that is validated once and laid out as a flat tape of slices into it.
//! Encoders copy those slices. Nothing is parsed into a float, a map or a tree, so number text, key order,
//! duplicate keys and escapes survive: `decode(encode(x)) == minify(x)`, byte for byte. TOON alone keeps the value
//! and not the text: it has its own escapes and reorders rows; [`cheapest`] uses it only where that changes nothing.
//!
//! ```
//! use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest, decode_any};
//! use tokenforge_tokens::Counter;
//!
//! let text = r#"[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}, {"id": 3, "name": "items"}]"#;
//! let json = Json::parse(text)?;
//! let choice = cheapest(&json, Form::ALL, Counter::default());
//! assert_eq!(choice.text, r#"[3]{id,name}:1,"users"/2,"orders"/3,"items""#);
//! assert_eq!(decode_any(&choice.text, MAX_OUTPUT)?, json.minify());
//! # Ok::<(), tokenforge_formats::Error>(())
//! ```
//!
//! With the feature `negotiate` there is also content negotiation over HTTP headers: which form a client asks for.
//!
//! No input makes this crate panic, hang or allocate beyond a small multiple of what it reads or writes. It does
//! no I/O and needs no clock.

mod auto;
mod form;
mod key_filter;
mod lexeme;
#[cfg(feature = "negotiate")]
pub mod negotiate;
mod refusal;
mod rows;
#[cfg(feature = "serde")]
mod serde;
pub mod stc;
pub mod stc2;
pub mod table;
pub mod toon;

pub use auto::{FormChoice, cheapest, cheapest_of, decode_any};
pub use form::{Form, UnknownForm};
pub use refusal::Refusal;
pub use rows::has_rows;
#[cfg(feature = "serde")]
pub use serde::SerdeError;
pub use tokenforge_json::{Error, ErrorKind, Json, MAX_DEPTH, TapeValue};

/// The largest output a decoder writes unless told otherwise: 64 MiB.
pub const MAX_OUTPUT: usize = 64 << 20;
