//! Qualified names: what an agent calls the tool of an MCP server before its model.

use serde::Deserialize;

/// How an agent makes one name of a server's and a tool's: `mcp__{server}__{tool}`.
///
/// ```
/// # use tokenforge_agents::McpToolName;
/// let pattern = McpToolName::parse("mcp__{server}__{tool}").unwrap();
/// assert_eq!(pattern.split("mcp__files__read_text"), Some(("files", "read_text")));
/// assert_eq!(pattern.split("Bash"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct McpToolName {
    prefix: String,
    separator: String,
}

impl McpToolName {
    /// Reads a pattern. `None`: it is none, or one by which the tools of servers cannot be told from others.
    #[must_use]
    pub fn parse(pattern: &str) -> Option<Self> {
        let (prefix, rest) = pattern.split_once("{server}")?;
        let separator = rest.strip_suffix("{tool}")?;
        let is_told = !prefix.is_empty() && !separator.is_empty();
        is_told.then(|| Self { prefix: prefix.to_owned(), separator: separator.to_owned() })
    }

    /// The server and its tool, if it is the name of one.
    #[must_use]
    pub fn split<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let (server, tool) = name.strip_prefix(&self.prefix)?.split_once(&self.separator)?;
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
    }
}

impl TryFrom<String> for McpToolName {
    type Error = String;

    fn try_from(pattern: String) -> Result<Self, String> {
        Self::parse(&pattern).ok_or_else(|| {
            format!("`{pattern}` is not a pattern such as mcp__{{server}}__{{tool}}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart_at_the_first_separator() {
        let pattern = |text| McpToolName::parse(text).unwrap();
        let (claude, gemini) = (pattern("mcp__{server}__{tool}"), pattern("mcp_{server}_{tool}"));
        assert_eq!(claude.split("mcp__my_server__a__b"), Some(("my_server", "a__b")));
        assert_eq!(gemini.split("mcp_my-server_read_text"), Some(("my-server", "read_text")));
        for name in ["mcp__", "mcp__a", "mcp__a__", "mcp____b", "xmcp__a__b"] {
            assert_eq!(claude.split(name), None, "{name}");
        }
    }

    #[test]
    fn a_pattern_that_fits_any_name_is_none() {
        for pattern in
            ["", "{server}_{tool}", "mcp__{tool}", "a{server}{tool}", "a{server}_{tool}b"]
        {
            assert_eq!(McpToolName::parse(pattern), None, "{pattern}");
        }
    }
}
