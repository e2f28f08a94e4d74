//! Agents that load a file of code: it is ours from its first line to its last.

use crate::client_file::{Before, quoted};
use crate::hook::Client;

/// What stands for the path of this program.
const PROGRAM: &str = "\"@PROGRAM@\"";

/// What the line begins with that has it.
const NAMED: &str = "const program = ";

/// The file for an agent, which starts this program.
pub(super) fn source(client: Client, program: &str) -> String {
    template(client).replace(PROGRAM, &quoted(program))
}

/// What is left of the file when what is ours is gone. `None`: it is not ours.
pub(super) fn removed(client: Client, text: &str, before: Option<&Before>) -> Option<Before> {
    is_installed(client, text).then(|| before.cloned().unwrap_or(Before::Nothing { folders: 0 }))
}

/// The program that the file starts, if that can be told.
pub(super) fn program(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix(NAMED))?;
    serde_json::from_str(named).ok()
}

/// Is our file another than we wrote, but for the path of the program?
pub(super) fn is_changed(client: Client, text: &str) -> bool {
    let without_program = |text: &str| -> String {
        let lines = text.lines().filter(|line| !line.starts_with(NAMED));
        lines.collect::<Vec<_>>().join("\n")
    };
    without_program(text) != without_program(template(client))
}

/// Is this our file, for whatever program, and however it was changed since?
pub(super) fn is_installed(client: Client, text: &str) -> bool {
    text.lines().next() == template(client).lines().next()
}

fn template(client: Client) -> &'static str {
    match client {
        Client::Opencode => include_str!("opencode.js"),
        Client::Pi => include_str!("pi.ts"),
        // It has no such file: see `claude.rs`.
        Client::Claude => "",
    }
}
