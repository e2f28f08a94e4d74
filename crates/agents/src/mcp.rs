//! An agent as a client of MCP servers: where it lists them, and what it does with their results.

use crate::PathTemplate;
use serde::Deserialize;

/// Where an agent keeps the list of its MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServerFiles {
    /// The files, the project's first; not all need be there.
    pub files: Vec<PathTemplate>,
    /// The keys that lead to a table of servers by name; `*` is any key.
    pub keys: Vec<Vec<String>>,
}

/// What an agent does with the results of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpClientTraits {
    /// What the name begins with that it gives itself (`clientInfo.name`); what follows begins with a dash.
    pub name_prefix: String,
    /// The whole name, where that is known.
    pub name: Option<String>,
    /// The form in which its model is to be shown texts.
    pub text: TextForm,
    /// What becomes of structured content for the agent of this `name`.
    pub structured: Option<StructuredContent>,
}

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextForm {
    /// Whichever has the fewest tokens: a model reads it.
    Auto,
    /// As servers write it: the agent itself may read it.
    Json,
}

/// What becomes of the structured copy of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StructuredContent {
    /// It goes: the agent shows its model this copy, which is not made smaller.
    Drop,
    /// The text points to it: the agent shows its model both.
    Pointer,
}
