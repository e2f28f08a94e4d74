//! What agents send: conversations with a tool's output in them.

use super::Ask;
use serde_json::{Value, json};

/// A conversation in Anthropic's shape in which a shell was called once and put out `text`.
pub(crate) fn conversation(text: &str) -> Value {
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1000,
        // An agent's prompt is long; tools are offered where it pays.
        "system": "You are an agent that works in a repository of source code. ".repeat(400),
        "tools": [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cargo test"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": text},
            ]},
        ],
    })
}

/// The same, asking for a stream.
pub(crate) fn streaming(text: &str) -> Value {
    let mut body = conversation(text);
    body["stream"] = true.into();
    body
}

/// A request of 500 bytes for a stream: bodies are kept while their answer may ask for an original, and would be most of what
/// a stream holds.
pub(crate) fn small_stream() -> Value {
    let mut body = streaming("short");
    body["system"] = "You are an agent.".into();
    body
}

/// Settings that offer the tool for originals, so that streams are read.
pub(crate) const OFFERED: &str = "pipes: {tool_output: {expand_injection: from_start}}";

/// Takes the list of tools out of a body.
pub(crate) fn without_tools(body: &mut Value) {
    if let Some(members) = body.as_object_mut() {
        members.remove("tools");
    }
}

/// A request to Anthropic.
pub(crate) fn messages(body: &Value) -> Ask {
    let ask = Ask::post("/v1/messages", body.to_string());
    ask.header("anthropic-version", "2023-06-01").header("x-api-key", "sk-proof")
}

/// A test run, of which most lines can be left out. Another for each number.
pub(crate) fn test_run(number: usize) -> String {
    let passed: String =
        (0..400).map(|n| format!("test suite::case_number_{n} ... ok\n")).collect();
    format!(
        "     Running unittests src/lib.rs (target/debug/deps/suite-{number:08x})\n\nrunning 401 tests\n{passed}\
         test suite::broken_{number} ... FAILED\n\nfailures:\n\n---- suite::broken_{number} stdout ----\n\
         thread 'suite::broken' panicked at src/lib.rs:7:5:\nassertion failed: left == right\n\n\n\
         failures:\n    suite::broken_{number}\n\ntest result: FAILED. 400 passed; 1 failed; 0 ignored\n"
    )
}

/// A list that is shortened without loss. Another for each number.
pub(crate) fn rows(number: usize) -> String {
    let row =
        |n: usize| json!({"id": number * 1000 + n, "name": format!("row {n}"), "state": "open"});
    let rows: Vec<Value> = (0..60).map(row).collect();
    format!("{:#}", Value::from(rows))
}
