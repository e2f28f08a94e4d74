//! The recorded session: an agent finds and mends a defect in this very project. Every output is what the command said.

use serde_json::{Value, json};

/// The model of the session.
pub(super) const MODEL: &str = "claude-sonnet-4-5";

/// What the user asks for.
pub(super) const TASK: &str = "Phone numbers with spaces in them are no longer found by the pii-filter. Please look whether \
    there is an issue about it, find out what broke it, mend it, and check that nothing else is broken.";

/// What the model says in the end.
pub(super) const CONCLUSION: &str = "A number may have seven groups of digits, and only four were read. With that mended \
    all tests pass.";

/// One call of the model, and what the tool said.
pub(super) struct Step {
    pub(super) says: &'static str,
    pub(super) tool: &'static str,
    /// As JSON.
    pub(super) arguments: &'static str,
    pub(super) output: &'static str,
    pub(super) is_error: bool,
}

/// What the model asks to see of an output from which something was left out.
pub(super) struct Expansion {
    /// Before which step.
    pub(super) before: usize,
    pub(super) grep: &'static str,
}

pub(super) const EXPANSION: Expansion = Expansion { before: 7, grep: "telephone" };

pub(super) const STEPS: [Step; 9] = [
    Step {
        says: "Let me see whether someone reported it.",
        tool: "mcp__tracker__list_issues",
        arguments: r#"{"state":"all","sort":"updated"}"#,
        output: include_str!("session/issues.json"),
        is_error: false,
    },
    Step {
        says: "What changed lately?",
        tool: "Bash",
        arguments: r#"{"command":"git log --stat -15 --no-merges"}"#,
        output: include_str!("session/git-log.txt"),
        is_error: false,
    },
    Step {
        says: "Where are phone numbers looked for?",
        tool: "Bash",
        arguments: r#"{"command":"grep -rnE 'phone|is_ascii_digit' crates --include=*.rs"}"#,
        output: include_str!("session/grep.txt"),
        is_error: false,
    },
    Step {
        says: "Now the tests.",
        tool: "Bash",
        arguments: r#"{"command":"cargo test -p tokenforge-plugins --lib"}"#,
        output: include_str!("session/test-failing.txt"),
        is_error: true,
    },
    Step {
        says: "The test tells which rule it is. I read it.",
        tool: "Read",
        arguments: r#"{"file_path":"crates/plugins/src/pii_filter/phone.rs"}"#,
        output: include_str!("session/read.txt"),
        is_error: false,
    },
    Step {
        says: "Four groups are too few: +33 6 12 34 56 78 has six.",
        tool: "Edit",
        arguments: r#"{"file_path":"crates/plugins/src/pii_filter/phone.rs","old_string":"const MOST_GROUPS: usize = 4;","new_string":"const MOST_GROUPS: usize = 7;"}"#,
        output: include_str!("session/edit.txt"),
        is_error: false,
    },
    Step {
        says: "The tests again.",
        tool: "Bash",
        arguments: r#"{"command":"cargo test -p tokenforge-plugins --lib"}"#,
        output: include_str!("session/test-passing.txt"),
        is_error: false,
    },
    Step {
        says: "I look at the whole file once more.",
        tool: "Read",
        arguments: r#"{"file_path":"crates/plugins/src/pii_filter/phone.rs"}"#,
        output: include_str!("session/read-again.txt"),
        is_error: false,
    },
    Step {
        says: "Last, what the gateway wrote down meanwhile.",
        tool: "Bash",
        arguments: r#"{"command":"tail -n 20 /var/log/tokenforge/events.jsonl"}"#,
        output: include_str!("session/events.jsonl"),
        is_error: false,
    },
];

/// A request of the agent, with all that was said so far.
pub(super) fn request(messages: &[Value]) -> Value {
    json!({
        "model": MODEL,
        "max_tokens": 4096,
        "system": "You are a coding agent. You work in the folder of a project with the tools that you have. Look before you \
            change something, change as little as possible, and say what you did in a few words.",
        "tools": tools(),
        "messages": messages,
    })
}

fn tools() -> Value {
    let tool = |name: &str, description: &str, properties: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"name": name, "description": description, "input_schema": schema})
    };
    let text = |description: &str| json!({"type": "string", "description": description});
    json!([
        tool("Bash", "Runs a command in a shell.", json!({"command": text("The command")})),
        tool(
            "Read",
            "Reads a file, with a number on every line.",
            json!({"file_path": text("Its path")})
        ),
        tool(
            "Edit",
            "Replaces a text in a file.",
            json!({
                "file_path": text("Its path"), "old_string": text("What is there"),
                "new_string": text("What takes its place"),
            })
        ),
        tool(
            "mcp__tracker__list_issues",
            "Lists the issues of the project.",
            json!({"state": text("open, closed or all"), "sort": text("created or updated")})
        ),
    ])
}
