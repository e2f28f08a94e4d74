//! Rules about the request as a whole and about each block alone.

use super::{messages, of_kind};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice, unknown_member};
use crate::seal::{is_hidden, is_signature};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "no unknown members", says: Assumed, check: known },
    Rule {
        name: "the user begins",
        says: Provider(
            "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        ),
        check: first,
    },
    Rule {
        name: "roles alternate",
        says: Provider(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between \
             user and assistant roles and try again.",
        ),
        check: alternate,
    },
    Rule { name: "a block is of one kind", says: Assumed, check: one_kind },
    Rule {
        name: "text is not blank",
        says: Provider(
            "The text field in the ContentBlock object at messages.….content.… is blank. Add text to the text field, and \
             try again.",
        ),
        check: blank,
    },
    Rule {
        name: "calls need toolConfig",
        says: Provider(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        ),
        check: tool_config,
    },
    Rule {
        name: "an error has content",
        says: Provider(
            "The content field at messages.….content.….toolResult cannot be empty when status value is error.",
        ),
        check: error_content,
    },
    Rule { name: "tool names are unique", says: Assumed, check: unique_tools },
    Rule {
        name: "thinking has its own signature",
        says: Provider(
            "The model returned the following errors: messages.….content.…: Invalid `signature` in `thinking` block",
        ),
        check: signatures,
    },
];

const MEMBERS: &[&str] = &[
    "messages",
    "system",
    "inferenceConfig",
    "toolConfig",
    "guardrailConfig",
    "additionalModelRequestFields",
    "additionalModelResponseFieldPaths",
    "promptVariables",
    "requestMetadata",
    "performanceConfig",
    "serviceTier",
    "outputConfig",
];

const KINDS: &[&str] = &[
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
];

fn known(asked: &Asked<'_>) -> Result<(), Broken> {
    match unknown_member(asked.body, MEMBERS) {
        Some(name) => broken(format!("Unknown parameter in input: \"{name}\"")),
        None => Ok(()),
    }
}

fn first(asked: &Asked<'_>) -> Result<(), Broken> {
    match messages(asked).next() {
        Some((_, message)) if message["role"] == "user" => Ok(()),
        _ => broken(
            "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        ),
    }
}

fn alternate(asked: &Asked<'_>) -> Result<(), Broken> {
    let fits = |(at, message): (usize, &Value)| {
        message["role"] == if at % 2 == 0 { "user" } else { "assistant" }
    };
    if messages(asked).all(fits) {
        Ok(())
    } else {
        broken(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates \
             between user and assistant roles and try again.",
        )
    }
}

/// Every block, with its place.
fn each(
    asked: &Asked<'_>,
    mut look: impl FnMut(&str, &Value) -> Result<(), Broken>,
) -> Result<(), Broken> {
    for (m, message) in messages(asked) {
        for (b, block) in items(&message["content"]).iter().enumerate() {
            look(&format!("messages.{m}.content.{b}"), block)?;
        }
    }
    Ok(())
}

fn one_kind(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        let is_one = block.as_object().is_some_and(|members| members.len() == 1);
        if is_one && unknown_member(block, KINDS).is_none() {
            Ok(())
        } else {
            broken(format!("The content block at {place} must have exactly one known member."))
        }
    })
}

fn blank(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        if block["text"].as_str().is_some_and(|text| text.trim().is_empty()) {
            broken(format!(
                "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try again."
            ))
        } else {
            Ok(())
        }
    })
}

fn tool_config(asked: &Asked<'_>) -> Result<(), Broken> {
    let uses = |kind| messages(asked).any(|(_, message)| of_kind(message, kind).next().is_some());
    if asked.body["toolConfig"].is_null() && (uses("toolUse") || uses("toolResult")) {
        return broken(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        );
    }
    Ok(())
}

fn error_content(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        let result = &block["toolResult"];
        if result["status"] == "error" && items(&result["content"]).is_empty() {
            broken(format!(
                "The content field at {place}.toolResult cannot be empty when status value is error."
            ))
        } else {
            Ok(())
        }
    })
}

fn unique_tools(asked: &Asked<'_>) -> Result<(), Broken> {
    let tools = items(&asked.body["toolConfig"]["tools"]).iter();
    match twice(tools.filter_map(|tool| tool["toolSpec"]["name"].as_str())) {
        Some(name) => broken(format!("The tool name {name} is used more than once in toolConfig.")),
        None => Ok(()),
    }
}

fn signatures(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |place, block| {
        let thought = &block["reasoningContent"]["reasoningText"];
        let redacted = &block["reasoningContent"]["redactedContent"];
        let is_own = is_signature(text(&thought["text"]), text(&thought["signature"]));
        if (thought.is_null() || is_own) && (redacted.is_null() || is_hidden(text(redacted))) {
            Ok(())
        } else {
            broken(format!(
                "The model returned the following errors: {place}: Invalid `signature` in `thinking` block"
            ))
        }
    })
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "no unknown members",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}],"inferenceConfig":{}}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}],"_forge":{}}"#,
    ),
    (
        "the user begins",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}]}"#,
        r#"{"messages":[{"role":"assistant","content":[{"text":"x"}]}]}"#,
    ),
    (
        "roles alternate",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"text":"x"}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"user","content":[{"text":"x"}]}]}"#,
    ),
    (
        "a block is of one kind",
        r#"{"messages":[{"role":"user","content":[{"cachePoint":{"type":"default"}}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#,
    ),
    (
        "text is not blank",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"text":" "}]}]}"#,
    ),
    (
        "calls need toolConfig",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"t","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}]}],"toolConfig":{}}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"t","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}]}]}"#,
    ),
    (
        "an error has content",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"t","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[]}}]}],"toolConfig":{}}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"t","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[],"status":"error"}}]}],"toolConfig":{}}"#,
    ),
    (
        "tool names are unique",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"a"}},{"cachePoint":{}}]}}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"a"}},{"toolSpec":{"name":"a"}}]}}"#,
    ),
    (
        "thinking has its own signature",
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"text":"x"}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"x","signature":"y"}}}]}]}"#,
    ),
];
