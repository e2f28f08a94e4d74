//! What is to be done to results: for this client, this server, this tool.

use crate::names::{fits, prefixed};
use tokenforge_agents::TextForm;
use tokenforge_config::{Mcp, McpTool, Structured};
use tokenforge_formats::negotiate::{Format, StcVersion};

/// What is to be done to the texts of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultRule {
    /// In which form.
    pub format: Format,
    /// Texts below this size are left alone.
    pub min_bytes: usize,
    /// Texts above this size are left alone.
    pub max_bytes: usize,
}

/// The form of texts for a request that names none: what the settings say of this client, what they say of all, what is
/// known of the agent, else JSON.
#[must_use]
pub fn usual_format(mcp: &Mcp, client: &str) -> Format {
    let of_client = entry(mcp, client).and_then(|entry| entry.format);
    let of_agent = || {
        text_form(client).map(|form| match form {
            TextForm::Auto => Format::Auto,
            TextForm::Json => Format::Json,
        })
    };
    of_client.or(mcp.format).or_else(of_agent).unwrap_or(Format::Json)
}

/// May something be left out of results for this client? Only where the form is ours to choose.
#[must_use]
pub(crate) fn leaves_out(mcp: &Mcp, usual: Format) -> bool {
    let mut tools = mcp.tools.values();
    usual == Format::Auto || tools.any(|tool| tool.format == Some(Format::Auto))
}

/// The version of STC for a client that names none: a model reads what has the fewest tokens, a program what it knows.
#[must_use]
pub fn usual_version(client: &str) -> StcVersion {
    match text_form(client) {
        Some(TextForm::Auto) => StcVersion::Two,
        _ => StcVersion::One,
    }
}

/// The form in which the model of an agent is shown the texts of results. Any other client may be a program that parses
/// them, and gets JSON.
fn text_form(client: &str) -> Option<TextForm> {
    let client = client.to_ascii_lowercase();
    let is_it = |name: &str| {
        client.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let mut known = tokenforge_agents::all().iter().filter_map(|agent| agent.mcp_client.as_ref());
    known.find(|agent| is_it(&agent.name_prefix)).map(|agent| agent.text)
}

/// What becomes of structured content: as the server's entry says, else the client's, else all others'.
#[must_use]
pub fn structured(mcp: &Mcp, backend: Option<Structured>, client: &str) -> Structured {
    let of_client = || entry(mcp, client).and_then(|entry| entry.structured);
    backend.or_else(of_client).unwrap_or(mcp.structured)
}

fn entry<'m>(mcp: &'m Mcp, client: &str) -> Option<&'m tokenforge_config::McpClient> {
    mcp.clients.iter().find(|(name, _)| name.eq_ignore_ascii_case(client)).map(|(_, entry)| entry)
}

/// Which tools a client sees and may call: an allow list, or several of which each must allow it.
#[derive(Debug, Clone, Default)]
pub struct ToolAccess<'m>(Vec<&'m [String]>);

impl<'m> ToolAccess<'m> {
    /// Only tools that fit one of these patterns.
    #[must_use]
    pub fn only(patterns: &'m [String]) -> Self {
        ToolAccess(vec![patterns])
    }

    /// Are there tools that the client may not see?
    #[must_use]
    pub fn is_limited(&self) -> bool {
        !self.0.is_empty()
    }

    /// Does the client see this tool of the server with this prefix?
    #[must_use]
    pub fn allows(&self, prefix: &str, tool: &str) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let full = prefixed(prefix, tool);
        let is_it = |pattern: &String| fits(pattern, tool) || fits(pattern, &full);
        self.0.iter().all(|patterns| patterns.iter().any(is_it))
    }
}

/// The tools of a client: those that the entry of its gateway key allows, and of these those that the entry of its name
/// does. A client chooses its own name, so that can only narrow what its key allows. The entry `*` is for who has
/// neither.
#[must_use]
pub fn tool_access<'m>(mcp: &'m Mcp, key: &str, client: &str) -> ToolAccess<'m> {
    let tools = |name: &str| entry(mcp, name).and_then(|entry| entry.tools.as_deref());
    let own: Vec<&[String]> = [tools(key), tools(client)].into_iter().flatten().collect();
    if own.is_empty() { ToolAccess(tools(ANYBODY).into_iter().collect()) } else { ToolAccess(own) }
}

/// The entry for clients that have none.
const ANYBODY: &str = "*";

/// Is this tool shown beside the two with which the others are found?
#[must_use]
pub(crate) fn is_pinned(mcp: &Mcp, prefix: &str, tool: &str) -> bool {
    let full = prefixed(prefix, tool);
    mcp.pinned_tools.iter().any(|pattern| fits(pattern, tool) || fits(pattern, &full))
}

/// What is to be done to the texts of a tool of which this form is wanted; `None`: nothing.
#[must_use]
pub fn rule(mcp: &Mcp, prefix: &str, tool: &str, wanted: Format) -> Option<ResultRule> {
    let full = prefixed(prefix, tool);
    let is_it = |pattern: &String| fits(pattern, tool) || fits(pattern, &full);
    let is_included = mcp.include.iter().any(is_it);
    let is_excluded = mcp.exclude.iter().any(is_it) || !mcp.include.is_empty();
    if is_excluded && !is_included {
        return None;
    }
    // The longest pattern says the most about it.
    let own = mcp.tools.iter().filter(|(pattern, _)| is_it(pattern));
    let own = own.max_by_key(|(pattern, _)| pattern.len()).map(|(_, own)| *own);
    let McpTool { format, min_bytes, max_bytes } = own.unwrap_or_default();
    Some(ResultRule {
        format: format.unwrap_or(wanted),
        min_bytes: min_bytes.unwrap_or(mcp.min_bytes),
        max_bytes: max_bytes.unwrap_or(mcp.max_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_config::McpClient;

    fn with(include: &[&str], exclude: &[&str]) -> Mcp {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Mcp { include: list(include), exclude: list(exclude), ..Mcp::default() }
    }

    #[test]
    fn i2_the_include_list_beats_the_exclude_list() {
        let does = |mcp: &Mcp, tool| rule(mcp, "git", tool, Format::Auto).is_some();
        assert!(does(&with(&[], &[]), "log"));
        assert!(!does(&with(&[], &["git__*"]), "log"));
        assert!(does(&with(&["log"], &["git__*"]), "log"));
        assert!(!does(&with(&["log"], &["git__*"]), "diff"));
        assert!(!does(&with(&["log"], &[]), "diff"));
    }

    #[test]
    fn a1_d11_json_unless_the_settings_or_the_agent_say_otherwise() {
        let mut mcp = Mcp::default();
        assert_eq!(usual_format(&mcp, "mcp-python-sdk"), Format::Json);
        assert_eq!(usual_format(&mcp, "codex-mcp-client"), Format::Json);
        assert_eq!(usual_format(&mcp, "claude-codex"), Format::Json, "another name");
        for agent in ["claude-code", "Gemini-CLI-mcp-client-x", "opencode"] {
            assert_eq!(usual_format(&mcp, agent), Format::Auto, "{agent}");
            assert_eq!(usual_version(agent), StcVersion::Two, "{agent}");
        }
        assert_eq!(usual_version("mcp-python-sdk"), StcVersion::One);
        mcp.format = Some(Format::Toon);
        assert_eq!(usual_format(&mcp, "claude-code"), Format::Toon);
        let own = McpClient { format: Some(Format::Stc), ..McpClient::default() };
        mcp.clients.insert("claude-code".to_owned(), own);
        assert_eq!(usual_format(&mcp, "claude-code"), Format::Stc);
        assert_eq!(usual_format(&mcp, "mcp-python-sdk"), Format::Toon);
    }

    #[test]
    fn m23_a_key_s_list_holds_whatever_name_the_client_gives_itself() {
        let mut mcp = Mcp::default();
        let tools = |patterns: &[&str]| McpClient {
            tools: Some(patterns.iter().map(ToString::to_string).collect()),
            ..McpClient::default()
        };
        let may = |mcp: &Mcp, key: &str, client: &str, tool: &str| {
            tool_access(mcp, key, client).allows("git", tool)
        };
        assert!(may(&mcp, "ops", "cursor", "push"));
        mcp.clients.insert("web".into(), tools(&["git__log", "read_*"]));
        mcp.clients.insert("cursor".into(), tools(&["*"]));
        assert!(may(&mcp, "web", "cursor", "log") && may(&mcp, "web", "claude-code", "read_x"));
        assert!(!may(&mcp, "web", "cursor", "push"), "its name must not widen what its key allows");
        assert!(may(&mcp, "ops", "cursor", "push") && may(&mcp, "ops", "other", "push"));
        mcp.clients.insert("*".into(), tools(&[]));
        assert!(!may(&mcp, "ops", "other", "push"), "an empty list allows nothing");
        assert!(may(&mcp, "ops", "Cursor", "push"));
        // An agent that is known has an entry, which says nothing about tools.
        assert!(!may(&mcp, "ops", "claude-code", "push"));
    }

    #[test]
    fn i14_a_tool_has_conditions_of_its_own_and_the_longest_pattern_wins() {
        let mut mcp = Mcp::default();
        let tool = |format, min| McpTool { format, min_bytes: min, max_bytes: None };
        mcp.tools.insert("git__*".into(), tool(Some(Format::Json), None));
        mcp.tools.insert("git__log".into(), tool(None, Some(9)));
        let of = |name| rule(&mcp, "git", name, Format::Stc).unwrap();
        assert_eq!((of("diff").format, of("diff").min_bytes), (Format::Json, 0));
        assert_eq!((of("log").format, of("log").min_bytes), (Format::Stc, 9));
    }

    #[test]
    fn i12_the_server_s_word_goes_before_the_client_s() {
        let mcp = Mcp::default();
        assert_eq!(structured(&mcp, None, "claude-code"), Structured::Drop);
        assert_eq!(structured(&mcp, None, "Codex-MCP-Client"), Structured::Pointer);
        assert_eq!(structured(&mcp, None, "unknown-client"), Structured::Keep);
        assert_eq!(structured(&mcp, Some(Structured::Keep), "claude-code"), Structured::Keep);
    }
}
