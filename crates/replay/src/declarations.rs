//! Unused declarations: tools that a session declared and never called, and what schema compression would take away.
//!
//! Only a list of tools that was recorded says what was declared. Most logs have none: then nothing is said.

use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use tokenforge_agents::mcp_tool;
use tokenforge_engine::Settings;
use tokenforge_engine::schema::{compact_tools, minify_tools};

/// Tools beyond this many are only added up.
const TOOLS: usize = 10_000;

/// The tool declarations of sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DeclarationSums {
    /// Sessions whose log has a list with tools in it.
    pub sessions: usize,
    /// Tokens of their tools, each list once.
    pub tokens: usize,
    /// Those of tools that their session never called.
    pub unused_tokens: usize,
    /// What all of them cost over all requests, in dollars.
    pub cost: f64,
    /// What those cost that their session never called.
    pub unused_cost: f64,
    /// What `schema_compression: minify` would take away.
    pub minify: SchemaSaving,
    /// What `schema_compression: compact` would.
    pub compact: SchemaSaving,
    /// Each tool, by agent and name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, DeclaredTool>,
}

/// What schema compression would take away from lists of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SchemaSaving {
    /// Tokens, each list once.
    pub tokens: usize,
    /// What these cost over all requests, in dollars.
    pub cost: f64,
}

/// A tool that sessions declared.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DeclaredTool {
    /// Its name.
    pub name: String,
    /// Whose log says so.
    pub client: String,
    /// The MCP server that it belongs to, if its name tells.
    pub server: Option<String>,
    /// Sessions that declared it.
    pub sessions: usize,
    /// Those of them that called it.
    pub called: usize,
    /// Tokens of its declaration, the longest.
    pub tokens: usize,
    /// What it cost over all requests, in dollars.
    pub cost: f64,
}

impl DeclarationSums {
    /// The declarations of a session of this client, of which these tools were called and each token cost so much.
    pub(crate) fn of_session(
        tools_json: &str,
        client: &str,
        called: &HashSet<&str>,
        rate: f64,
        settings: &Settings,
    ) -> Self {
        let list: Vec<Value> = serde_json::from_str(tools_json).unwrap_or_default();
        let mut sums = DeclarationSums::default();
        if list.is_empty() {
            return sums;
        }
        sums.sessions = 1;
        for (name, definition) in list.iter().flat_map(declarations) {
            let tokens = settings.counter.count(&definition.to_string());
            let is_called = called.contains(name);
            let cost = tokens as f64 * rate;
            sums.tokens += tokens;
            sums.cost += cost;
            if !is_called {
                sums.unused_tokens += tokens;
                sums.unused_cost += cost;
            }
            if sums.tools.len() < TOOLS {
                let server = mcp_tool(Some(client), name).map(|(server, _)| server.to_owned());
                let (called, client) = (usize::from(is_called), client.to_owned());
                let name = name.to_owned();
                let tool = DeclaredTool { name, client, server, sessions: 1, called, tokens, cost };
                sums.tools.insert(tool.key(), tool);
            }
        }
        let all = settings.counter.count(tools_json);
        let saving = |shorter: Option<String>| {
            let left = shorter.map_or(all, |shorter| settings.counter.count(&shorter));
            let tokens = all.saturating_sub(left);
            SchemaSaving { tokens, cost: tokens as f64 * rate }
        };
        sums.minify = saving(minify_tools(tools_json));
        sums.compact = saving(compact_tools(tools_json));
        sums
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.tokens += other.tokens;
        self.unused_tokens += other.unused_tokens;
        self.cost += other.cost;
        self.unused_cost += other.unused_cost;
        for (sum, more) in [(&mut self.minify, &other.minify), (&mut self.compact, &other.compact)]
        {
            sum.tokens += more.tokens;
            sum.cost += more.cost;
        }
        for (key, tool) in &other.tools {
            if self.tools.len() >= TOOLS && !self.tools.contains_key(key) {
                continue;
            }
            let sum = self.tools.entry(key.clone()).or_insert_with(|| DeclaredTool {
                name: tool.name.clone(),
                client: tool.client.clone(),
                server: tool.server.clone(),
                ..DeclaredTool::default()
            });
            sum.sessions += tool.sessions;
            sum.called += tool.called;
            sum.tokens = sum.tokens.max(tool.tokens);
            sum.cost += tool.cost;
        }
    }

    /// The tools that no session called, the dearest first.
    #[must_use]
    pub fn never_called(&self) -> Vec<&DeclaredTool> {
        let mut unused: Vec<_> = self.tools.values().filter(|tool| tool.called == 0).collect();
        unused.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(b.tokens.cmp(&a.tokens)));
        unused
    }
}

impl DeclaredTool {
    fn key(&self) -> String {
        format!("{}/{}", self.client, self.name)
    }
}

/// The tools that a definition declares, with what is said of each: it may be wrapped, or be a list of several. What the
/// provider runs itself, or shows only when it is looked for, is none.
fn declarations(definition: &Value) -> Vec<(&str, &Value)> {
    let several = ["functionDeclarations", "function_declarations", "tools"];
    if let Some(list) = several.iter().find_map(|name| definition[*name].as_array()) {
        let list = list.iter().filter(|tool| tool["defer_loading"] != true);
        return list.filter_map(|tool| Some((tool["name"].as_str()?, tool))).collect();
    }
    let kind = definition["type"].as_str();
    let is_ours = kind.is_none_or(|kind| kind == "function" || kind == "custom");
    let names = ["/name", "/function/name", "/custom/name", "/toolSpec/name"];
    let name = names.iter().find_map(|name| definition.pointer(name)?.as_str());
    let name = name.filter(|_| is_ours && definition["defer_loading"] != true);
    name.map(|name| (name, definition)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(tools: &str, called: &[&str]) -> DeclarationSums {
        let called = called.iter().copied().collect();
        DeclarationSums::of_session(tools, "claude", &called, 0.001, &Settings::default())
    }

    const TOOLS: &str = r#"[{"name":"Bash","description":"Runs   it."},{"name":"mcp__files__read","input_schema":{"title":"T"}},{"type":"web_search_20250305","name":"web_search"},{"name":"Later","defer_loading":true}]"#;

    #[test]
    fn u2_tools_never_called_are_counted_with_their_price() {
        let sums = sums(TOOLS, &["Bash"]);
        assert_eq!(sums.sessions, 1);
        let unused = sums.never_called();
        assert_eq!((unused.len(), &*unused[0].name), (1, "mcp__files__read"));
        assert_eq!(unused[0].server.as_deref(), Some("files"));
        assert_eq!(unused[0].tokens, sums.unused_tokens);
        assert!((unused[0].cost - sums.unused_tokens as f64 * 0.001).abs() < 1e-9);
        assert!(sums.tokens > sums.unused_tokens);
        assert!(0 < sums.minify.tokens && sums.minify.tokens < sums.compact.tokens, "{sums:?}");
    }

    #[test]
    fn u2_a_tool_that_one_session_calls_is_used() {
        let mut all = sums(TOOLS, &["Bash"]);
        all.add(&sums(TOOLS, &["mcp__files__read"]));
        assert!(all.never_called().is_empty());
        assert_eq!(all.tools["claude/Bash"].sessions, 2);
        assert!(all.unused_tokens > 0, "each session had one that it did not call");
    }

    #[test]
    fn u2_every_providers_shape_is_known() {
        for tools in [
            r#"[{"type":"function","function":{"name":"a"}}]"#,
            r#"[{"type":"function","name":"a"}]"#,
            r#"[{"functionDeclarations":[{"name":"a"}]}]"#,
            r#"[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a"}]}]"#,
            r#"[{"toolSpec":{"name":"a"}}]"#,
        ] {
            assert_eq!(sums(tools, &[]).never_called().len(), 1, "{tools}");
            assert!(sums(tools, &["a"]).never_called().is_empty(), "{tools}");
        }
        assert_eq!(sums("[]", &[]), DeclarationSums::default());
        assert_eq!(sums("null", &[]), DeclarationSums::default());
    }
}
