//! What belongs to no agent in particular: names of tools that many use, and the variables that SDKs read.

use crate::{BaseUrl, McpToolName, ToolRole};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What belongs to no agent in particular.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommonData {
    /// Names of tools of agents that have no file of their own.
    pub tools: BTreeMap<ToolRole, Vec<String>>,
    /// Names that count only in tools of MCP servers, and there win over the others.
    pub mcp_tools: BTreeMap<ToolRole, Vec<String>>,
    /// What the tools of MCP servers are called by an agent of which that is not known.
    pub mcp_tool_name: Option<McpToolName>,
    /// What a program listens to that is not known, if it is said whose requests it makes.
    pub dialects: Vec<SdkDialect>,
}

/// The requests of one provider, and the variables in which its SDKs look for a base URL.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdkDialect {
    /// What `tokenforge wrap --dialect` calls it.
    pub id: String,
    /// The variables.
    pub base_url: Vec<BaseUrl>,
}
