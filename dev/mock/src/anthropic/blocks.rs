//! Rules about messages and their blocks, each looked at alone.

use super::{blocks, is, messages};
use crate::refusal::Says::Provider;
use crate::refusal::{Asked, Broken, Rule, broken, items, text, unknown_member};
use crate::seal;
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "roles are known",
        says: Provider("messages.…role: Input should be 'user' or 'assistant'"),
        check: roles,
    },
    Rule {
        name: "the first message is the user's",
        says: Provider("messages: first message must use the \"user\" role"),
        check: first,
    },
    Rule {
        name: "messages are not empty",
        says: Provider(
            "all messages must have non-empty content except for the optional final assistant message",
        ),
        check: not_empty,
    },
    Rule {
        name: "messages have no unknown members",
        says: Provider("messages.…: Extra inputs are not permitted"),
        check: message_members,
    },
    Rule {
        name: "blocks are of known types",
        says: Provider("found using 'type' does not match any of the expected tags"),
        check: kinds,
    },
    Rule {
        name: "blocks have no unknown members",
        says: Provider("messages.…: Extra inputs are not permitted"),
        check: block_members,
    },
    Rule {
        name: "text is not empty",
        says: Provider("messages: text content blocks must be non-empty"),
        check: no_empty_text,
    },
    Rule {
        name: "input is an object",
        says: Provider("tool_use.input: Input should be a valid dictionary"),
        check: inputs,
    },
    Rule {
        name: "ids are well formed",
        says: Provider("tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        check: ids,
    },
    Rule {
        name: "thinking has its own signature",
        says: Provider("messages.…: Invalid `signature` in `thinking` block"),
        check: signatures,
    },
    Rule {
        name: "the last words do not end with a blank",
        says: Provider("messages: final assistant content cannot end with trailing whitespace"),
        check: last_words,
    },
];

/// Every type of block that may stand in a message.
const KINDS: &[&str] = &[
    "text",
    "image",
    "document",
    "search_result",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "compaction",
    "tool_reference",
];

/// The members of the blocks that a gateway touches or moves.
const MEMBERS: &[(&str, &[&str])] = &[
    ("text", &["type", "text", "cache_control", "citations"]),
    ("thinking", &["type", "thinking", "signature"]),
    ("redacted_thinking", &["type", "data"]),
    ("tool_use", &["type", "id", "name", "input", "cache_control", "caller"]),
    ("tool_result", &["type", "tool_use_id", "content", "is_error", "cache_control"]),
];

fn roles(asked: &Asked<'_>) -> Result<(), Broken> {
    // `system` stands between messages since the betas of 2026.
    let strange =
        |message: &Value| !matches!(text(&message["role"]), "user" | "assistant" | "system");
    match messages(asked).find(|(_, message)| strange(message)) {
        Some((at, _)) => {
            broken(format!("messages.{at}.role: Input should be 'user' or 'assistant'"))
        }
        None => Ok(()),
    }
}

fn first(asked: &Asked<'_>) -> Result<(), Broken> {
    match messages(asked).next() {
        Some((_, message)) if message["role"] != "user" => {
            broken("messages: first message must use the \"user\" role")
        }
        _ => Ok(()),
    }
}

fn not_empty(asked: &Asked<'_>) -> Result<(), Broken> {
    let last = items(&asked.body["messages"]).len().saturating_sub(1);
    for (at, message) in messages(asked) {
        let is_empty = match &message["content"] {
            Value::String(text) => text.is_empty(),
            Value::Array(blocks) => blocks.is_empty(),
            _ => true,
        };
        if is_empty && !(at == last && message["role"] == "assistant") {
            return broken(format!(
                "messages.{at}: all messages must have non-empty content except for the optional final assistant message"
            ));
        }
    }
    Ok(())
}

fn message_members(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, message) in messages(asked) {
        if let Some(name) = unknown_member(message, &["role", "content", "output_config"]) {
            return broken(format!("messages.{at}.{name}: Extra inputs are not permitted"));
        }
    }
    Ok(())
}

/// Every block of every message, with its place.
fn each(
    asked: &Asked<'_>,
    mut look: impl FnMut(&str, &Value) -> Result<(), Broken>,
) -> Result<(), Broken> {
    for (m, message) in messages(asked) {
        for (b, block) in blocks(message) {
            look(&format!("messages.{m}.content.{b}"), block)?;
        }
    }
    Ok(())
}

fn kinds(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| match text(&block["type"]) {
        kind if KINDS.contains(&kind) => Ok(()),
        kind => broken(format!(
            "{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags: '{}'",
            KINDS.join("', '")
        )),
    })
}

fn block_members(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        let kind = text(&block["type"]);
        let known = MEMBERS.iter().find(|(of, _)| *of == kind).map(|(_, members)| members);
        match known.and_then(|known| unknown_member(block, known)) {
            Some(name) => broken(format!("{place}.{kind}.{name}: Extra inputs are not permitted")),
            None => Ok(()),
        }
    })
}

fn no_empty_text(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_empty = |block: &Value| is(block, "text") && text(&block["text"]).is_empty();
    each(asked, |_, block| {
        if is_empty(block) || items(&block["content"]).iter().any(is_empty) {
            return broken("messages: text content blocks must be non-empty");
        }
        Ok(())
    })?;
    if items(&asked.body["system"]).iter().any(is_empty) {
        broken("system: text content blocks must be non-empty")
    } else {
        Ok(())
    }
}

fn inputs(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        if is(block, "tool_use") && !block["input"].is_object() {
            broken(format!("{place}.tool_use.input: Input should be a valid dictionary"))
        } else {
            Ok(())
        }
    })
}

fn ids(asked: &Asked<'_>) -> Result<(), Broken> {
    let fits = |id: &str| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    each(asked, |place, block| {
        if is(block, "tool_use") && !fits(text(&block["id"])) {
            broken(format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"))
        } else {
            Ok(())
        }
    })
}

fn signatures(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        let signed =
            |text_of: &str, by: &str| seal::is_signature(text(&block[text_of]), text(&block[by]));
        if is(block, "thinking") && !signed("thinking", "signature") {
            return broken(format!("{place}: Invalid `signature` in `thinking` block"));
        }
        if is(block, "redacted_thinking") && !seal::is_hidden(text(&block["data"])) {
            return broken(format!("{place}: Invalid `data` in `redacted_thinking` block"));
        }
        Ok(())
    })
}

fn last_words(asked: &Asked<'_>) -> Result<(), Broken> {
    let Some((_, message)) = messages(asked).next_back() else { return Ok(()) };
    let words = match &message["content"] {
        Value::String(text) => text,
        content => content
            .as_array()
            .and_then(|blocks| blocks.last()?["text"].as_str())
            .unwrap_or_default(),
    };
    if message["role"] == "assistant" && words.ends_with(char::is_whitespace) {
        return broken("messages: final assistant content cannot end with trailing whitespace");
    }
    Ok(())
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "roles are known",
        r#"M[{"role":"user","content":"x"},{"role":"system","content":"x"}]"#,
        r#"M[{"role":"user","content":"x"},{"role":"tool","content":"x"}]"#,
    ),
    (
        "the first message is the user's",
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":"x"}]"#,
        r#"M[{"role":"assistant","content":"x"},{"role":"user","content":"x"}]"#,
    ),
    (
        "messages are not empty",
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[]}]"#,
        r#"M[{"role":"user","content":[]},{"role":"assistant","content":"x"}]"#,
    ),
    (
        "messages have no unknown members",
        r#"M[{"role":"user","content":"x"}]"#,
        r#"M[{"role":"user","content":"x","id":"msg_1"}]"#,
    ),
    (
        "blocks are of known types",
        r#"M[{"role":"user","content":[{"type":"image","source":{}}]}]"#,
        r#"M[{"role":"user","content":[{"type":"input_text","text":"x"}]}]"#,
    ),
    (
        "blocks have no unknown members",
        r#"M[{"role":"user","content":[{"type":"text","text":"x","citations":[]}]}]"#,
        r#"M[{"role":"user","content":[{"type":"text","text":"x","index":0}]}]"#,
    ),
    (
        "text is not empty",
        r#"M[{"role":"user","content":[{"type":"text","text":" "}]}]"#,
        r#"M[{"role":"user","content":[{"type":"text","text":""}]}]"#,
    ),
    (
        "input is an object",
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]"#,
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":"{}"}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]"#,
    ),
    (
        "ids are well formed",
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a-1_","name":"b","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a-1_","content":"x"}]}]"#,
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a.1","name":"b","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a.1","content":"x"}]}]"#,
    ),
    (
        "thinking has its own signature",
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"x"}]}]"#,
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"}]}]"#,
    ),
    (
        "the last words do not end with a blank",
        r#"M[{"role":"user","content":"x "},{"role":"assistant","content":"x"}]"#,
        r#"M[{"role":"user","content":"x"},{"role":"assistant","content":"x "}]"#,
    ),
];
