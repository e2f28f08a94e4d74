//! What is to be done to results: for this client, this server, this tool.

use crate::names::{fits, prefixed};
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

/// Agents by the beginning of the name that they give themselves, and the form in which their model is shown the texts of
/// results. Whoever else calls may be a program that parses them, and gets JSON.
const AGENTS: [(&str, Format); 4] = [
    ("claude-code", Format::Auto),
    ("gemini-cli", Format::Auto),
    ("opencode", Format::Auto),
    // It hands results to its model as they are within its own JSON, and reads some of them itself.
    ("codex", Format::Json),
];

/// The form of texts that nobody asked for: what the settings say of this client, what they say of all, what is known of
/// the agent, else JSON.
#[must_use]
pub fn usual_format(mcp: &Mcp, client: &str) -> Format {
    let of_client = entry(mcp, client).and_then(|entry| entry.format);
    let of_agent = || agent(client).map(|(_, format)| *format);
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
    match agent(client) {
        Some((_, Format::Auto)) => StcVersion::Two,
        _ => StcVersion::One,
    }
}

fn agent(client: &str) -> Option<&'static (&'static str, Format)> {
    let client = client.to_ascii_lowercase();
    let is_it = |name: &str| {
        client.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    AGENTS.iter().find(|(name, _)| is_it(name))
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
        let own = McpClient { format: Some(Format::Stc), structured: None };
        mcp.clients.insert("claude-code".to_owned(), own);
        assert_eq!(usual_format(&mcp, "claude-code"), Format::Stc);
        assert_eq!(usual_format(&mcp, "mcp-python-sdk"), Format::Toon);
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
        assert_eq!(structured(&mcp, None, "somebody"), Structured::Keep);
        assert_eq!(structured(&mcp, Some(Structured::Keep), "claude-code"), Structured::Keep);
    }
}
