//! Secrets in text, found and replaced by a marker that says what was there.
//!
//! ```
//! use tokenforge_redact::Scanner;
//!
//! let scanner = Scanner::builtin();
//! let text = "DATABASE_URL=postgres://app:t1ger-Lily@db/orders";
//! let redacted = scanner.redact(text).unwrap();
//! assert_eq!(redacted.text, "DATABASE_URL=postgres://app:[REDACTED:postgres-password]@db/orders");
//! assert!(scanner.redact(&redacted.text).is_none());
//! assert!(scanner.redact("fn password(token: &Token) -> Secret").is_none());
//! ```
//!
//! A secret shows itself in one of four ways, and each has its file and its table in `rules.toml`:
//!
//! | way | file | example |
//! |---|---|---|
//! | by its own form | `tokens` | `ghp_` and 36 letters and digits |
//! | by the name it is given | `assigned`, `assignment` | `DD_API_KEY=`, `"password": ` |
//! | by its place in a URL | `urls` | `postgres://user:HERE@host` |
//! | by the lines around it | `blocks` | `-----BEGIN PRIVATE KEY-----` |
//!
//! No rule is looked for in a text. `spots` passes over it once, sixteen bytes at a time, and stops at two things
//! only: a long run of letters and digits, as every token has, and pairs of letters that words like *token* and
//! *password* contain. What is at such a spot is checked with a few comparisons; the pattern of a rule is compiled
//! when something first gets that far, and runs on a bounded piece of the text. So the cost of clean text does not
//! depend on the number of rules, and that of any text is linear.
//!
//! False alarms would destroy what an agent is to edit. A form of its own is believed; a name alone is not: the
//! value must be quoted or stand as in a settings file, and look drawn at random (`randomness`); one that is labelled as a
//! hash (`digest`) is none.

mod assigned;
mod assignment;
mod blocks;
mod digest;
mod finding;
mod marker;
mod randomness;
mod rules;
mod scanner;
mod spots;
mod tokens;
mod urls;

pub use finding::Finding;
pub use marker::{EDIT_NOTE, MARKER_END, MARKER_START, marker};
pub use scanner::{RedactedText, Scanner};
