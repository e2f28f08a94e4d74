//! The two tools that are listed in the place of all others, and what `find_tools` answers.

use super::declaration::DeclaredTool;
use super::index::ToolIndex;
use crate::message::Message;
use tokenforge_json::{Node, ValueKind};

/// Finds tools by what they do.
pub const FIND_TOOLS: &str = "find_tools";

/// Calls a tool that was found.
pub const CALL_TOOL: &str = "call_tool";

/// Where a request for the list of tools says which one it wants, in its `_meta`: programs may want `all`.
pub const LIST_KEY: &str = "dev.tokenforge/tool_list";

/// Does this request want the list of all tools, whatever the settings say?
pub(crate) fn wants_all(message: &Message<'_>) -> bool {
    message.meta(LIST_KEY).is_some_and(|list| list.is("all"))
}

/// How many tools are shown with their schemas, unless the model says otherwise.
const USUAL: usize = 5;
const MOST: usize = 20;

/// How many of those behind them are named.
const NAMED: usize = 10;

/// How much is shown at once. The first tool is shown whatever it takes, which is bounded too.
const ANSWER: usize = 48 << 10;

/// Their definitions as servers list tools: always the same, so that nothing that changes behind them costs a client its
/// prompt cache.
#[must_use]
pub fn definitions() -> [&'static str; 2] {
    [
        r#"{"name":"find_tools","description":"Search the tools of all connected servers by what they do. Returns the best matches with their input schemas; call them with call_tool. One purpose per search, in a few words, such as \"list commits of a branch\". Search before you conclude that something cannot be done.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, or names of tools"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many to return (default 5)"}},"required":["query"]},"annotations":{"title":"Find tools","readOnlyHint":true,"openWorldHint":false}}"#,
        r#"{"name":"call_tool","description":"Call a tool that find_tools returned.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"Its name, as find_tools gave it"},"arguments":{"type":"object","description":"Its arguments, as its inputSchema says","additionalProperties":true}},"required":["name","arguments"]},"annotations":{"title":"Call a tool"}}"#,
    ]
}

/// What a call of [`FIND_TOOLS`] asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FindQuery {
    query: String,
    limit: usize,
}

impl FindQuery {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// There is no query: what the model is told.
    pub(crate) fn read(arguments: &str) -> Result<Self, String> {
        let root = Node::read(arguments).ok();
        let [query, limit] = root.map(|root| root.pick(["query", "limit"])).unwrap_or_default();
        let query = query.filter(|query| query.kind() == ValueKind::String);
        let query = query.and_then(|query| query.text()).map(|query| query.trim().to_owned());
        let Some(query) = query.filter(|query| !query.is_empty()) else {
            return Err(format!(
                "Call {FIND_TOOLS} again with {{\"query\": \"what the tool should do\"}}."
            ));
        };
        let limit =
            limit.and_then(|limit| limit.number()).and_then(|limit| usize::try_from(limit).ok());
        Ok(FindQuery { query, limit: limit.unwrap_or(USUAL).clamp(1, MOST) })
    }
}

/// What a model is told of the tools that it may see: a declaration in each line, the best first, then names of others.
pub(crate) fn found(
    index: &ToolIndex,
    query: &FindQuery,
    is_seen: impl Fn(&DeclaredTool) -> bool,
    missing: &[String],
) -> String {
    let ranked: Vec<&DeclaredTool> =
        index.ranked(&query.query).into_iter().filter(|tool| is_seen(tool)).collect();
    let mut text = String::new();
    let mut shown = 0;
    for tool in ranked.iter().take(query.limit) {
        let line = tool.shown();
        if shown > 0 && text.len() + line.len() > ANSWER {
            break;
        }
        text += &line;
        text.push('\n');
        shown += 1;
    }
    let others: Vec<&str> =
        ranked.iter().skip(shown).take(NAMED).map(|tool| tool.name.as_str()).collect();
    if shown == 0 {
        let all = index.tools().iter().filter(|tool| is_seen(tool)).count();
        text += &format!("No tool fits. There are {all}; try other words for what it should do.\n");
    } else if !others.is_empty() {
        text += &format!("Less likely: {}\n", others.join(", "));
    }
    if !missing.is_empty() {
        text += &format!(
            "These servers did not answer, so their tools are missing: {}\n",
            missing.join(", ")
        );
    }
    text.truncate(text.trim_end().len());
    text
}

/// What a model is told that calls a tool which there is not, or which it may not see.
pub(crate) fn unknown_tool(
    index: &ToolIndex,
    name: &str,
    is_seen: impl Fn(&DeclaredTool) -> bool,
) -> String {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(128).collect();
    let near = index.similar(name, is_seen);
    if near.is_empty() {
        return format!("There is no tool {shown:?}. Find one with {FIND_TOOLS}.");
    }
    format!(
        "There is no tool {shown:?}. Similar names: {}. Find others with {FIND_TOOLS}.",
        near.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn index() -> ToolIndex {
        let text = |n: usize| {
            format!(
                r#"{{"name":"read_{n}","description":"reads","inputSchema":{{"type":"object"}}}}"#
            )
        };
        let all: Vec<String> = (0..40).map(text).collect();
        ToolIndex::of(all.iter().map(|text| ("s", text.as_str())))
    }

    fn query(arguments: &str) -> FindQuery {
        FindQuery::read(arguments).unwrap()
    }

    #[test]
    fn m21_the_two_tools_are_defined_as_servers_define_tools() {
        for (text, name) in definitions().into_iter().zip([FIND_TOOLS, CALL_TOOL]) {
            let tool: Value = serde_json::from_str(text).unwrap();
            assert_eq!(tool["name"], name);
            assert_eq!(tool["inputSchema"]["type"], "object");
        }
    }

    #[test]
    fn m21_the_best_are_shown_with_schemas_and_a_few_more_by_name() {
        let text = found(&index(), &query(r#"{"query":"read"}"#), |_| true, &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        let first: Value = serde_json::from_str(lines[0]).unwrap();
        assert_eq!(first["name"], "s__read_0");
        assert_eq!(first["inputSchema"]["type"], "object");
        assert!(lines[1].contains("s__read_1\""), "{text}");
        // The rest, which words fit alike, is in the order of its vectors.
        let others: BTreeSet<&str> =
            lines[5].strip_prefix("Less likely: ").unwrap().split(", ").collect();
        assert_eq!(others.len(), 10, "{text}");
        assert!(others.iter().all(|name| !lines[..5].concat().contains(&format!("{name}\""))));
        let text = found(&index(), &query(r#"{"query":"read","limit":900}"#), |_| true, &[]);
        assert_eq!(text.lines().count(), 21);
    }

    #[test]
    fn m21_an_answer_is_bounded() {
        let long = "word ".repeat(2000);
        let text = |n: usize| format!(r#"{{"name":"t{n}","description":"{long}"}}"#);
        let all: Vec<String> = (0..40).map(text).collect();
        let index = ToolIndex::of(all.iter().map(|text| ("s", text.as_str())));
        let text = found(&index, &query(r#"{"query":"word","limit":20}"#), |_| true, &[]);
        assert!(text.len() < ANSWER + 1000 && text.lines().count() > 2, "{}", text.len());
    }

    #[test]
    fn m23_what_a_client_may_not_see_is_neither_found_nor_named() {
        let index = index();
        let is_seen = |tool: &DeclaredTool| tool.own == "read_7";
        let text = found(&index, &query(r#"{"query":"read"}"#), is_seen, &[]);
        assert!(text.contains("read_7") && text.lines().count() == 1, "{text}");
        let text = found(&index, &query(r#"{"query":"s__read_8"}"#), is_seen, &[]);
        assert!(!text.contains("read_8\"") && !text.contains("Less"), "{text}");
        assert!(!unknown_tool(&index, "s__read_8", is_seen).contains("s__read_9"));
    }

    #[test]
    fn m22_an_unknown_name_is_answered_with_similar_ones() {
        let text = unknown_tool(&index(), "s_read_3\u{7}", |_| true);
        assert!(text.contains("\"s_read_3\"") && text.contains("s__read_3"), "{text}");
        assert!(unknown_tool(&index(), "weather", |_| true).contains(FIND_TOOLS));
    }

    #[test]
    fn m21_a_call_without_a_query_is_told_what_is_missing() {
        for wrong in ["{}", "[]", r#"{"query":7}"#, r#"{"query":"  "}"#] {
            assert!(FindQuery::read(wrong).unwrap_err().contains("query"), "{wrong}");
        }
        assert_eq!(query(r#"{"query":"x","limit":0}"#).limit, 1);
        assert_eq!(query(r#"{"query":"x","limit":"7"}"#).limit, USUAL);
    }

    #[test]
    fn m21_who_did_not_answer_is_named() {
        let text =
            found(&index(), &query(r#"{"query":"weather"}"#), |_| true, &["slow".to_owned()]);
        assert!(text.contains("There are 40") && text.ends_with("missing: slow"), "{text}");
    }
}
