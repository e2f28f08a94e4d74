//! Which tool is it: the names that agents give their tools, reduced to what the tool does.
//!
//! The names are in the data files of `tokenforge-agents`. A skip list ([`SkipTools`]) speaks of the same kinds.

mod called;
mod names;
mod skip;

pub(crate) use called::CalledTool;
pub use skip::SkipTools;

use tokenforge_agents::ToolRole;

/// What a tool does, whatever its agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolKind {
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

impl ToolKind {
    /// The tool that an agent means by a name.
    ///
    /// ```
    /// use tokenforge_engine::tool::ToolKind;
    ///
    /// assert_eq!(ToolKind::canonical("run_shell_command"), ToolKind::Shell);
    /// assert_eq!(ToolKind::canonical("mcp__filesystem__read_text_file"), ToolKind::Read);
    /// assert_eq!(ToolKind::canonical("mcp__weather__forecast"), ToolKind::Mcp);
    /// assert_eq!(ToolKind::canonical("book_flight"), ToolKind::Other);
    /// ```
    #[must_use]
    pub fn canonical(name: &str) -> Self {
        names::find(name)
    }

    /// The tool that a category of a skip list stands for: `read`, `edit`, `write`, `bash`, `glob`, `grep` and more.
    #[must_use]
    pub fn from_category(category: &str) -> Option<Self> {
        skip::CATEGORIES.iter().find(|(name, _)| *name == category).map(|(_, tool)| *tool)
    }

    /// Is the result the text of a file, which an agent will quote in its next edit and must see byte for byte?
    #[must_use]
    pub fn text_is_exact(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Edit)
    }
}

impl From<ToolRole> for ToolKind {
    fn from(role: ToolRole) -> Self {
        match role {
            ToolRole::Shell => Self::Shell,
            ToolRole::Read => Self::Read,
            ToolRole::Write => Self::Write,
            ToolRole::Edit => Self::Edit,
            ToolRole::Grep => Self::Grep,
            ToolRole::Glob => Self::Glob,
            ToolRole::List => Self::List,
            ToolRole::WebFetch => Self::WebFetch,
            ToolRole::WebSearch => Self::WebSearch,
            ToolRole::Agent => Self::Agent,
            ToolRole::Todo => Self::Todo,
            ToolRole::Router => Self::Router,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agents_name_for_a_tool_is_known() {
        let cases = [
            (
                ToolKind::Shell,
                "Bash bash shell exec_command container.exec run_shell_command execute_bash functions.exec developer__shell",
            ),
            (
                ToolKind::Read,
                "Read read read_file readFile read-file read_files read_many_files view open cat",
            ),
            (ToolKind::Write, "Write write write_file write_to_file create"),
            (
                ToolKind::Edit,
                "Edit edit MultiEdit apply_patch replace replace_in_file str_replace_editor NotebookEdit",
            ),
            (
                ToolKind::Grep,
                "Grep grep rg grep_search grep_files search_file_content search_codebase search_dir list_code_usages",
            ),
            (ToolKind::Glob, "Glob glob find find_file file_search"),
            (ToolKind::List, "LS ls list list_directory list_files list_dir"),
            (ToolKind::WebFetch, "WebFetch webfetch web_fetch fetch_web_content"),
            (ToolKind::WebSearch, "WebSearch web_search google_web_search"),
            (ToolKind::Agent, "Task task Agent invoke_agent"),
            (ToolKind::Todo, "TodoWrite todowrite write_todos update_plan"),
            (
                ToolKind::Other,
                "sql get_reservation_details search_direct_flight list_all_airports update_reservation_flights calculate submit rows",
            ),
        ];
        for (tool, names) in cases {
            for name in names.split(' ') {
                assert_eq!(ToolKind::canonical(name), tool, "{name}");
            }
        }
    }

    #[test]
    fn an_mcp_tool_is_known_by_its_last_part() {
        let cases = [
            ("mcp__filesystem__read_text_file", ToolKind::Read),
            ("mcp__filesystem__list_directory", ToolKind::List),
            ("mcp__filesystem__search_files", ToolKind::Glob),
            ("mcp__fs__edit", ToolKind::Edit),
            ("mcp_filesystem_read_file", ToolKind::Read),
            ("mcp_my_files_read_file", ToolKind::Read),
            ("filesystem_read_text_file", ToolKind::Read),
            ("mcp__linear__list", ToolKind::Mcp),
            ("mcp__browser__open", ToolKind::Mcp),
            ("mcp__linear__create", ToolKind::Mcp),
            ("mcp_diff_both", ToolKind::Mcp),
            ("diff_both", ToolKind::Other),
        ];
        for (name, tool) in cases {
            assert_eq!(ToolKind::canonical(name), tool, "{name}");
        }
    }

    #[test]
    fn only_file_text_is_exact() {
        assert!(
            ToolKind::Read.text_is_exact()
                && ToolKind::Edit.text_is_exact()
                && ToolKind::Write.text_is_exact()
        );
        assert!(!ToolKind::Shell.text_is_exact() && !ToolKind::Grep.text_is_exact());
    }
}
