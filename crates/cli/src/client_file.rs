//! Clients' settings files: read as spans of their text, changed in place, shown as a diff before and put back after.

mod change;
mod document;
mod file;
mod jsonc;
mod splice;
mod toml;

pub(crate) use change::{Change, Consent, carry_out, carry_out_as_json, diff};
pub(crate) use document::{Document, Edits, Notation, Unreadable, Value, Word, quoted};
pub(crate) use file::{Before, ClientFile};
pub(crate) use splice::{cut, insert};
