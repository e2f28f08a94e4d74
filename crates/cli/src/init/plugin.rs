//! Agents that load a file of code: it is ours from its first line to its last.

use crate::client_file::{PriorState, quote_string};
use tokenforge_agents::HookEntry;

/// What stands for the path of this program.
const PROGRAM: &str = "\"@PROGRAM@\"";

/// What the line begins with that has it.
const NAMED: &str = "const program = ";

/// The file for an agent, which starts this program.
pub(super) fn source(entry: &HookEntry, program: &str) -> String {
    template(entry).replace(PROGRAM, &quote_string(program))
}

/// What is left of the file when what is ours is gone. `None`: it is not ours.
pub(super) fn remove(
    entry: &HookEntry,
    text: &str,
    before: Option<&PriorState>,
) -> Option<PriorState> {
    is_installed(entry, text).then(|| before.cloned().unwrap_or(PriorState::Nothing { folders: 0 }))
}

/// The program that the file starts, if that can be told.
pub(super) fn program(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix(NAMED))?;
    serde_json::from_str(named).ok()
}

/// Is our file another than we wrote, but for the path of the program?
pub(super) fn is_changed(entry: &HookEntry, text: &str) -> bool {
    let without_program = |text: &str| -> String {
        let lines = text.lines().filter(|line| !line.starts_with(NAMED));
        lines.collect::<Vec<_>>().join("\n")
    };
    without_program(text) != without_program(template(entry))
}

/// Is this our file, for whatever program, and however it was changed since?
pub(super) fn is_installed(entry: &HookEntry, text: &str) -> bool {
    text.lines().next() == template(entry).lines().next()
}

/// Nothing of an agent that has no such file: see `claude.rs`.
fn template(entry: &HookEntry) -> &'static str {
    entry.plugin_source().unwrap_or_default()
}
