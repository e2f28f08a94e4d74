//! Which tool is it: the names that agents give their tools, reduced to what the tool does.
//!
//! The names are in `tools.toml`. A skip list ([`SkipTools`]) speaks of the same kinds.

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// What a tool does, whatever its agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tool {
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
    /// Another agent's report.
    Agent,
    /// The agent's own notes.
    Todo,
    /// Passes the call on to the tool that its arguments name.
    Router,
    /// A tool of an MCP server that is none of the above.
    Mcp,
    /// None of the above.
    Other,
}

impl Tool {
    /// The tool that an agent means by a name.
    ///
    /// ```
    /// use tokenforge_compress::tool::Tool;
    ///
    /// assert_eq!(Tool::canonical("run_shell_command"), Tool::Shell);
    /// assert_eq!(Tool::canonical("mcp__filesystem__read_text_file"), Tool::Read);
    /// assert_eq!(Tool::canonical("mcp__weather__forecast"), Tool::Mcp);
    /// assert_eq!(Tool::canonical("book_flight"), Tool::Other);
    /// ```
    #[must_use]
    pub fn canonical(name: &str) -> Self {
        if name.len() > LONGEST_NAME {
            return Self::Other;
        }
        if let Some(server_and_tool) = strip_mcp(name) {
            return mcp_tool(server_and_tool);
        }
        let last = name.rsplit(['.', '/']).next().unwrap_or(name);
        NAMES
            .own(name)
            .or_else(|| NAMES.own(last))
            .or_else(|| prefixed(last))
            .unwrap_or(Self::Other)
    }

    /// The tool that a category of a skip list stands for: `read`, `edit`, `write`, `bash`, `glob`, `grep` and more.
    #[must_use]
    pub fn from_category(category: &str) -> Option<Self> {
        CATEGORIES.iter().find(|(name, _)| *name == category).map(|(_, tool)| *tool)
    }

    /// Is the result the text of a file, which an agent will quote in its next edit and must see byte for byte?
    #[must_use]
    pub fn text_is_exact(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Edit)
    }
}

/// The tools whose results must not be changed.
///
/// ```
/// use tokenforge_compress::tool::SkipTools;
///
/// let skip = SkipTools::parse(["read", "get_invoice"]);
/// assert!(skip.contains("read_file"));
/// assert!(skip.contains("get_invoice"));
/// assert!(!skip.contains("Bash"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipTools {
    tools: Vec<Tool>,
    names: Vec<String>,
}

impl SkipTools {
    /// Reads a list. An entry is a category, which covers the names of all agents, or else the exact name of a tool.
    pub fn parse<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Self {
        let mut skip = Self::default();
        for entry in entries {
            let entry = entry.as_ref().trim();
            match Tool::from_category(entry) {
                Some(tool) => skip.tools.push(tool),
                None if entry.is_empty() => {}
                None => skip.names.push(entry.to_owned()),
            }
        }
        skip
    }

    /// Is a tool of this name on the list?
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.covers(name, Tool::canonical(name))
    }

    /// Like [`contains`](Self::contains), where the arguments of the call said more about the tool than its name.
    #[must_use]
    pub fn covers(&self, name: &str, tool: Tool) -> bool {
        self.tools.contains(&tool) || self.names.iter().any(|listed| listed == name)
    }
}

/// What a skip list may call a tool. The first six are the documented ones.
const CATEGORIES: &[(&str, Tool)] = &[
    ("read", Tool::Read),
    ("edit", Tool::Edit),
    ("write", Tool::Write),
    ("bash", Tool::Shell),
    ("glob", Tool::Glob),
    ("grep", Tool::Grep),
    ("shell", Tool::Shell),
    ("list", Tool::List),
    ("web_fetch", Tool::WebFetch),
    ("web_search", Tool::WebSearch),
    ("agent", Tool::Agent),
    ("todo", Tool::Todo),
    ("mcp", Tool::Mcp),
];
const DOCUMENTED_CATEGORIES: usize = 6;

/// No tool has a longer name; providers allow 64 to 128 characters.
const LONGEST_NAME: usize = 256;

static NAMES: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("tools.toml")));

#[derive(Debug, Default)]
struct Names {
    own: HashMap<String, Tool>,
    mcp: HashMap<String, Tool>,
}

impl Names {
    fn read(data: &str) -> Self {
        let tools: BTreeMap<Tool, BTreeMap<String, Vec<String>>> =
            toml::from_str(data).unwrap_or_default();
        let mut names = Self::default();
        for (tool, agents) in tools {
            for (agent, listed) in agents {
                let map = if agent == "mcp" { &mut names.mcp } else { &mut names.own };
                map.extend(listed.iter().map(|name| (squashed(name), tool)));
            }
        }
        names
    }

    fn own(&self, name: &str) -> Option<Tool> {
        self.own.get(&squashed(name)).copied()
    }

    /// One word of a foreign server may mean anything (`list`, `open`); two say what is meant.
    fn foreign(&self, name: &str) -> Option<Tool> {
        if let Some(tool) = self.mcp.get(&squashed(name)) {
            return Some(*tool);
        }
        let documented = &CATEGORIES[..DOCUMENTED_CATEGORIES];
        match documented.iter().find(|(category, _)| *category == name) {
            Some((_, tool)) => Some(*tool),
            None if has_two_words(name) => self.own(name),
            None => None,
        }
    }
}

/// `mcp__server__tool` of Claude Code and Codex, `mcp_server_tool` of Gemini: what follows the first mark.
fn strip_mcp(name: &str) -> Option<&str> {
    name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_"))
}

fn mcp_tool(server_and_tool: &str) -> Tool {
    let known = match server_and_tool.rsplit_once("__") {
        Some((_, tool)) => NAMES.foreign(tool),
        // Where the server's name ends is not marked, and it may hold an underscore itself.
        None => after_each_mark(server_and_tool).take(2).find_map(|tool| NAMES.foreign(tool)),
    };
    known.unwrap_or(Tool::Mcp)
}

/// `server_tool` of opencode and `server__tool` of Goose look like any other name: only what is known counts.
fn prefixed(name: &str) -> Option<Tool> {
    match name.rsplit_once("__") {
        Some((_, tool)) => NAMES.foreign(tool).or_else(|| NAMES.own(tool)),
        None => {
            let tool = after_each_mark(name).next()?;
            has_two_words(tool).then(|| NAMES.foreign(tool)).flatten()
        }
    }
}

/// What follows the first underscore, the second, and so on.
fn after_each_mark(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('_').map(|(at, _)| &name[at + 1..])
}

fn has_two_words(name: &str) -> bool {
    let inside = name.as_bytes().get(1..).unwrap_or_default();
    inside.iter().any(|byte| matches!(byte, b'_' | b'-') || byte.is_ascii_uppercase())
}

fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_read_whole() {
        let tools: BTreeMap<Tool, BTreeMap<String, Vec<String>>> =
            toml::from_str(include_str!("tools.toml")).unwrap();
        assert_eq!(tools.len(), 12);
        let mut seen = HashMap::new();
        for (tool, agents) in &tools {
            for (agent, names) in agents {
                for name in names {
                    let earlier = seen.insert((agent == "mcp", squashed(name)), *tool);
                    assert!(
                        earlier.is_none_or(|earlier| earlier == *tool),
                        "{name}: {earlier:?}, {tool:?}"
                    );
                    if agent != "mcp" {
                        assert_eq!(Tool::canonical(name), *tool, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_agents_name_for_a_tool_is_known() {
        let cases = [
            (
                Tool::Shell,
                "Bash bash shell exec_command container.exec run_shell_command execute_bash functions.exec developer__shell",
            ),
            (
                Tool::Read,
                "Read read read_file readFile read-file read_files read_many_files view open cat",
            ),
            (Tool::Write, "Write write write_file write_to_file create"),
            (
                Tool::Edit,
                "Edit edit MultiEdit apply_patch replace replace_in_file str_replace_editor NotebookEdit",
            ),
            (Tool::Grep, "Grep grep rg grep_search search_file_content search_codebase search_dir"),
            (Tool::Glob, "Glob glob find_file file_search"),
            (Tool::List, "LS ls list list_directory list_files list_dir"),
            (Tool::WebFetch, "WebFetch webfetch web_fetch fetch_web_content"),
            (Tool::WebSearch, "WebSearch web_search google_web_search"),
            (Tool::Agent, "Task task Agent invoke_agent"),
            (Tool::Todo, "TodoWrite todowrite write_todos update_plan"),
            (
                Tool::Other,
                "sql get_reservation_details search_direct_flight list_all_airports update_reservation_flights calculate submit rows",
            ),
        ];
        for (tool, names) in cases {
            for name in names.split(' ') {
                assert_eq!(Tool::canonical(name), tool, "{name}");
            }
        }
    }

    #[test]
    fn an_mcp_tool_is_known_by_its_last_part() {
        let cases = [
            ("mcp__filesystem__read_text_file", Tool::Read),
            ("mcp__filesystem__list_directory", Tool::List),
            ("mcp__filesystem__search_files", Tool::Glob),
            ("mcp__fs__edit", Tool::Edit),
            ("mcp_filesystem_read_file", Tool::Read),
            ("mcp_my_files_read_file", Tool::Read),
            ("filesystem_read_text_file", Tool::Read),
            ("mcp__linear__list", Tool::Mcp),
            ("mcp__browser__open", Tool::Mcp),
            ("mcp__linear__create", Tool::Mcp),
            ("mcp_diff_both", Tool::Mcp),
            ("diff_both", Tool::Other),
        ];
        for (name, tool) in cases {
            assert_eq!(Tool::canonical(name), tool, "{name}");
        }
    }

    #[test]
    fn c10_a_category_covers_the_names_of_all_agents() {
        let skip = SkipTools::parse(["read", " bash "]);
        for name in ["Read", "read_file", "view", "mcp__fs__read_text_file", "Bash", "exec_command"]
        {
            assert!(skip.contains(name), "{name}");
        }
        for name in ["Edit", "grep", "mcp__weather__forecast"] {
            assert!(!skip.contains(name), "{name}");
        }
    }

    #[test]
    fn c10_what_is_no_category_is_an_exact_name() {
        let skip = SkipTools::parse(["Bash", "mcp__weather__forecast", ""]);
        assert!(skip.contains("Bash") && skip.contains("mcp__weather__forecast"));
        assert!(!skip.contains("bash") && !skip.contains("shell") && !skip.contains(""));
    }

    #[test]
    fn c10_the_six_documented_categories_are_known() {
        for category in ["read", "edit", "write", "bash", "glob", "grep"] {
            assert!(Tool::from_category(category).is_some(), "{category}");
        }
        assert_eq!(Tool::from_category("Read"), None);
    }

    #[test]
    fn only_file_text_is_exact() {
        assert!(
            Tool::Read.text_is_exact() && Tool::Edit.text_is_exact() && Tool::Write.text_is_exact()
        );
        assert!(!Tool::Shell.text_is_exact() && !Tool::Grep.text_is_exact());
    }
}
