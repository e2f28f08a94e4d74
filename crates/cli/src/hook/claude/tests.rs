//! What hooks of Claude Code are told, as it was seen, and what they answer.

use super::*;
use tempfile::NamedTempFile;

fn seen(tool: &str, result: Value) -> Option<HookInput> {
    let input = json!({
        "session_id": "s", "cwd": "/project", "hook_event_name": "PostToolUse", "tool_name": tool,
        "tool_input": {"command": "make"}, "tool_response": result, "tool_use_id": "toolu_1"
    });
    HookInput::read(&input.to_string())
}

fn texts(tool: &str, result: Value) -> Option<Vec<String>> {
    Some(seen(tool, result)?.question().texts)
}

/// The result that Claude Code is given when these are the answers.
fn updated(tool: &str, result: Value, answers: &[Option<&str>]) -> Option<Value> {
    let texts = answers.iter().map(|text| text.map(str::to_owned)).collect();
    let written = seen(tool, result)?.output(HookAnswer { texts })?;
    let mut written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    Some(written["hookSpecificOutput"]["updatedToolOutput"].take())
}

fn bash(stdout: &str, stderr: &str) -> Value {
    json!({"stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false, "noOutputExpected": false})
}

#[test]
fn a_shell_s_result_keeps_its_shape() {
    assert_eq!(texts("Bash", bash("a\nb", "")).unwrap(), ["a\nb"]);
    assert_eq!(texts("Bash", bash("a\n", "e")).unwrap(), ["a\ne"]);
    assert_eq!(updated("Bash", bash("long", "e"), &[Some("short")]), Some(bash("short", "")));
    assert_eq!(updated("Bash", bash("long", ""), &[None]), None);
    let mut image = bash("data:", "");
    image["isImage"] = true.into();
    assert_eq!(texts("Bash", image), None);
}

#[test]
fn of_an_output_that_was_cut_the_whole_is_read_and_no_more_is_shown_than_of_the_preview() {
    let whole = "line\n".repeat(10_000);
    let file = NamedTempFile::new().unwrap();
    std::fs::write(&file, &whole).unwrap();
    let mut result = bash(&whole[..30_000], "");
    result["persistedOutputPath"] = file.path().to_str().into();
    result["persistedOutputSize"] = whole.len().into();
    let question = seen("Bash", result.clone()).unwrap().question();
    assert_eq!((question.texts, question.shown_bytes), (vec![whole], Some(2000)));
    assert_eq!(updated("Bash", result.clone(), &[Some("short")]), Some(bash("short", "")));
    std::fs::write(&file, "another file").unwrap();
    assert!(texts("Bash", result.clone()).is_none());
    result["persistedOutputPath"] = "/".into();
    assert!(texts("Bash", result).is_none());
}

#[test]
fn a_file_s_text_is_replaced_inside_of_what_is_said_about_it() {
    let read = |content: &str| json!({"type": "text", "file": {"filePath": "/a", "content": content, "startLine": 1}});
    assert_eq!(texts("Read", read("k")).unwrap(), ["k"]);
    assert_eq!(updated("Read", read("k"), &[Some("***")]), Some(read("***")));
    assert_eq!(texts("Read", json!({"type": "image", "file": {"base64": "x"}})), None);
}

#[test]
fn a_tool_server_s_result_is_a_text_or_blocks() {
    let tool = "mcp__files__list";
    assert_eq!(updated(tool, json!("{}"), &[Some("x")]), Some(json!("x")));
    let blocks = |text: &str| json!([{"type": "image", "source": {}}, {"type": "text", "text": text}, {"type": "text", "text": "b"}]);
    assert_eq!(texts(tool, blocks("a")).unwrap(), ["a", "b"]);
    assert_eq!(updated(tool, blocks("a"), &[Some("x"), None]), Some(blocks("x")));
    assert_eq!(updated(tool, blocks("a"), &[None, None]), None);
}

#[test]
fn what_is_not_known_is_left_alone() {
    assert!(HookInput::read("").is_none() && HookInput::read("[]").is_none());
    assert!(HookInput::read(r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash"}"#).is_none());
    for result in [
        json!(null),
        json!(1),
        json!({"status": "async_launched"}),
        json!("text"),
        json!([{"type": "text", "text": "a"}]),
    ] {
        assert!(texts("Agent", result).is_none());
    }
}

#[test]
fn d38_what_searches_pages_and_subagents_say_is_replaced_in_its_own_shape() {
    let grep = |content: &str| json!({"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 2});
    assert_eq!(texts("Grep", grep("a.rs:1:x\na.rs:2:y")).unwrap(), ["a.rs:1:x\na.rs:2:y"]);
    assert_eq!(updated("Grep", grep("long"), &[Some("short")]), Some(grep("short")));
    let glob = |paths: &[&str]| json!({"filenames": paths, "durationMs": 3, "numFiles": 2, "truncated": false});
    assert_eq!(texts("Glob", glob(&["a.rs", "b.rs"])).unwrap(), ["a.rs\nb.rs"]);
    assert_eq!(updated("Glob", glob(&["a.rs", "b.rs"]), &[Some("ab")]), Some(glob(&["ab"])));
    assert_eq!(updated("Glob", glob(&["a.rs"]), &[None]), None);
    let files = json!({"mode": "files_with_matches", "numFiles": 1, "filenames": ["a.rs"]});
    assert_eq!(texts("Grep", files).unwrap(), ["a.rs"]);
    let page = |text: &str| json!({"bytes": 9, "code": 200, "codeText": "OK", "result": text, "url": "https://a"});
    assert_eq!(updated("WebFetch", page("long"), &[Some("short")]), Some(page("short")));
    let task = |text: &str| json!({"status": "completed", "agentId": "a", "content": [{"type": "text", "text": text}], "totalTokens": 9});
    for name in ["Task", "Agent"] {
        assert_eq!(texts(name, task("report")).unwrap(), ["report"]);
        assert_eq!(updated(name, task("long"), &[Some("short")]), Some(task("short")));
        assert_eq!(updated(name, task("long"), &[None]), None);
    }
    // What has another shape than it had when this was written stays as it is.
    for tool in ["Grep", "Glob", "WebFetch", "Task"] {
        assert!(texts(tool, json!({"output": "x"})).is_none(), "{tool}");
        assert!(texts(tool, json!("x")).is_none(), "{tool}");
    }
}
