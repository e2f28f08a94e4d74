//! Tool switches: the settings in which an agent is told not to offer a tool to its model.

use crate::PathTemplate;
use serde::Deserialize;

/// Where an agent can be told not to offer tools. What its documentation does not name is left out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSwitches {
    /// Its settings for all projects: the first of these that is there.
    pub files: Vec<PathTemplate>,
    /// For a tool of its own.
    pub tool: Option<ToolSwitch>,
    /// For a tool of an MCP server.
    pub server_tool: Option<ToolSwitch>,
    /// For all tools of an MCP server.
    pub server: Option<ToolSwitch>,
    /// A key whose rule for all tools would go before the switch for one.
    pub overruled_by: Option<String>,
}

/// A setting that switches something off. `{name}` stands for the tool as its model knows it, `{server}` and `{tool}` for
/// the parts of that.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolSwitch {
    /// A list with the names of what is off.
    Listed {
        /// The key of the list.
        key: Vec<String>,
        /// How it is named there.
        name: String,
    },
    /// A key that has this value.
    Set {
        /// The key.
        key: Vec<String>,
        /// The value that switches it off.
        to: bool,
    },
}
