//! Rules about the request as a whole: its members, its roles, its tools.

use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, invalid, items, text, twice, unknown_member};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "the model is named",
        says: Provider("Missing required parameter: 'model'."),
        check: |asked| required(asked, "model"),
    },
    Rule {
        name: "messages are given",
        says: Provider("Missing required parameter: 'messages'."),
        check: |asked| required(asked, "messages"),
    },
    Rule {
        name: "there is a message",
        says: Provider(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ),
        check: |asked| not_empty(asked, "messages"),
    },
    Rule { name: "no unknown members", says: Provider("Unknown parameter: '…'."), check: known },
    Rule {
        name: "roles are known",
        says: Provider(
            "Invalid value: '…'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        ),
        check: roles,
    },
    Rule {
        name: "a message has content",
        says: Provider("Invalid value for 'content': expected a string, got null."),
        check: content,
    },
    Rule {
        name: "tools are not an empty list",
        says: Provider(
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ),
        check: |asked| not_empty(asked, "tools"),
    },
    Rule {
        name: "tool names are well formed",
        says: Provider(
            "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        ),
        check: tool_names,
    },
    Rule { name: "tool names are unique", says: Assumed, check: unique_tools },
    Rule {
        name: "options of a stream need a stream",
        says: Provider("The 'stream_options' parameter is only allowed when 'stream' is enabled."),
        check: stream_options,
    },
    Rule {
        name: "a choice needs tools",
        says: Provider(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        ),
        check: choice,
    },
];

const MEMBERS: &[&str] = &[
    "model",
    "messages",
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "modalities",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

fn required(asked: &Asked<'_>, name: &str) -> Result<(), Broken> {
    if asked.body[name].is_null() {
        let code = Some("missing_required_parameter");
        return invalid(format!("Missing required parameter: '{name}'."), name, code);
    }
    Ok(())
}

fn not_empty(asked: &Asked<'_>, name: &str) -> Result<(), Broken> {
    if asked.body[name].as_array().is_some_and(Vec::is_empty) {
        let message = format!(
            "Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array instead."
        );
        return invalid(message, name, Some("empty_array"));
    }
    Ok(())
}

fn known(asked: &Asked<'_>) -> Result<(), Broken> {
    match unknown_member(asked.body, MEMBERS) {
        Some(name) => {
            invalid(format!("Unknown parameter: '{name}'."), name, Some("unknown_parameter"))
        }
        None => Ok(()),
    }
}

fn roles(asked: &Asked<'_>) -> Result<(), Broken> {
    let known = ["system", "assistant", "user", "function", "tool", "developer"];
    for (at, message) in items(&asked.body["messages"]).iter().enumerate() {
        let role = text(&message["role"]);
        if !known.contains(&role) {
            let message = format!(
                "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and \
                 'developer'."
            );
            return invalid(message, format!("messages[{at}].role"), Some("invalid_value"));
        }
    }
    Ok(())
}

fn content(asked: &Asked<'_>) -> Result<(), Broken> {
    let calls =
        |message: &Value| !message["tool_calls"].is_null() || !message["function_call"].is_null();
    for (at, message) in items(&asked.body["messages"]).iter().enumerate() {
        if message["content"].is_null() && !calls(message) {
            let param = format!("messages.[{at}].content");
            return invalid(
                "Invalid value for 'content': expected a string, got null.",
                param,
                None,
            );
        }
    }
    Ok(())
}

/// The tool's own member: `function` or `custom`.
fn name(tool: &Value) -> &str {
    text(&tool[text(&tool["type"])]["name"])
}

fn tool_names(asked: &Asked<'_>) -> Result<(), Broken> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    for (at, tool) in items(&asked.body["tools"]).iter().enumerate() {
        if name(tool).is_empty() || !name(tool).bytes().all(fits) {
            let param = format!("tools[{at}].function.name");
            let message = format!(
                "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern \
                 '^[a-zA-Z0-9_-]+$'."
            );
            return invalid(message, param, Some("invalid_value"));
        }
    }
    Ok(())
}

fn unique_tools(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(items(&asked.body["tools"]).iter().map(name)) {
        Some(name) => {
            invalid(format!("Tool names must be unique: '{name}' occurs twice."), "tools", None)
        }
        None => Ok(()),
    }
}

fn stream_options(asked: &Asked<'_>) -> Result<(), Broken> {
    if !asked.body["stream_options"].is_null() && asked.body["stream"] != true {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return invalid(message, "stream_options", None);
    }
    Ok(())
}

fn choice(asked: &Asked<'_>) -> Result<(), Broken> {
    if !asked.body["tool_choice"].is_null() && asked.body["tools"].is_null() {
        let message = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
        return invalid(message, "tool_choice", None);
    }
    Ok(())
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "the model is named",
        r#"{"model":"gpt","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"messages":[{"role":"user","content":"x"}]}"#,
    ),
    (
        "messages are given",
        r#"{"model":"gpt","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"model":"gpt"}"#,
    ),
    ("there is a message", r#"M[{"role":"user","content":"x"}]"#, "M[]"),
    (
        "no unknown members",
        r#"M[{"role":"user","content":"x"}],"seed":1"#,
        r#"M[{"role":"user","content":"x"}],"_forge":{}"#,
    ),
    (
        "roles are known",
        r#"M[{"role":"developer","content":"x"}]"#,
        r#"M[{"role":"model","content":"x"}]"#,
    ),
    ("a message has content", r#"M[{"role":"user","content":[]}]"#, r#"M[{"role":"user"}]"#),
    (
        "tools are not an empty list",
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a"}}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[]"#,
    ),
    (
        "tool names are well formed",
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"custom","custom":{"name":"a-1"}}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a.1"}}]"#,
    ),
    (
        "tool names are unique",
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]"#,
        r#"M[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]"#,
    ),
    (
        "options of a stream need a stream",
        r#"M[{"role":"user","content":"x"}],"stream":true,"stream_options":{}"#,
        r#"M[{"role":"user","content":"x"}],"stream_options":{}"#,
    ),
    (
        "a choice needs tools",
        r#"M[{"role":"user","content":"x"}],"tool_choice":"auto","tools":[{"type":"function","function":{"name":"a"}}]"#,
        r#"M[{"role":"user","content":"x"}],"tool_choice":"auto""#,
    ),
];
