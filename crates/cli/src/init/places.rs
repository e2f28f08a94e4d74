//! Which file of an agent has our entry.

use crate::hook::Client;
use std::path::PathBuf;

/// Where files of agents are.
pub(crate) struct Folders {
    /// The project's.
    pub(super) here: PathBuf,
    /// The user's folder for settings.
    pub(super) config: PathBuf,
    /// Claude Code's own.
    pub(super) claude: PathBuf,
    /// Where opencode was told to look too.
    pub(super) opencode: Option<PathBuf>,
    /// pi's own.
    pub(super) pi: PathBuf,
}

/// Where an entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everywhere.
    Global,
    /// In one project.
    Project,
}

impl Scope {
    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Scope::Global => "in all projects",
            Scope::Project => "in this project",
        }
    }
}

/// The file that has the entry, whether it is there or not. A project's is never one that it shares with others: the
/// entry names a program on this machine.
pub(super) fn file(client: Client, scope: Scope, folders: &Folders) -> PathBuf {
    let Folders { here, config, claude, opencode, pi } = folders;
    match (client, scope) {
        (Client::Claude, Scope::Global) => claude.join("settings.json"),
        (Client::Claude, Scope::Project) => here.join(".claude/settings.local.json"),
        (Client::Opencode, Scope::Global) => {
            let own = opencode.clone().unwrap_or_else(|| config.join("opencode"));
            own.join("plugins/tokenforge.js")
        }
        (Client::Opencode, Scope::Project) => here.join(".opencode/plugins/tokenforge.js"),
        (Client::Pi, Scope::Global) => pi.join("extensions/tokenforge.ts"),
        (Client::Pi, Scope::Project) => here.join(".pi/extensions/tokenforge.ts"),
    }
}
