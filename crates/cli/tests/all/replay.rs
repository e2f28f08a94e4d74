//! `tokenforge replay`: what would have been saved on recorded sessions.

use crate::kit::{Folder, Run, failure, out, run, run_in};
use crate::serve::Serving;
use serde_json::{Value, json};
use std::fs;
use tokenforge_mock::Mock;
use tokenforge_mock::client::Ask;

/// A session of Claude Code with a subagent's in between, and a line that was cut.
fn claude_code() -> String {
    let usage = json!({"input_tokens": 4, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 20000, "output_tokens": 50});
    let answer = |id: &str, content: Value| {
        json!({"type": "assistant", "uuid": format!("a-{id}"), "sessionId": "s", "message":
        {"id": id, "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "usage": usage}})
    };
    let user = |uuid: &str, content: Value| json!({"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": content}});
    let call = |id: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "cargo test"}}]);
    let result = |id: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": tests()}]);
    let mut side = user("side", json!("look into it"));
    side["isSidechain"] = true.into();
    let lines = [
        json!({"type": "summary", "summary": "s", "leafUuid": "l"}),
        user("1", json!("test it")),
        answer("m1", call("t1")),
        user("2", result("t1")),
        side,
        answer("m2", call("t2")),
        user("3", result("t2")),
        answer("m3", json!([{"type": "text", "text": "all pass"}])),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n{\"type\":\"user\",\"message\":{\"ro"
}

fn codex() -> String {
    let item = |payload: Value| {
        json!({"timestamp": "t", "type": "response_item", "payload": payload}).to_string()
    };
    let message = |role: &str, text: &str| {
        item(
            json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}),
        )
    };
    [
        json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "c"}}).to_string(),
        json!({"timestamp": "t", "type": "turn_context", "payload": {"model": "gpt-5-codex"}}).to_string(),
        message("user", "test it"),
        item(json!({"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"cargo test\"}", "call_id": "c1"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": tests()})),
        message("assistant", "all pass"),
    ]
    .join("\n")
}

fn tests() -> String {
    let tests: Vec<String> = (0..150).map(|n| format!("test module::case_{n} ... ok")).collect();
    format!(
        "running 150 tests\n{}\n\ntest result: ok. 150 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n",
        tests.join("\n")
    )
}

fn parsed(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn each_client_s_log_is_known_by_what_is_in_it() {
    let folder = Folder::new();
    let messages =
        json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]);
    let export = json!({"info": {"id": "ses"}, "messages": [{"info": {"role": "assistant"}, "parts": [{"type": "text", "text": "x"}]}]});
    let paths = [
        folder.file("a.jsonl", claude_code()),
        folder.file("b.jsonl", codex()),
        folder.file("c.json", messages.to_string()),
        folder.file("d.json", serde_json::to_string_pretty(&export).unwrap()),
        folder.file("e.json", "{\"colour\": 1}"),
    ];
    let found = parsed(&run(&format!("replay --json {}", paths.join(" ")), ""));
    let clients: Vec<_> =
        found["sessions"].as_array().unwrap().iter().map(|session| &session["client"]).collect();
    assert_eq!(clients, ["claude_code", "codex", "messages", "opencode"]);
    let problems = found["problems"].to_string();
    assert!(problems.contains("e.json") && problems.contains("a.jsonl"), "{problems}");
}

#[test]
fn requests_are_charged_as_logged_and_prefixes_are_stable() {
    let folder = Folder::new();
    let log = folder.file("s.jsonl", claude_code());
    let found = parsed(&run(&format!("replay --json {log}"), ""));
    let total = &found["total"];
    assert_eq!((&total["requests"], &total["logged"]), (&json!(3), &json!(3)));
    assert_eq!(total["prefix_stability"], 1.0);
    assert_eq!(total["before"]["tokens"]["cache_read"], 60000.0);
    let part = |when: &str, what: &str| total[when]["cost"][what].as_f64().unwrap();
    assert!(part("after", "cache_read") < part("before", "cache_read"));
    assert_eq!(part("after", "output"), part("before", "output"));
    let bash = &total["tools"]["Bash"];
    assert!(bash["tokens_out"].as_u64() < bash["tokens_in"].as_u64(), "{bash}");
    assert!(total["expansions"]["references"].as_u64() >= Some(1), "{total}");
    assert_eq!(total["skipped"], 1);
}

#[test]
fn what_is_not_smaller_is_said_plainly() {
    let folder = Folder::new();
    let messages =
        json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]);
    // A prompt that is long enough for our tool, and no result that it could help with.
    let tool = json!({"name": "Bash", "description": "Runs a command. ".repeat(4000)});
    let log = json!({"messages": messages, "tools": [tool]});
    let log = folder.file("m.json", log.to_string());
    let text = out(&format!("replay {log}"), "");
    assert!(text.contains("1 of 1 sessions cost MORE"), "{text}");
    assert!(text.contains("modelled"), "{text}");
}

#[test]
fn without_a_path_the_clients_own_folders_are_searched() {
    let folder = Folder::new();
    let projects = folder.path("home/.claude/projects/p");
    fs::create_dir_all(&projects).unwrap();
    fs::write(projects.join("s.jsonl"), claude_code()).unwrap();
    let run = run_in(
        &folder.path(""),
        &[
            ("HOME", "home"),
            ("XDG_DATA_HOME", "none"),
            ("CODEX_HOME", "none"),
            ("CLAUDE_CONFIG_DIR", "home/.claude"),
        ],
        &["replay", "--json"],
        "",
    );
    assert!(run.stderr.contains("Claude Code        1 logs in"), "{}", run.stderr);
    assert_eq!(parsed(&run)["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn the_page_and_the_threads_change_nothing() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.jsonl", claude_code()), folder.file("b.jsonl", codex()));
    let page = folder.path("page.html");
    let one = run(&format!("replay --json --threads 1 {a} {b}"), "");
    let many = run(&format!("replay --json --threads 4 --html {} {a} {b}", page.display()), "");
    assert_eq!(parsed(&one), parsed(&many));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("Bash") && !page.contains("<script"));
}

#[test]
fn a_stage_can_be_left_out_to_see_what_it_is_worth() {
    let folder = Folder::new();
    let log = folder.file("a.jsonl", claude_code());
    let total =
        |flags: &str| parsed(&run(&format!("replay --json {log} {flags}"), ""))["total"].clone();
    let (with, without) = (total(""), total("--without family"));
    assert!(with["stages"]["family"].is_object(), "{with}");
    assert!(without["stages"]["family"].is_null(), "{without}");
    let error = failure(2, &format!("replay {log} --without nonsense"), "");
    assert!(error.contains("nonsense") && error.contains("family"), "{error}");
}

#[test]
fn what_is_no_history_is_an_error_that_says_so() {
    let folder = Folder::new();
    let file = folder.file("notes.json", "no JSON");
    let error = failure(1, &format!("replay {file}"), "");
    assert!(error.contains("notes.json") && error.contains("Claude Code"), "{error}");
    let error = failure(1, "replay /does/not/exist", "");
    assert!(error.contains("/does/not/exist does not exist"), "{error}");
}

#[test]
fn l5_a_replay_counts_what_the_gateway_sends() {
    let rows: Vec<Value> =
        (0..40).map(|id| json!({"id": id, "state": "open", "title": "a row"})).collect();
    let outputs = [tests(), serde_json::to_string_pretty(&rows).unwrap(), tests()];
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (number, output) in outputs.iter().enumerate() {
        let id = format!("call_{number}");
        let function = json!({"name": "bash", "arguments": "{\"command\":\"cargo test\"}"});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
    }
    // So large that the tool with which something is fetched back pays for itself.
    let description = "Runs a command and prints what it says. ".repeat(800);
    let tools = json!([{"type": "function", "function": {
        "name": "bash", "description": description, "parameters": {"type": "object"}}}]);
    let body = json!({"model": "gpt-4o", "tools": tools, "messages": messages}).to_string();
    let folder = Folder::new();
    let log = folder.file("body.json", &body);
    let replayed = parsed(&run(&format!("replay --json {log}"), ""));

    // References are signed with a key of each one's own, and some spell in a token more than others: this is a replay's.
    let data = folder.path("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("key"), [7; 32]).unwrap();
    let mock = Mock::start();
    let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let gateway = Serving::with(&own, &[("FORGE_DATA_DIR", data.to_str().unwrap())]);
    assert_eq!(gateway.send(&Ask::post("/v1/chat/completions", &body)).status, 200);
    let sent = mock.last().json();
    let results =
        sent["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let texts: Vec<&str> = results.map(|message| message["content"].as_str().unwrap()).collect();
    let tokens: usize = crate::kit::tokens(&texts).into_iter().sum();
    assert_eq!(replayed["total"]["results"]["tokens_out"].as_u64().unwrap() as usize, tokens);
    assert!(sent["tools"].to_string().contains("expand_context"));
}

/// A session in which one of two tools is called; its list of tools is recorded or not.
fn with_tools(tools: &Value) -> String {
    let call =
        json!({"id": "c1", "type": "function", "function": {"name": "list", "arguments": "{}"}});
    json!({"model": "gpt-5", "tools": tools, "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "three rows"},
        {"role": "assistant", "content": "three"},
    ]})
    .to_string()
}

#[test]
fn u2_replay_names_recorded_tools_that_were_never_called_and_what_schemas_could_save() {
    let folder = Folder::new();
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "title": "Rows"});
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "Some   rows.", "parameters": schema}});
    let file = folder.file("a.json", with_tools(&json!([tool("list"), tool("mcp__files__write")])));
    let found = parsed(&run(&format!("replay --json {file}"), ""));
    let declarations = &found["total"]["declarations"];
    assert_eq!(declarations["sessions"], 1);
    assert_eq!(declarations["tools"]["messages/mcp__files__write"]["called"], 0);
    assert_eq!(declarations["tools"]["messages/mcp__files__write"]["server"], "files");
    assert_eq!(declarations["tools"]["messages/list"]["called"], 1);
    assert!(declarations["unused_cost"].as_f64().unwrap() > 0.0, "{declarations}");
    let tokens = |how: &str| declarations[how]["tokens"].as_u64().unwrap();
    assert!(0 < tokens("minify") && tokens("minify") < tokens("compact"), "{declarations}");
    let page = out(&format!("replay {file}"), "");
    assert!(page.contains("Tool declarations, recorded for 1 of 1 sessions"), "{page}");
    let row = page.lines().find(|line| line.starts_with("mcp__files__write"));
    assert!(row.is_some_and(|row| row.contains("files") && row.contains('$')), "{page}");
}

#[test]
fn u2_replay_says_where_no_list_of_tools_was_recorded() {
    let folder = Folder::new();
    let file = folder.file("a.json", with_tools(&Value::Null));
    let page = out(&format!("replay {file}"), "");
    assert!(page.contains("no log has a list of tools"), "{page}");
    let found = parsed(&run(&format!("replay --json {file}"), ""));
    assert_eq!(found["total"]["declarations"]["sessions"], 0);
}
