//! Hooks: how an agent runs a command of ours for every tool result, and shows its model what that prints.

use crate::PathTemplate;
use serde::Deserialize;

/// Where an agent is told to run a hook, and how.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookSupport {
    /// The file that has the entry for all projects.
    pub global: PathTemplate,
    /// The file that has it for one. Never one that a project shares: the entry names a program on this machine.
    pub project: PathTemplate,
    /// What the entry is.
    pub entry: HookEntry,
}

/// What has an agent run a hook.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEntry {
    /// As in Claude Code: a command in its settings, for the tools that this pattern matches.
    PostToolUse(String),
    /// A file of code that is ours from its first line to its last: the text of it, by its name in `data/`.
    PluginFile(String),
}

impl HookEntry {
    /// The code of a plugin, with `"@PROGRAM@"` for the program that it runs.
    #[must_use]
    pub fn plugin_source(&self) -> Option<&'static str> {
        match self {
            Self::PluginFile(name) => crate::registry::plugin_source(name),
            Self::PostToolUse(_) => None,
        }
    }
}
