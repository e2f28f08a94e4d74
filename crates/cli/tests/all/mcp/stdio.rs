//! `tokenforge mcp stdio`, as a process between a client and a tool server.

use crate::kit::Folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A tool server in a shell.
const SERVER: &str = r#"trap 'exit 9' TERM
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    case "$line" in
        *'"tools/list"'*) result='{"tools":[{"name":"rows","outputSchema":{}}]}' ;;
        *'"long"'*)
            printf '{"result":{"text":"'
            head -c 9000000 /dev/zero | tr '\0' x
            printf '"},"jsonrpc":"2.0","id":%s}\n' "$id"
            continue ;;
        *'"tools/call"'* | *'"resources/read"'* | *'"prompts/get"'* | *'"tasks/'*) result=$RESULT ;;
        *exit*) exit 7 ;;
        *) printf '%s\n' "$line"; continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

struct Filter {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<std::process::ChildStdout>,
}

fn rows() -> String {
    let row = |n: u32| json!({"id": n, "name": format!("row {n}"), "state": "open"});
    serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap()
}

fn filter(folder: &Folder, arguments: &[&str]) -> Filter {
    let result = json!({"content": [{"type": "text", "text": rows()}]});
    filter_of(folder, arguments, &result.to_string(), "false")
}

/// Between a client and a server with this result, that may have promised to pass nothing unchecked.
fn filter_of(folder: &Folder, arguments: &[&str], result: &str, must_redact: &str) -> Filter {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokenforge"))
        .args(["mcp", "stdio"])
        .args(arguments)
        .args(["--", "sh", "-c", SERVER])
        .env("RESULT", result)
        .env("FORGE_REDACT_SECRETS", must_redact)
        .env("FORGE_DATA_DIR", folder.path("data"))
        .env("FORGE_CONFIG_DIR", folder.path("config"))
        .current_dir(folder.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    Filter { child, stdin, stdout: BufReader::new(stdout) }
}

impl Filter {
    fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    fn ask(&mut self, id: &str, method: &str, params: &Value) -> Value {
        self.say(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        let answer: Value = serde_json::from_str(&self.hear()).unwrap();
        assert_eq!(answer["id"], id);
        answer["result"].clone()
    }
}

#[test]
fn m21_tools_are_found_and_called_though_none_is_listed() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &["--tool-list", "search", "--format", "stc"]);
    let listed = filter.ask("1", "tools/list", &json!({}));
    let names: Vec<&Value> =
        listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["find_tools", "call_tool"]);
    let find = json!({"name": "find_tools", "arguments": {"query": "rows"}});
    let found = filter.ask("2", "tools/call", &find);
    assert_eq!(found["content"][0]["text"], r#"{"name":"rows"}"#);
    let call = json!({"name": "call_tool", "arguments": {"name": "rows", "arguments": {}}});
    let result = filter.ask("3", "tools/call", &call);
    assert!(result["content"][0]["text"].as_str().unwrap().len() < rows().len() / 2, "{result}");
}

#[test]
fn m21_requests_that_wait_for_the_list_are_answered_though_the_client_has_ended_its_input() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &["--tool-list", "search"]);
    let call = json!({"name": "call_tool", "arguments": {"name": "rows", "arguments": {}}});
    filter.say(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string(),
    );
    drop(filter.stdin);
    let mut line = String::new();
    filter.stdout.read_line(&mut line).unwrap();
    assert!(line.contains("row 59"), "{line}");
    assert!(filter.child.wait().unwrap().success());
}

#[test]
fn m17_results_are_smaller_and_all_else_is_as_it_was() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &["--format", "toon"]);
    for line in [r#"{ "jsonrpc" : "2.0", "method":"x/y" , "n": 1.0e2 }"#, "no message at all"] {
        filter.say(line);
        assert_eq!(filter.hear(), format!("{line}\n"));
    }
    let tools = filter.ask("a", "tools/list", &json!({}));
    assert_eq!(tools["tools"][0], json!({"name": "rows", "outputSchema": {}}));
    assert_eq!(tools["tools"][1], Value::Null, "in this form nothing is left out");
    let result = filter.ask("b", "tools/call", &json!({"name": "other"}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("[60]{id,name,state}:"), "{text}");
    let unknown =
        filter.ask("c", "tools/call", &json!({"name": "expand_context", "arguments": {"id": "x"}}));
    assert_eq!(unknown["isError"], true);
}

#[test]
fn d21_secrets_are_removed_from_resources_prompts_and_tasks_or_the_answer_is_refused() {
    let folder = Folder::new();
    let token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let methods = ["tools/call", "resources/read", "prompts/get", "tasks/get", "tasks/result"];
    let text = json!({"type": "text", "text": token});
    let result =
        json!({"content": [text], "contents": [{"uri": "u", "text": token}], "messages": [text]});
    for must_redact in ["false", "true"] {
        let mut filter = filter_of(&folder, &[], &result.to_string(), must_redact);
        for method in methods {
            let told = filter.ask("a", method, &json!({"name": "x", "uri": "u"})).to_string();
            assert!(!told.contains(token) && told.contains("[REDACTED:"), "{method}: {told}");
        }
        assert!(filter.ask("l", "tools/list", &json!({}))["tools"].is_array());
    }
    let half = format!(r#"{{"contents":[{{"uri":"u","text":"\ud800 {token}"}}]}}"#);
    let mut filter = filter_of(&folder, &[], &half, "true");
    for method in methods {
        filter.say(&format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"name":"x"}}}}"#
        ));
        let told = filter.hear();
        assert!(told.contains("secrets") && !told.contains(token), "{method}: {told}");
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!((&told["id"], &told["error"]["code"]), (&json!(7), &json!(-32603)), "{told}");
    }
}

#[test]
fn d21_an_answer_that_is_too_long_to_be_checked_is_refused_once_and_under_its_id() {
    let folder = Folder::new();
    for must_redact in ["true", "false"] {
        let mut filter = filter_of(&folder, &[], "{}", must_redact);
        filter
            .say(r#"{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"long"}}"#);
        let told: Value = serde_json::from_str(&filter.hear()).unwrap();
        assert_eq!(told["id"], "a");
        match must_redact {
            "true" => assert!(told["error"]["message"].as_str().unwrap().contains("8 MiB")),
            _ => assert_eq!(told["result"]["text"].as_str().unwrap().len(), 9_000_000),
        }
        filter.ask("b", "prompts/get", &json!({"name": "x"}));
    }
}

#[test]
fn m23_a_message_that_is_too_long_to_be_read_calls_no_tool() {
    let folder = Folder::new();
    let settings = r#"{"mcp": {"clients": {"*": {"tools": ["rows"]}}}}"#;
    std::fs::create_dir(folder.path("config")).unwrap();
    std::fs::write(folder.path("config/tokenforge.yaml"), settings).unwrap();
    let mut filter = filter(&folder, &[]);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other"}}"#;
    for text in [format!("{}{call}", " ".repeat(9 << 20)), format!("[{call}]"), call.to_owned()] {
        filter.say(&text);
        let told: Value = serde_json::from_str(&filter.hear()).unwrap();
        assert!(told["error"]["code"].as_i64().unwrap() < -32000, "{told}");
    }
    // Neither do the messages of a batch in a batch.
    filter.say(&format!("[[{call}],{call}]"));
    for _ in 0..2 {
        let told: Value = serde_json::from_str(&filter.hear()).unwrap();
        assert!(told["error"]["code"].as_i64().unwrap() < -32000, "{told}");
    }
    assert!(filter.ask("2", "tools/call", &json!({"name": "rows"}))["content"].is_array());
}

#[test]
fn m17_the_calls_of_a_batch_are_answered_one_by_one() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &["--format", "toon"]);
    let call = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "x"}});
    filter.say(&json!([call(1), call(2)]).to_string());
    for id in 1..=2 {
        let answer: Value = serde_json::from_str(&filter.hear()).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!((&answer["id"], &text[..4]), (&json!(id), "[60]"));
    }
}

#[test]
fn l4_originals_that_were_asked_for_come_though_the_client_has_ended_its_input() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &[]);
    let call = json!({"name": "expand_context", "arguments": {"id": "shadow_nothing"}});
    for id in 0..200 {
        filter.say(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})
                .to_string(),
        );
    }
    drop(filter.stdin);
    assert_eq!(filter.stdout.lines().count(), 200);
    assert!(filter.child.wait().unwrap().success());
}

#[test]
fn the_program_s_exit_status_is_ours() {
    let folder = Folder::new();
    let mut first = filter(&folder, &[]);
    first.say("exit");
    assert_eq!(first.child.wait().unwrap().code(), Some(7));
    let second = filter(&folder, &[]);
    let Filter { mut child, stdin, .. } = second;
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_signal_goes_on_to_the_program() {
    let folder = Folder::new();
    let mut filter = filter(&folder, &[]);
    filter.say("ready?");
    filter.hear();
    let id = filter.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(filter.child.wait().unwrap().code(), Some(9));
}

#[test]
fn a_program_that_is_not_there_is_said_to() {
    let said = crate::kit::failure(1, "mcp stdio -- /nowhere/at-all", "");
    assert!(said.contains("cannot run /nowhere/at-all"), "{said}");
}
