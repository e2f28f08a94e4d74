//! Tool servers behind `/mcp`, and what is done to their results.

use super::Choice;
use crate::Secret;
use http::Uri;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tokenforge_agents::StructuredContent;
use tokenforge_formats::negotiate::Format;

/// Tool servers, and what is done to their results.
#[derive(Debug, Clone, PartialEq)]
pub struct Mcp {
    /// The servers, by the prefix of their tools' names.
    pub backends: BTreeMap<String, McpBackend>,
    /// What is done for a client, by the name it gives itself.
    pub clients: BTreeMap<String, McpClient>,
    /// What differs for tools, by name; `*` stands for anything.
    pub tools: BTreeMap<String, McpTool>,
    /// Which tools a client is shown.
    pub tool_list: ToolList,
    /// The tools that are shown beside the two with which the others are found and called, by name; `*` stands for
    /// anything.
    pub pinned_tools: Vec<String>,
    /// The form of a text, if the request names none; `None`: as the client's model reads it, and JSON for all others.
    pub format: Option<Format>,
    /// What becomes of structured content, if nothing else says so.
    pub structured: Structured,
    /// The tools whose results are rewritten; none: all of them.
    pub include: Vec<String>,
    /// The tools whose results are not, unless `include` names them.
    pub exclude: Vec<String>,
    /// Texts below this size are left alone.
    pub min_bytes: usize,
    /// Texts above this size are left alone.
    pub max_bytes: usize,
    /// Is all of it only measured?
    pub observe: bool,
    /// Does a result that was rewritten say so in its `_meta`?
    pub metadata: bool,
    /// Where servers that are added at run time are kept.
    pub file: Option<PathBuf>,
}

impl Default for Mcp {
    fn default() -> Self {
        let traits = tokenforge_agents::all().iter().filter_map(|agent| agent.mcp_client.as_ref());
        let clients = traits.filter_map(|client| {
            let structured = Some(Structured::from(client.structured?));
            Some((client.name.clone()?, McpClient { structured, ..McpClient::default() }))
        });
        Mcp {
            backends: BTreeMap::new(),
            clients: clients.collect(),
            tools: BTreeMap::new(),
            tool_list: ToolList::All,
            pinned_tools: Vec::new(),
            format: None,
            structured: Structured::Keep,
            include: Vec::new(),
            exclude: Vec::new(),
            min_bytes: 0,
            max_bytes: 8 << 20,
            observe: false,
            metadata: true,
            file: None,
        }
    }
}

/// A tool server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpBackend {
    /// Where it is.
    pub target: McpTarget,
    /// How long it may be silent while a request waits for it.
    pub timeout: Duration,
    /// How many requests it may have at once.
    pub max_concurrent: usize,
    /// Is it used?
    pub enabled: bool,
    /// What becomes of structured content, for every client.
    pub structured: Option<Structured>,
}

/// Where a tool server is.
#[derive(Debug, Clone, PartialEq)]
pub enum McpTarget {
    /// Behind an address.
    Http {
        /// The address.
        url: Uri,
        /// What every request to it says.
        headers: BTreeMap<String, Secret>,
    },
    /// A program that is started and spoken to over its standard input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment.
        env: BTreeMap<String, Secret>,
        /// The folder it runs in.
        folder: Option<PathBuf>,
    },
}

/// What is done for a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpClient {
    /// The form of its texts.
    pub format: Option<Format>,
    /// What becomes of structured content.
    pub structured: Option<Structured>,
    /// The tools that it sees and may call, by name; `*` stands for anything. `None`: all of them.
    pub tools: Option<Vec<String>>,
}

impl McpClient {
    /// What is known of the agent whose client gives itself this name.
    #[must_use]
    pub fn of_agent(name: &str) -> Self {
        Mcp::default().clients.remove(name).unwrap_or_default()
    }
}

/// Which tools a client is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ToolList {
    /// All that the servers have.
    #[default]
    All,
    /// Two with which it finds and calls the others.
    Search,
}

impl Choice for ToolList {
    const ALL: &'static [Self] = &[Self::All, Self::Search];

    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Search => "search",
        }
    }
}

/// What differs for a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct McpTool {
    /// The form of its texts, no matter which one a request names.
    pub format: Option<Format>,
    /// Texts below this size are left alone.
    pub min_bytes: Option<usize>,
    /// Texts above this size are left alone.
    pub max_bytes: Option<usize>,
}

/// What becomes of the structured content of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Structured {
    /// It stays.
    #[default]
    Keep,
    /// It goes, and so does the schema that promises it.
    Drop,
    /// It stays, and a text that only repeats it points to it.
    Pointer,
}

impl From<StructuredContent> for Structured {
    fn from(content: StructuredContent) -> Self {
        match content {
            StructuredContent::Drop => Self::Drop,
            StructuredContent::Pointer => Self::Pointer,
        }
    }
}

impl Choice for Structured {
    const ALL: &'static [Self] = &[Self::Keep, Self::Drop, Self::Pointer];

    fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Drop => "drop",
            Self::Pointer => "pointer",
        }
    }
}
