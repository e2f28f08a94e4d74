//! What tools do, whatever agents call them.

use serde::Deserialize;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRole {
    /// Runs a command line.
    Shell,
    /// Shows the text of a file.
    Read,
    /// Makes a file.
    Write,
    /// Changes a file.
    Edit,
    /// Searches in files.
    Grep,
    /// Finds files by name.
    Glob,
    /// Lists a folder.
    List,
    /// Reads a web page.
    WebFetch,
    /// Searches the web.
    WebSearch,
    /// Asks another agent.
    Agent,
    /// Keeps the agent's own notes.
    Todo,
    /// Passes the call on to the tool that its arguments name.
    Router,
}
