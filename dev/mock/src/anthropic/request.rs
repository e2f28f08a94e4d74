//! Rules about the request as a whole: its members, its tools, its marks for the cache.

use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice, unknown_member};
use serde_json::Value;

/// A question to a model.
pub(super) const QUESTION: &[Rule] = &[
    Rule { name: "the model is named", says: Provider("model: Field required"), check: model },
    Rule {
        name: "max_tokens is given",
        says: Provider("max_tokens: Field required"),
        check: max_tokens,
    },
    Rule {
        name: "no unknown members",
        says: Provider(": Extra inputs are not permitted"),
        check: |asked| known(asked, &[COMMON, &["model", "max_tokens", "stream"]]),
    },
];

/// A count of tokens.
pub(super) const COUNT: &[Rule] = &[
    Rule { name: "the model is named", says: Provider("model: Field required"), check: model },
    Rule {
        name: "no unknown members in a count",
        says: Provider(": Extra inputs are not permitted"),
        check: |asked| known(asked, &[COMMON, &["model"]]),
    },
];

/// A question by way of Bedrock.
pub(super) const INVOKE: &[Rule] = &[
    Rule {
        name: "the version is given",
        says: Provider("anthropic_version: Field required"),
        check: |asked| required(asked.body, "anthropic_version"),
    },
    Rule {
        name: "max_tokens is given",
        says: Provider("max_tokens: Field required"),
        check: max_tokens,
    },
    Rule {
        name: "no unknown members by way of Bedrock",
        says: Provider(": Extra inputs are not permitted"),
        check: |asked| {
            known(asked, &[COMMON, &["max_tokens", "anthropic_version", "anthropic_beta"]])
        },
    },
];

/// All of them.
pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "there is a message",
        says: Provider("messages: at least one message is required"),
        check: some_message,
    },
    Rule {
        name: "tool names are well formed",
        says: Provider("name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
        check: tool_names,
    },
    Rule {
        name: "tool names are unique",
        says: Provider("tools: Tool names must be unique."),
        check: unique_tools,
    },
    Rule {
        name: "a tool has a schema",
        says: Provider("input_schema: Field required"),
        check: schemas,
    },
    Rule {
        name: "at most four cache marks",
        says: Provider("A maximum of 4 blocks with cache_control may be provided. Found "),
        check: cache_marks,
    },
    Rule {
        name: "the budget is below max_tokens",
        says: Provider("`max_tokens` must be greater than `thinking.budget_tokens`."),
        check: budget,
    },
    Rule {
        name: "no forced call while thinking",
        says: Provider("Thinking may not be enabled when tool_choice forces tool use."),
        check: forced,
    },
    Rule { name: "a choice needs tools", says: Assumed, check: choice },
];

const COMMON: &[&str] = &[
    "messages",
    "system",
    "tools",
    "tool_choice",
    "metadata",
    "stop_sequences",
    "temperature",
    "top_p",
    "top_k",
    "thinking",
    "thread",
    "context_management",
    "output_config",
    "output_format",
    "container",
    "mcp_servers",
    "service_tier",
    "cache_control",
    "inference_geo",
    "speed",
];

fn known(asked: &Asked<'_>, lists: &[&[&str]]) -> Result<(), Broken> {
    match unknown_member(asked.body, &lists.concat()) {
        Some(name) => broken(format!("{name}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

fn required(body: &Value, name: &str) -> Result<(), Broken> {
    if body[name].is_null() { broken(format!("{name}: Field required")) } else { Ok(()) }
}

fn model(asked: &Asked<'_>) -> Result<(), Broken> {
    required(asked.body, "model")
}

fn max_tokens(asked: &Asked<'_>) -> Result<(), Broken> {
    required(asked.body, "max_tokens")
}

fn some_message(asked: &Asked<'_>) -> Result<(), Broken> {
    if items(&asked.body["messages"]).is_empty() {
        return broken("messages: at least one message is required");
    }
    Ok(())
}

fn tools<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(&asked.body["tools"])
}

/// Tools that the client answers, not the provider.
fn is_custom(tool: &Value) -> bool {
    tool["type"].is_null() || tool["type"] == "custom"
}

fn tool_names(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, tool) in tools(asked).iter().enumerate().filter(|(_, tool)| is_custom(tool)) {
        let name = text(&tool["name"]);
        if !(1..=128).contains(&name.len()) || !name.bytes().all(is_name) {
            return broken(format!(
                "tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            ));
        }
    }
    Ok(())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn unique_tools(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(tools(asked).iter().filter_map(|tool| tool["name"].as_str())) {
        Some(_) => broken("tools: Tool names must be unique."),
        None => Ok(()),
    }
}

fn schemas(asked: &Asked<'_>) -> Result<(), Broken> {
    let bare = |tool: &Value| is_custom(tool) && !tool["input_schema"].is_object();
    match tools(asked).iter().position(bare) {
        Some(at) => broken(format!("tools.{at}.custom.input_schema: Field required")),
        None => Ok(()),
    }
}

fn cache_marks(asked: &Asked<'_>) -> Result<(), Broken> {
    let marked = |block: &&Value| !block["cache_control"].is_null();
    let body = asked.body;
    let blocks = items(&body["messages"]).iter().flat_map(|message| items(&message["content"]));
    let marks = items(&body["system"]).iter().filter(marked).count()
        + tools(asked).iter().filter(marked).count()
        + blocks.clone().filter(marked).count()
        + blocks.flat_map(|block| items(&block["content"])).filter(marked).count();
    if marks > 4 {
        return broken(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {marks}."
        ));
    }
    Ok(())
}

fn budget(asked: &Asked<'_>) -> Result<(), Broken> {
    let limit = asked.body["max_tokens"].as_u64();
    match (asked.body["thinking"]["budget_tokens"].as_u64(), limit) {
        (Some(budget), Some(limit)) if budget >= limit => {
            broken("`max_tokens` must be greater than `thinking.budget_tokens`.")
        }
        _ => Ok(()),
    }
}

fn forced(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_forced = matches!(text(&asked.body["tool_choice"]["type"]), "any" | "tool");
    if is_forced && asked.body["thinking"]["type"] == "enabled" {
        return broken("Thinking may not be enabled when tool_choice forces tool use.");
    }
    Ok(())
}

fn choice(asked: &Asked<'_>) -> Result<(), Broken> {
    if !asked.body["tool_choice"].is_null() && tools(asked).is_empty() {
        return broken("tool_choice may only be specified while providing tools.");
    }
    Ok(())
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "the model is named",
        r#"{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"x"}]}"#,
        r#"{"max_tokens":5,"messages":[{"role":"user","content":"x"}]}"#,
    ),
    (
        "max_tokens is given",
        r#"{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"x"}]}"#,
        r#"{"model":"claude","messages":[{"role":"user","content":"x"}]}"#,
    ),
    (
        "no unknown members",
        r#"{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"x"}],"stream":true}"#,
        r#"{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"x"}],"_forge":{}}"#,
    ),
    ("there is a message", r#"M[{"role":"user","content":"x"}]"#, "M[]"),
    (
        "tool names are well formed",
        r#"M[{"role":"user","content":"x"}],"tools":[{"name":"a-B_1","input_schema":{}}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[{"name":"a b","input_schema":{}}]"#,
    ),
    (
        "tool names are unique",
        r#"M[{"role":"user","content":"x"}],"tools":[{"name":"a","input_schema":{}},{"name":"b","input_schema":{}}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[{"name":"a","input_schema":{}},{"name":"a","input_schema":{}}]"#,
    ),
    (
        "a tool has a schema",
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"web_search_20250305","name":"a"}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[{"name":"a"}]"#,
    ),
    (
        "at most four cache marks",
        r#"M[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]"#,
        r#"M[{"role":"user","content":[{"type":"text","text":"1","cache_control":{}},{"type":"text","text":"2","cache_control":{}},
            {"type":"text","text":"3","cache_control":{}}]}],
            "system":[{"type":"text","text":"s","cache_control":{}}],"tools":[{"name":"a","input_schema":{},"cache_control":{}}]"#,
    ),
    (
        "the budget is below max_tokens",
        r#"M[{"role":"user","content":"x"}],"thinking":{"type":"enabled","budget_tokens":1999}"#,
        r#"M[{"role":"user","content":"x"}],"thinking":{"type":"enabled","budget_tokens":2000}"#,
    ),
    (
        "no forced call while thinking",
        r#"M[{"role":"user","content":"x"}],"thinking":{"type":"disabled"},"tool_choice":{"type":"any"},
            "tools":[{"name":"a","input_schema":{}}]"#,
        r#"M[{"role":"user","content":"x"}],"thinking":{"type":"enabled","budget_tokens":1024},"tool_choice":{"type":"any"},
            "tools":[{"name":"a","input_schema":{}}]"#,
    ),
    (
        "a choice needs tools",
        r#"M[{"role":"user","content":"x"}],"tool_choice":{"type":"auto"},"tools":[{"name":"a","input_schema":{}}]"#,
        r#"M[{"role":"user","content":"x"}],"tool_choice":{"type":"auto"}"#,
    ),
];

#[cfg(test)]
pub(super) const COUNT_EXAMPLES: &[(&str, &str, &str)] = &[
    ("the model is named", r#"{"model":"claude"}"#, "{}"),
    (
        "no unknown members in a count",
        r#"{"model":"claude","messages":[],"tools":[]}"#,
        r#"{"model":"claude","messages":[],"max_tokens":9}"#,
    ),
];

#[cfg(test)]
pub(super) const INVOKE_EXAMPLES: &[(&str, &str, &str)] = &[
    ("the version is given", r#"{"anthropic_version":"x","max_tokens":9}"#, r#"{"max_tokens":9}"#),
    (
        "max_tokens is given",
        r#"{"anthropic_version":"x","max_tokens":9}"#,
        r#"{"anthropic_version":"x"}"#,
    ),
    (
        "no unknown members by way of Bedrock",
        r#"{"anthropic_version":"x","anthropic_beta":[],"max_tokens":9}"#,
        r#"{"anthropic_version":"x","model":"claude","max_tokens":9}"#,
    ),
];
