//! Clients' settings files: read as spans of their text, changed in place, shown as a diff before and put back after.

mod change;
mod document;
mod file;
mod jsonc;
mod splice;
mod toml;

pub(crate) use change::{ChangeConsent, FileChange, carry_out, carry_out_as_json, diff};
pub(crate) use document::{
    FileNotation, NodeValue, SettingsDocument, TextEdits, TextSpan, UnreadableFile, quote_string,
};
pub(crate) use file::{ClientFile, PriorState};
pub(crate) use splice::{cut, insert};
