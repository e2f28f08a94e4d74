//! The hook's protocol: what is asked about a tool result, and what is answered, between an agent's plugin and the hook,
//! and between the hook and a gateway.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The texts of a result, and the call that it answers.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HookQuestion {
    /// Of the program that asks: another one may mean something else.
    pub(crate) version: String,
    /// The agent, as it calls itself.
    pub(crate) client: String,
    /// The tool, as the agent calls it.
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Did the tool say that it failed?
    pub(crate) is_error: bool,
    /// The folder that the agent works in.
    pub(crate) project: Option<String>,
    /// What the agent calls its session.
    pub(crate) session: Option<String>,
    /// Can the model run `tokenforge expand`?
    pub(crate) can_expand: bool,
    /// How many bytes of a text the agent itself would show, if it cut them.
    pub(crate) shown_bytes: Option<usize>,
    pub(crate) texts: Vec<String>,
}

/// What to show instead of each text; `None`: it stays as it is.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HookAnswer {
    pub(crate) texts: Vec<Option<String>>,
}
