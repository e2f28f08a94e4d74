//! Rules about the request as a whole and about each step alone. The shapes are those of google-genai 3.1.

use super::{kind, steps};
use crate::refusal::Says::Assumed;
use crate::refusal::{Asked, Broken, Rule, broken, items, twice, unknown_member};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a model or an agent is named", says: Assumed, check: model },
    Rule { name: "input is given", says: Assumed, check: input },
    Rule { name: "no unknown members", says: Assumed, check: known },
    Rule { name: "steps and contents are of known types", says: Assumed, check: kinds },
    Rule { name: "steps and contents are not mixed", says: Assumed, check: unmixed },
    Rule { name: "a result says which call it is of", says: Assumed, check: call_ids },
    Rule { name: "a result is text, contents or an object", says: Assumed, check: results },
    Rule { name: "steps have no unknown members", says: Assumed, check: step_members },
    Rule { name: "tools are of known types", says: Assumed, check: tools },
    Rule { name: "tool names are unique", says: Assumed, check: unique_tools },
];

const MEMBERS: &[&str] = &[
    "agent",
    "agent_config",
    "background",
    "cached_content",
    "continuation_token",
    "environment",
    "generation_config",
    "input",
    "labels",
    "model",
    "previous_interaction_id",
    "response_format",
    "response_mime_type",
    "response_modalities",
    "safety_settings",
    "service_tier",
    "store",
    "stream",
    "system_instruction",
    "tools",
    "webhook_config",
];

const CONTENTS: &[&str] = &["text", "image", "audio", "document", "video"];

const STEPS: &[&str] = &[
    "code_execution_call",
    "code_execution_result",
    "file_search_call",
    "file_search_result",
    "function_call",
    "function_result",
    "google_maps_call",
    "google_maps_result",
    "google_search_call",
    "google_search_result",
    "mcp_server_tool_call",
    "mcp_server_tool_result",
    "model_output",
    "processing_call",
    "processing_result",
    "retrieval_call",
    "retrieval_result",
    "thought",
    "url_context_call",
    "url_context_result",
    "user_input",
];

const TOOLS: &[&str] = &[
    "code_execution",
    "computer_use",
    "file_search",
    "function",
    "google_maps",
    "google_search",
    "mcp_server",
    "retrieval",
    "url_context",
];

fn model(asked: &Asked<'_>) -> Result<(), Broken> {
    let (model, agent) = (&asked.body["model"], &asked.body["agent"]);
    if model.is_string() != agent.is_string() {
        Ok(())
    } else {
        broken("Exactly one of 'model' and 'agent' must be set.")
    }
}

fn input(asked: &Asked<'_>) -> Result<(), Broken> {
    let input = &asked.body["input"];
    let is_said = match input {
        Value::Null => asked.body["continuation_token"].is_string(),
        Value::Array(steps) => !steps.is_empty(),
        input => input.is_string() || input.is_object(),
    };
    if is_said {
        Ok(())
    } else {
        broken("'input' must be a string, a content, or a list that is not empty.")
    }
}

fn known(asked: &Asked<'_>) -> Result<(), Broken> {
    match unknown_member(asked.body, MEMBERS) {
        Some(name) => broken(format!("Unknown parameter '{name}'.")),
        None => Ok(()),
    }
}

fn kinds(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_strange =
        |step: &&Value| !STEPS.contains(&kind(step)) && !CONTENTS.contains(&kind(step));
    match steps(asked).iter().find(is_strange) {
        Some(step) => broken(format!("Unknown type '{}' in 'input'.", kind(step))),
        None => Ok(()),
    }
}

fn unmixed(asked: &Asked<'_>) -> Result<(), Broken> {
    let contents = steps(asked).iter().filter(|step| CONTENTS.contains(&kind(step))).count();
    if contents == 0 || contents == steps(asked).len() {
        Ok(())
    } else {
        broken("'input' is a list of steps or a list of contents, not both.")
    }
}

fn results_of<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = &'a Value> {
    steps(asked).iter().filter(|step| kind(step) == "function_result")
}

fn call_ids(asked: &Asked<'_>) -> Result<(), Broken> {
    if results_of(asked).any(|result| !result["call_id"].is_string()) {
        broken("'call_id' is required in a function result.")
    } else {
        Ok(())
    }
}

fn results(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_known = |result: &Value| match result {
        Value::Array(contents) => contents.iter().all(|content| CONTENTS.contains(&kind(content))),
        result => result.is_string() || result.is_object(),
    };
    if results_of(asked).any(|step| !is_known(&step["result"])) {
        broken("'result' must be a string, a list of contents, or an object.")
    } else {
        Ok(())
    }
}

fn step_members(asked: &Asked<'_>) -> Result<(), Broken> {
    for step in steps(asked) {
        let known: &[&str] = match kind(step) {
            "function_call" => &["type", "id", "name", "arguments", "signature"],
            "function_result" => &["type", "call_id", "name", "result", "is_error"],
            "user_input" | "model_output" => &["type", "content", "error"],
            "thought" => &["type", "signature", "summary"],
            "text" => &["type", "text", "annotations"],
            _ => continue,
        };
        if let Some(name) = unknown_member(step, known) {
            return broken(format!("Unknown member '{name}' in a step of type '{}'.", kind(step)));
        }
    }
    Ok(())
}

fn tools(asked: &Asked<'_>) -> Result<(), Broken> {
    match items(&asked.body["tools"]).iter().find(|tool| !TOOLS.contains(&kind(tool))) {
        Some(tool) => broken(format!("Unknown type '{}' in 'tools'.", kind(tool))),
        None => Ok(()),
    }
}

fn unique_tools(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(items(&asked.body["tools"]).iter().filter_map(|tool| tool["name"].as_str())) {
        Some(name) => broken(format!("The tool '{name}' is declared twice.")),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    ("a model or an agent is named", r#"{"agent":"a","input":"x"}"#, r#"{"input":"x"}"#),
    ("input is given", r#"{"model":"m","continuation_token":"t"}"#, r#"{"model":"m","input":[]}"#),
    ("no unknown members", r#"I"x","store":false"#, r#"I"x","_forge":{}"#),
    (
        "steps and contents are of known types",
        r#"I{"type":"text","text":"x"}"#,
        r#"I[{"role":"user","content":"x"}]"#,
    ),
    (
        "steps and contents are not mixed",
        r#"I[{"type":"text","text":"x"},{"type":"image","data":"x"}]"#,
        r#"I[{"type":"text","text":"x"},{"type":"user_input","content":[]}]"#,
    ),
    (
        "a result says which call it is of",
        r#"I[{"type":"function_call","id":"a","name":"t","arguments":{}},{"type":"function_result","call_id":"a","result":"x"}]"#,
        r#"I[{"type":"function_call","id":"a","name":"t","arguments":{}},{"type":"function_result","result":"x"}]"#,
    ),
    (
        "a result is text, contents or an object",
        r#"I[{"type":"function_call","id":"a","name":"t","arguments":{}},{"type":"function_result","call_id":"a","result":[{"type":"text","text":"x"}]}]"#,
        r#"I[{"type":"function_call","id":"a","name":"t","arguments":{}},{"type":"function_result","call_id":"a","result":[{"row":1}]}]"#,
    ),
    (
        "steps have no unknown members",
        r#"I[{"type":"user_input","content":[]}]"#,
        r#"I[{"type":"user_input","role":"user","content":[]}]"#,
    ),
    (
        "tools are of known types",
        r#"I"x","tools":[{"type":"google_search"}]"#,
        r#"I"x","tools":[{"name":"a"}]"#,
    ),
    (
        "tool names are unique",
        r#"I"x","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]"#,
        r#"I"x","tools":[{"type":"function","name":"a"},{"type":"function","name":"a"}]"#,
    ),
];
