//! All that is known of coding agents (Claude Code, Codex, opencode and others): one data file for each, in `data/`.
//!
//! An [`Agent`] says what its tools are called and what they do, what it puts around their outputs, how it is given a base
//! URL, where its settings, hooks, session logs and MCP servers are, how it names its session, and how a request is told
//! that is paid for with a subscription. The other crates take from it what they need; they know no agent by name. An
//! agent that behaves like a known one is one more file here, and a line in `registry.rs`.
//!
//! ```
//! let claude = tokenforge_agents::find("claude").unwrap();
//! assert_eq!(claude.name, "Claude Code");
//! assert_eq!(claude.tools[&tokenforge_agents::ToolRole::Grep], ["Grep"]);
//!
//! let home = |variable: &str| (variable == "HOME").then(|| "/home/me".into());
//! let hook = claude.hook.as_ref().unwrap();
//! assert_eq!(hook.global.resolve(&home).unwrap(), std::path::Path::new("/home/me/.claude/settings.json"));
//! ```
//!
//! Behaviour stays code, in the crate that has it, and is selected by what a file says: a wrapper that has to be parsed
//! ([`OutputWrapper`]), a way to pass a base URL ([`BaseUrl`]), a format of logs ([`LogFormat`]), a kind of hook
//! ([`HookEntry`]).
//!
//! Nothing here does I/O or reads the environment: a [`PathTemplate`] is resolved with the variables that it is given.

mod agent;
mod base_url;
mod common;
mod hook;
mod local_shell;
mod logs;
mod mcp;
mod mcp_tool_name;
mod output;
mod path_template;
mod probe;
mod registry;
mod setup;
mod subscription;
mod tool_switch;
mod tools;

pub use agent::Agent;
pub use base_url::{BaseUrl, JsonAddress, Provider};
pub use common::{CommonData, SdkDialect};
pub use hook::{HookEntry, HookSupport};
pub use local_shell::{LocalShell, ShellSetting, ShellSign};
pub use logs::{LogFormat, SessionLogs, UnreadLogs};
pub use mcp::{McpClientTraits, McpServerFiles, StructuredContent, TextForm};
pub use mcp_tool_name::McpToolName;
pub use output::{LineEdges, OutputEdges, OutputWrapper, TaggedOutput};
pub use path_template::PathTemplate;
pub use probe::{AgentProbe, ProbeToolServer};
pub use registry::{all, common, find, mcp_tool, of_client};
pub use setup::{OwnAddress, RequiredLogin, SetupSupport};
pub use subscription::SubscriptionSigns;
pub use tool_switch::{ToolSwitch, ToolSwitches};
pub use tools::ToolRole;
