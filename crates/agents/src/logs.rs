//! Session logs: where an agent records what was said, and how.

use crate::PathTemplate;
use serde::Deserialize;

/// Where an agent keeps its sessions, and which reader they are for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionLogs {
    /// How they are written.
    pub format: LogFormat,
    /// The folder that they are below.
    pub folder: PathTemplate,
    /// Where other sessions are, for which there is no reader.
    pub unread: Option<UnreadLogs>,
}

/// Sessions for which there is no reader.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnreadLogs {
    /// The file that they are in.
    pub file: PathTemplate,
    /// What is said if it is there.
    pub note: String,
}

/// How sessions are written; each has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// Lines of JSON, one for each message: Claude Code.
    ClaudeCode,
    /// A rollout of items, one a line: Codex.
    Codex,
    /// A folder with a file for each message: opencode.
    Opencode,
}
