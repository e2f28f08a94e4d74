//! One agent, as its data file describes it.

use crate::{
    AgentProbe, BaseUrl, HookSupport, LocalShell, McpClientTraits, McpServerFiles, McpToolName,
    OutputEdges, PathTemplate, SessionLogs, SetupSupport, SubscriptionSigns, ToolRole,
    ToolSwitches,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A coding agent. What a file leaves out is not known of it, or it does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// What commands call it; of one that is started on a command line, the name of its program.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it calls itself before providers: the name in its `User-Agent`.
    pub user_agent: Option<String>,
    /// Headers in which it names its session to providers, the most exact first.
    #[serde(default)]
    pub session_headers: Vec<String>,
    /// The settings file in which its login or the address of its provider is.
    pub settings: Option<PathTemplate>,
    /// What it calls its shell, where that is sure.
    pub shell: Option<String>,
    /// Its shell runs commands on this machine, outside any sandbox and unasked, unless something says otherwise.
    pub local_shell: Option<LocalShell>,
    /// Why that is not so, or not known.
    pub local_shell_refused: Option<String>,
    /// The names of its tools, by what the tools do.
    #[serde(default)]
    pub tools: BTreeMap<ToolRole, Vec<String>>,
    /// What it puts around the outputs of its tools.
    #[serde(default)]
    pub output: OutputEdges,
    /// All the ways in which it must be given a base URL. None: it cannot be told when it is started.
    #[serde(default)]
    pub base_url: Vec<BaseUrl>,
    /// How `tokenforge setup` takes it on.
    pub setup: Option<SetupSupport>,
    /// Why `tokenforge setup` cannot take it on, though it can be given a base URL.
    pub setup_refused: Option<String>,
    /// The version that was last seen to work, by tests with the program itself.
    pub tested: Option<String>,
    /// How it is tried without a person.
    pub probe: Option<AgentProbe>,
    /// How it runs a hook that may change tool results.
    pub hook: Option<HookSupport>,
    /// Where it keeps its sessions.
    pub logs: Option<SessionLogs>,
    /// Where it keeps the list of its MCP servers.
    pub mcp_servers: Option<McpServerFiles>,
    /// What it is like as a client of MCP servers.
    pub mcp_client: Option<McpClientTraits>,
    /// What it calls their tools before its model, where that tells them from its own.
    pub mcp_tool_name: Option<McpToolName>,
    /// Where it can be told not to offer a tool to its model.
    pub tool_switches: Option<ToolSwitches>,
    /// How its requests are told that are paid for with a subscription.
    #[serde(default)]
    pub subscription: SubscriptionSigns,
}

impl Agent {
    /// Can it be given a base URL when it is started?
    #[must_use]
    pub fn can_be_wrapped(&self) -> bool {
        !self.base_url.is_empty()
    }

    /// Is this what its requests, and no others of programs that it starts, say that they come from?
    #[must_use]
    pub fn is_called(&self, user_agent: &str) -> bool {
        let others = self.local_shell.iter().flat_map(|shell| &shell.user_agents);
        self.user_agent.iter().chain(others).any(|name| name == user_agent)
    }
}
