//! Rules about the request as a whole and about each item alone.

use super::kind;
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, invalid, items, text, twice, unknown_member};
use serde_json::Value;

/// A question to a model.
pub(super) const ANSWER: &[Rule] = &[Rule {
    name: "no unknown members",
    says: Provider("Unknown parameter: '…'."),
    check: |asked| known(asked, MEMBERS),
}];

/// A compaction: the members are those of openai 3.49.
pub(super) const COMPACT: &[Rule] = &[Rule {
    name: "no unknown members in a compaction",
    says: Provider("Unknown parameter: '…'."),
    check: |asked| known(asked, COMPACT_MEMBERS),
}];

/// Both.
pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "the model is named",
        says: Provider("Missing required parameter: 'model'."),
        check: |asked| required(asked, "model"),
    },
    Rule {
        name: "input is given",
        says: Provider("Missing required parameter: 'input'."),
        check: |asked| required(asked, "input"),
    },
    Rule {
        name: "items are of known types",
        says: Provider("Invalid value: '…'. Supported values are: "),
        check: kinds,
    },
    Rule {
        name: "roles are known",
        says: Provider(
            "Invalid value: '…'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        ),
        check: roles,
    },
    Rule {
        name: "an output is a string or a list",
        says: Provider("Invalid type for 'input[…].output': expected one of "),
        check: outputs,
    },
    Rule {
        name: "ids of items begin with their kind",
        says: Provider("Invalid 'input[…].id': '…'. Expected an ID that begins with 'fc'."),
        check: prefixes,
    },
    Rule {
        name: "ids of items are unique",
        says: Provider(
            "Duplicate item found with id …. Remove duplicate items from your input and try again.",
        ),
        check: unique_items,
    },
    Rule { name: "tool names are unique", says: Assumed, check: unique_tools },
];

const MEMBERS: &[&str] = &[
    "background",
    "client_metadata",
    "context_management",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

const COMPACT_MEMBERS: &[&str] = &[
    "image",
    "input",
    "instructions",
    "model",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "service_tier",
];

const KINDS: &[&str] = &[
    "message",
    "additional_tools",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "computer_call",
    "computer_call_output",
    "configuration_update",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "program",
    "program_output",
    "reasoning",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

fn input<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (usize, &'a Value)> {
    items(&asked.body["input"]).iter().enumerate()
}

fn required(asked: &Asked<'_>, name: &str) -> Result<(), Broken> {
    if asked.body[name].is_null() && asked.body["prompt"].is_null() {
        let code = Some("missing_required_parameter");
        return invalid(format!("Missing required parameter: '{name}'."), name, code);
    }
    Ok(())
}

fn known(asked: &Asked<'_>, members: &[&str]) -> Result<(), Broken> {
    match unknown_member(asked.body, members) {
        Some(name) => {
            invalid(format!("Unknown parameter: '{name}'."), name, Some("unknown_parameter"))
        }
        None => Ok(()),
    }
}

fn kinds(asked: &Asked<'_>) -> Result<(), Broken> {
    match input(asked).find(|(_, item)| !KINDS.contains(&kind(item))) {
        Some((at, item)) => invalid(
            format!(
                "Invalid value: '{}'. Supported values are: '{}'.",
                kind(item),
                KINDS.join("', '")
            ),
            format!("input[{at}]"),
            Some("invalid_value"),
        ),
        None => Ok(()),
    }
}

fn roles(asked: &Asked<'_>) -> Result<(), Broken> {
    let known = ["assistant", "system", "developer", "user"];
    let strange = |item: &Value| kind(item) == "message" && !known.contains(&text(&item["role"]));
    match input(asked).find(|(_, item)| strange(item)) {
        Some((at, item)) => invalid(
            format!(
                "Invalid value: '{}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
                text(&item["role"])
            ),
            format!("input[{at}].role"),
            Some("invalid_value"),
        ),
        None => Ok(()),
    }
}

fn outputs(asked: &Asked<'_>) -> Result<(), Broken> {
    let checked = ["function_call_output", "custom_tool_call_output"];
    let strange = |item: &Value| {
        checked.contains(&kind(item)) && !item["output"].is_string() && !item["output"].is_array()
    };
    match input(asked).find(|(_, item)| strange(item)) {
        Some((at, _)) => invalid(
            format!(
                "Invalid type for 'input[{at}].output': expected one of an array of objects or string, but got \
                 something else instead."
            ),
            format!("input[{at}].output"),
            Some("invalid_type"),
        ),
        None => Ok(()),
    }
}

fn prefixes(asked: &Asked<'_>) -> Result<(), Broken> {
    let strange = |item: &Value| {
        kind(item) == "function_call" && item["id"].as_str().is_some_and(|id| !id.starts_with("fc"))
    };
    match input(asked).find(|(_, item)| strange(item)) {
        Some((at, item)) => invalid(
            format!(
                "Invalid 'input[{at}].id': '{}'. Expected an ID that begins with 'fc'.",
                text(&item["id"])
            ),
            format!("input[{at}].id"),
            Some("invalid_value"),
        ),
        None => Ok(()),
    }
}

fn unique_items(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(input(asked).filter_map(|(_, item)| item["id"].as_str())) {
        Some(id) => invalid(
            format!(
                "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            ),
            "input",
            None,
        ),
        None => Ok(()),
    }
}

fn unique_tools(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(items(&asked.body["tools"]).iter().filter_map(|tool| tool["name"].as_str())) {
        Some(name) => {
            invalid(format!("Tool names must be unique: '{name}' occurs twice."), "tools", None)
        }
        None => Ok(()),
    }
}

#[cfg(test)]
pub(super) const COMPACT_EXAMPLES: &[(&str, &str, &str)] =
    &[("no unknown members in a compaction", r#"I"x","instructions":"y""#, r#"I"x","tools":[]"#)];

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    ("the model is named", r#"{"model":"gpt","input":"x"}"#, r#"{"input":"x"}"#),
    ("input is given", r#"{"model":"gpt","input":[]}"#, r#"{"model":"gpt"}"#),
    ("no unknown members", r#"I"x","store":false"#, r#"I"x","_forge":{}"#),
    (
        "items are of known types",
        r#"I[{"role":"user","content":"x"}]"#,
        r#"I[{"type":"tool_result"}]"#,
    ),
    (
        "roles are known",
        r#"I[{"type":"message","role":"developer","content":"x"}]"#,
        r#"I[{"type":"message","role":"tool","content":"x"}]"#,
    ),
    (
        "an output is a string or a list",
        r#"I[{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":[]}]"#,
        r#"I[{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":{}}]"#,
    ),
    (
        "ids of items begin with their kind",
        r#"I[{"type":"function_call","id":"fc_1","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":""}]"#,
        r#"I[{"type":"function_call","id":"call_1","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":""}]"#,
    ),
    (
        "ids of items are unique",
        r#"I[{"id":"msg_1","role":"user","content":"x"},{"id":"msg_2","role":"user","content":"x"}]"#,
        r#"I[{"id":"msg_1","role":"user","content":"x"},{"id":"msg_1","role":"user","content":"x"}]"#,
    ),
    (
        "tool names are unique",
        r#"I"x","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]"#,
        r#"I"x","tools":[{"type":"function","name":"a"},{"type":"function","name":"a"}]"#,
    ),
];
