//! Clients' settings files: read as spans of their text, changed in place, shown as a diff before and put back after.

mod change;
mod document;
mod file;
mod jsonc;
mod splice;
mod toml;

pub(crate) use change::{FileChange, ChangeConsent, carry_out, carry_out_as_json, diff};
pub(crate) use document::{SettingsDocument, TextEdits, FileNotation, UnreadableFile, NodeValue, TextSpan, quote_string};
pub(crate) use file::{PriorState, ClientFile};
pub(crate) use splice::{cut, insert};
