//! What is known about an output beside its text: the tool, the command it ran, and whether it failed.

use crate::command::{CommandLine, is_log};
use crate::reference::{EXPAND_COMMAND, EXPAND_TOOL};
use crate::stages::html::PageOrigin;
use crate::tool::ToolKind;
use serde_json::Value;

/// The call that an output answers.
///
/// ```
/// use tokenforge_engine::context::CallContext;
/// use tokenforge_engine::tool::ToolKind;
///
/// let context = CallContext::new("Bash", r#"{"command":"cd web && npm test"}"#, false);
/// assert_eq!(context.tool, ToolKind::Shell);
/// assert!(context.command.unwrap().main().unwrap().command.is("npm test"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallContext {
    /// The name as the agent gave it.
    pub tool_name: String,
    /// What the tool does.
    pub tool: ToolKind,
    /// The command line, where a shell ran one that is understood.
    pub command: Option<CommandLine>,
    /// Was a search asked for the lines around its matches?
    pub has_context_lines: bool,
    /// Did the client mark the result as an error?
    pub is_error: bool,
    /// If the output is a web page: whose?
    pub(crate) page_origin: PageOrigin,
}

impl CallContext {
    /// Reads a call: the tool's name and its arguments as JSON text (or as the free text that some tools take).
    #[must_use]
    pub fn new(tool_name: &str, arguments: &str, is_error: bool) -> Self {
        let tool = match ToolKind::canonical(tool_name) {
            ToolKind::Router => RoutedCall::read(arguments).kind(),
            ToolKind::Edit if is_view(arguments) => ToolKind::Read,
            tool => tool,
        };
        let command = CommandLine::from_arguments(tool, arguments);
        let has_context_lines = tool == ToolKind::Grep && asks_for_context(arguments);
        let page_origin = PageOrigin::of_call(tool, arguments, command.as_ref());
        let tool_name = tool_name.to_owned();
        Self { tool_name, tool, command, has_context_lines, is_error, page_origin }
    }

    /// Is the output an original that was asked for, by the tool or by the command that fetches one back? To shorten it
    /// again would send the asker round in circles.
    ///
    /// ```
    /// # use tokenforge_engine::context::CallContext;
    /// let context = CallContext::new("Bash", r#"{"command":"tokenforge expand shadow_x | head"}"#, false);
    /// assert!(context.is_expansion());
    /// ```
    #[must_use]
    pub fn is_expansion(&self) -> bool {
        let expands =
            |command: &CommandLine| command.all().any(|main| main.command.is(EXPAND_COMMAND));
        let is_tool = |name: &str| {
            let own = name.strip_suffix(EXPAND_TOOL);
            own.is_some_and(|server| server.is_empty() || server.ends_with(['_', '.', '/', ':']))
        };
        is_tool(&self.tool_name) || self.command.as_ref().is_some_and(expands)
    }

    /// Is the output text of files, which has to stay byte for byte as it is?
    #[must_use]
    pub fn is_file_text(&self) -> bool {
        self.tool.text_is_exact() || self.shows_file_text()
    }

    /// Is it text of files that a shell or a search printed?
    pub(crate) fn shows_file_text(&self) -> bool {
        self.has_context_lines || self.command.as_ref().is_some_and(CommandLine::reads_file)
    }
}

/// The call that a tool passes on ([`ToolKind::Router`]), as its arguments name it.
pub(crate) struct RoutedCall {
    server: Option<String>,
    tool: Option<String>,
}

impl RoutedCall {
    pub(crate) fn read(arguments: &str) -> Self {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let first =
            |keys: &[&str]| keys.iter().find_map(|key| arguments[*key].as_str()).map(str::to_owned);
        RoutedCall {
            server: first(&["server_name", "server"]),
            tool: first(&["tool_name", "tool", "name"]),
        }
    }

    /// The kind of the tool that is called in the end.
    fn kind(&self) -> ToolKind {
        match self.tool.as_deref().map(ToolKind::canonical) {
            Some(ToolKind::Router | ToolKind::Other) | None => ToolKind::Mcp,
            Some(tool) => tool,
        }
    }

    /// A name that no call to another tool has, with that of the tool that passes the call on.
    pub(crate) fn spell(&self, router: &str) -> String {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        [router, &part(&self.server), &part(&self.tool)].join("\0")
    }
}

/// Does a search, by its arguments, print the lines around its matches in files that are no logs?
fn asks_for_context(arguments: &str) -> bool {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let is_log = arguments["path"].as_str().is_some_and(is_log);
    let is_asked = |key: &&str| {
        let value = &arguments[*key];
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).is_some_and(|lines| lines > 0)
    };
    !is_log && CONTEXT_ARGUMENTS.iter().any(is_asked)
}

/// What search tools call the number of lines around a match.
const CONTEXT_ARGUMENTS: [&str; 9] = [
    "-A",
    "-B",
    "-C",
    "context",
    "context_lines",
    "contextLines",
    "after_context",
    "before_context",
    "lines_around",
];

/// The editors of SWE-agent, OpenHands and Anthropic's own tool also show files: `{"command": "view"}`.
fn is_view(arguments: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Arguments {
        command: String,
    }
    serde_json::from_str(arguments).is_ok_and(|Arguments { command }| command == "view")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_that_views_is_a_read() {
        let view =
            CallContext::new("str_replace_editor", r#"{"command":"view","path":"a.rs"}"#, false);
        let edit = CallContext::new("str_replace_editor", r#"{"command":"str_replace"}"#, false);
        assert_eq!((view.tool, edit.tool), (ToolKind::Read, ToolKind::Edit));
        assert_eq!(view.command, None);
    }

    #[test]
    fn a_call_that_is_passed_on_is_the_tool_it_names() {
        let tool = |arguments: &str| CallContext::new("execute-tool", arguments, false).tool;
        assert_eq!(
            tool(r#"{"server_name":"fs","tool_name":"read_file","params":{}}"#),
            ToolKind::Read
        );
        assert_eq!(tool(r#"{"tool_name":"search_wikipedia"}"#), ToolKind::Mcp);
        assert_eq!(tool("not json"), ToolKind::Mcp);
        let shell = r#"{"tool_name":"execute_command","params":{"command":"ls"}}"#;
        assert!(CallContext::new("execute-tool", shell, false).command.is_some());
    }

    #[test]
    fn l4_what_was_fetched_back_is_known_by_its_tool_or_its_command() {
        let is_expansion = |name: &str, command: &str| {
            let arguments = serde_json::json!({ "command": command }).to_string();
            CallContext::new(name, &arguments, false).is_expansion()
        };
        for name in ["expand_context", "mcp__tools__expand_context", "tools_expand_context"] {
            assert!(is_expansion(name, ""), "{name}");
        }
        for command in
            ["tokenforge expand shadow_x --lines 1-9", "cd a && /opt/tokenforge expand x"]
        {
            assert!(is_expansion("Bash", command), "{command}");
        }
        for (name, command) in [
            ("Bash", "tokenforge compress a.log"),
            ("Bash", "echo 'tokenforge expand x'"),
            ("reexpand_context", ""),
            ("expand_context_menu", ""),
        ] {
            assert!(!is_expansion(name, command), "{name} {command}");
        }
    }

    #[test]
    fn file_text_is_what_file_tools_and_cat_show() {
        let is_file_text =
            |name: &str, arguments: &str| CallContext::new(name, arguments, false).is_file_text();
        assert!(is_file_text("Read", r#"{"file_path":"a.rs"}"#));
        assert!(is_file_text("Bash", r#"{"command":"cat a.rs"}"#));
        assert!(!is_file_text("Bash", r#"{"command":"cargo test"}"#));
        assert!(!is_file_text("get_user", "{}"));
    }
}
