//! The data files, read once.

use crate::{Agent, CommonData};
use std::sync::LazyLock;

/// The files, in the order in which commands list agents.
const FILES: &[&str] = &[
    include_str!("../data/claude-code.toml"),
    include_str!("../data/cursor.toml"),
    include_str!("../data/vscode.toml"),
    include_str!("../data/codex.toml"),
    include_str!("../data/gemini-cli.toml"),
    include_str!("../data/opencode.toml"),
    include_str!("../data/copilot.toml"),
    include_str!("../data/qwen-code.toml"),
    include_str!("../data/cline.toml"),
    include_str!("../data/pi.toml"),
    include_str!("../data/aider.toml"),
    include_str!("../data/openhands.toml"),
    include_str!("../data/swe-agent.toml"),
];

const COMMON: &str = include_str!("../data/common.toml");

/// Plugins that agents load, by the names under which their files mention them.
const PLUGINS: &[(&str, &str)] = &[
    ("opencode.js", include_str!("../data/opencode.js")),
    ("pi.ts", include_str!("../data/pi.ts")),
];

// A test checks that each file can be read, because there is no caller here to return an error to.
static AGENTS: LazyLock<Vec<Agent>> =
    LazyLock::new(|| FILES.iter().filter_map(|text| toml::from_str(text).ok()).collect());

static SHARED: LazyLock<CommonData> = LazyLock::new(|| toml::from_str(COMMON).unwrap_or_default());

/// All agents that are known.
#[must_use]
pub fn all() -> &'static [Agent] {
    &AGENTS
}

/// The agent that commands call this.
#[must_use]
pub fn find(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == id)
}

/// The agent that calls itself this before providers, or that commands call this.
#[must_use]
pub fn of_client(name: &str) -> Option<&'static Agent> {
    let is_it = |agent: &&Agent| agent.user_agent.as_deref() == Some(name) || agent.id == name;
    AGENTS.iter().find(is_it)
}

/// The MCP server and the tool of it that a client means by a name, if it is the name of one.
#[must_use]
pub fn mcp_tool<'n>(client: Option<&str>, name: &'n str) -> Option<(&'n str, &'n str)> {
    let pattern = match client.and_then(of_client) {
        Some(agent) => agent.mcp_tool_name.as_ref(),
        None => common().mcp_tool_name.as_ref(),
    };
    pattern?.split(name)
}

/// What belongs to no agent in particular.
#[must_use]
pub fn common() -> &'static CommonData {
    &SHARED
}

/// The code of a plugin.
pub(crate) fn plugin_source(name: &str) -> Option<&'static str> {
    PLUGINS.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

#[cfg(test)]
mod tests;
