//! Redaction: secrets and personal data, found in texts and taken out of bodies.
//!
//! | module | what |
//! |---|---|
//! | [`secrets`] | keys, tokens and passwords in a text, by rules in a file: [`Scanner`] |
//! | `personal` | data that identifies a person (PII): [`PersonalFinder`] |
//! | `body` | secrets taken out of a whole JSON body, fail closed: [`redact_body`] |
//! | `replace` | whatever a [`TextFinder`] finds in a body, replaced: [`replace_found`] |
//! | [`terminal`] | terminal escapes, which can split a secret |
//!
//! There is one way into bodies: `index` lists the strings of a JSON text in one flat scan, with the names that they stand
//! under; each is unescaped, looked at, and spelled again only if there is something to take out. Every other byte stays.
//!
//! ```
//! use tokenforge_redact::{BodyShape, redact_body};
//!
//! let body = br#"{"input": "\u0067hp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "n": 1.0}"#;
//! let redacted = redact_body(body, BodyShape::Unknown, &[])?.unwrap();
//! assert_eq!(redacted, br#"{"input": "[REDACTED:github-token]", "n": 1.0}"#);
//! assert_eq!(redact_body(br#"{"input": "hello"}"#, BodyShape::Unknown, &[])?, None);
//! assert!(redact_body(b"no JSON", BodyShape::Unknown, &[]).is_err());
//! # Ok::<(), tokenforge_redact::Unscannable>(())
//! ```
//!
//! It does no I/O, and takes linear time on any text.

mod body;
mod index;
mod personal;
mod replace;
pub mod secrets;
pub mod terminal;

pub use body::{BodyShape, Unscannable, redact_body, redact_text, redact_what_can_be};
pub use personal::{PersonalFinder, PersonalKind};
pub use replace::{TextFinder, replace_found};
pub use secrets::{EDIT_NOTE, Finding, MARKER_END, MARKER_START, RedactedText, Scanner, marker};
