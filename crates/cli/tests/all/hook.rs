//! `tokenforge hook`: what agents run for every tool result.

#![cfg(unix)]

use crate::kit::{Run, run};
use crate::mcp::shell::Shell;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use tokenforge_mock::client::{Ask, Open};
use tokenforge_mock::{Mock, Reply};

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A shell in which a model can run `tokenforge`.
fn shell() -> Shell {
    let shell = Shell::new();
    let bin = shell.folder.path("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_tokenforge"), bin.join("tokenforge")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    shell.with("PATH", path.leak())
}

/// A test run of which a family leaves out most.
fn test_run() -> String {
    let passed: String =
        (0..60).map(|n| format!("test a_long_name_of_a_test::case_{n:02} ... ok\n")).collect();
    format!("running 60 tests\n{passed}\ntest result: ok. 60 passed; 0 failed")
}

fn rows(count: u32) -> String {
    let row = |n: u32| json!({"id": n, "name": format!("row {n}"), "state": "open"});
    serde_json::to_string_pretty(&(0..count).map(row).collect::<Vec<_>>()).unwrap()
}

fn bash(stdout: &str) -> Value {
    json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false})
}

fn input(tool: &str, arguments: Value, result: Value) -> String {
    json!({
        "hook_event_name": "PostToolUse", "cwd": "/project", "tool_name": tool,
        "tool_input": arguments, "tool_response": result,
    })
    .to_string()
}

fn cargo_test() -> String {
    input("Bash", json!({"command": "cargo test"}), bash(&test_run()))
}

/// What Claude Code is given instead of a result, if anything.
fn updated(run: &Run) -> Option<Value> {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let mut said: Value = serde_json::from_str(&run.stdout).ok()?;
    Some(said["hookSpecificOutput"]["updatedToolOutput"].take())
}

fn hook(shell: &Shell, input: &str) -> Option<Value> {
    updated(&shell.run_on(&["hook", "claude"], input))
}

/// The id of the original that a text says is kept.
fn reference(text: &str) -> Option<String> {
    tokenforge_mock::first_reference(text.as_bytes()).map(str::to_owned)
}

#[test]
fn l4_a_result_becomes_smaller_and_says_how_to_fetch_the_rest() {
    let shell = shell();
    let shown = hook(&shell, &cargo_test()).unwrap();
    let text = shown["stdout"].as_str().unwrap();
    assert!(text.len() < test_run().len() / 3, "{text}");
    assert!(text.contains("\n[Forge shortened this; `tokenforge expand ID "), "{text}");
    assert!(text.contains("test result: ok. 60 passed"), "{text}");
    assert_eq!(shown["isImage"], false);
    let id = reference(text).unwrap();
    let expanded = shell.run(&["expand", &id]);
    assert_eq!((expanded.code, expanded.stdout), (0, test_run()));
    // What is printed then is not shortened again.
    let arguments = json!({"command": format!("tokenforge expand {id}")});
    assert_eq!(hook(&shell, &input("Bash", arguments, bash(&test_run()))), None);
}

#[test]
fn l4_where_the_model_cannot_fetch_it_nothing_is_left_out() {
    let shell = Shell::new().with("PATH", "/usr/bin:/bin");
    let shown = hook(&shell, &cargo_test());
    let text = shown.as_ref().and_then(|shown| shown["stdout"].as_str()).unwrap_or_default();
    assert_eq!(reference(text), None, "{text}");
    let table = hook(&shell, &input("mcp__a__rows", json!({}), json!(rows(60)))).unwrap();
    assert!(table.as_str().unwrap().contains("59"), "{table}");
}

#[test]
fn every_shape_of_result_comes_back_in_its_own() {
    let shell = shell();
    let blocks = json!([{"type": "text", "text": rows(60)}, {"type": "image", "source": {}}]);
    let shown = hook(&shell, &input("mcp__a__rows", json!({}), blocks)).unwrap();
    assert!(shown[0]["text"].as_str().unwrap().len() < rows(60).len() / 2, "{shown}");
    assert_eq!(shown[1], json!({"type": "image", "source": {}}));
    // The text of a file stays, but for secrets.
    let file =
        |content: &str| json!({"type": "text", "file": {"filePath": "/a", "content": content}});
    assert_eq!(hook(&shell, &input("Read", json!({}), file(&rows(60)))), None);
    let secret =
        hook(&shell, &input("Read", json!({}), file(&format!("token = {TOKEN}\n")))).unwrap();
    let content = secret["file"]["content"].as_str().unwrap();
    assert!(content.starts_with("token = ") && !content.contains(TOKEN), "{content}");
}

#[test]
fn an_output_that_was_cut_is_shown_in_no_more_than_its_preview() {
    let shell = shell();
    let whole: String = (0..20_000).map(|n| format!("{n} is a number\n")).collect();
    let whole = whole.replace("9000 is a number", "error: 9000 is too large");
    let file = shell.file("saved.txt", &whole);
    let mut result = bash(&whole[..30_000]);
    result["persistedOutputPath"] = file.to_str().into();
    let shown = hook(&shell, &input("Bash", json!({"command": "count"}), result.clone())).unwrap();
    let text = shown["stdout"].as_str().unwrap();
    assert!(text.len() < 2400 && text.contains("19999 is a number"), "{text}");
    assert!(text.contains("error: 9000") && shown.get("persistedOutputPath").is_none(), "{text}");
    let id = reference(text).unwrap();
    assert_eq!(shell.run(&["expand", &id]).stdout, whole);
    fs::remove_file(file).unwrap();
    assert_eq!(hook(&shell, &input("Bash", json!({"command": "count"}), result)), None);
}

#[test]
fn l7_whatever_comes_it_succeeds_and_says_nothing() {
    let shell = shell();
    let deep = "[".repeat(100_000);
    let half = r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"\ud800"}}"#;
    for input in ["", "{}", "null", "not json", &deep, half, &cargo_test()[..300]] {
        for client in ["claude", "opencode", "pi"] {
            let run = shell.run_on(&["hook", client], input);
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
        }
    }
    // Where nothing can be stored, nothing is left out.
    let shell = self::shell();
    fs::write(shell.folder.path("data"), "a file").unwrap();
    let shown = hook(&shell, &cargo_test());
    let text = shown.as_ref().and_then(|shown| shown["stdout"].as_str()).unwrap_or_default();
    assert_eq!(reference(text), None);
    // Where settings are wrong, nothing is done.
    fs::create_dir_all(shell.folder.path("config")).unwrap();
    fs::write(shell.folder.path("config/tokenforge.yaml"), "no: such setting").unwrap();
    assert_eq!(hook(&shell, &cargo_test()), None);
}

#[test]
fn settings_are_the_user_s_and_not_those_of_a_project() {
    let shell = shell();
    let disabled = "pipes: {tool_output: {mode: disabled}}";
    shell.file("tokenforge.yaml", disabled);
    assert!(hook(&shell, &cargo_test()).is_some());
    fs::create_dir_all(shell.folder.path("config")).unwrap();
    fs::write(shell.folder.path("config/tokenforge.yaml"), disabled).unwrap();
    assert_eq!(hook(&shell, &cargo_test()), None);
}

#[test]
fn small_results_are_left_alone_but_for_their_secrets() {
    let shell = shell();
    let arguments = || json!({"command": "env"});
    assert_eq!(hook(&shell, &input("Bash", arguments(), bash("a   \nb   \n"))), None);
    let shown = hook(&shell, &input("Bash", arguments(), bash(&format!("K={TOKEN}\n")))).unwrap();
    assert!(!shown["stdout"].as_str().unwrap().contains(TOKEN), "{shown}");
}

#[test]
fn what_was_saved_is_written_down_net_of_what_was_fetched_back() {
    let mut shell = shell();
    let gain = |shell: &Shell| -> Value {
        let run = shell.run(&["gain", "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let shown = hook(&shell, &cargo_test()).unwrap();
    hook(&shell, &input("Bash", json!({"command": "true"}), bash("small")));
    let alone = gain(&shell);
    assert_eq!((&alone["results"], &alone["rows"][0]["name"]), (&json!(2), &json!("Bash")));
    let saved = alone["tokens"]["saved"].as_u64().unwrap();
    assert!(saved > 300, "{alone}");
    assert_eq!(alone["tokens"]["net"], saved);
    // What the model fetches back is seen on its way, and taken off.
    let id = reference(shown["stdout"].as_str().unwrap()).unwrap();
    let arguments = json!({"command": format!("tokenforge expand {id}")});
    hook(&shell, &input("Bash", arguments, bash(&test_run())));
    assert!(gain(&shell)["tokens"]["net"].as_i64().unwrap() < 0);
    // A gateway writes the same down.
    let _gateway = shell.serve();
    hook(&shell, &cargo_test()).unwrap();
    assert_eq!(gain(&shell)["tokens"]["saved"], 2 * saved);
}

#[test]
fn plugins_ask_about_texts_and_get_texts() {
    let shell = shell();
    let asked = json!({"tool": "bash", "arguments": {"command": "cargo test"}, "texts": ["short", test_run()]});
    for client in ["opencode", "pi"] {
        let run = shell.run_on(&["hook", client], &asked.to_string());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let said: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(said["texts"][0], Value::Null);
        assert!(reference(said["texts"][1].as_str().unwrap()).is_some());
    }
    let failed = json!({"tool": "bash", "arguments": {"command": "cargo test"}, "is_error": true, "texts": [test_run()]});
    // Of a failed call only passes are left out.
    let said = shell.run_on(&["hook", "pi"], &failed.to_string()).stdout;
    assert!(reference(&said).is_some(), "{said}");
    let failed = json!({"tool": "bash", "arguments": {"command": "cargo build"}, "is_error": true, "texts": ["error: no\n".repeat(3) + &"   Compiling a v1.0.0\n".repeat(40)]});
    let said = shell.run_on(&["hook", "pi"], &failed.to_string()).stdout;
    assert_eq!(reference(&said), None, "{said}");
}

#[test]
fn a_gateway_that_runs_is_asked_and_says_the_same() {
    let mut shell = shell();
    let alone = hook(&shell, &cargo_test()).unwrap();
    let gateway = shell.serve();
    let (folder, socket) = (shell.folder.path("data/hook"), shell.folder.path("data/hook/socket"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&socket)), (0o700, 0o600));
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
    // It is really the gateway that answers: the settings that a hook alone would read stop it.
    fs::create_dir_all(shell.folder.path("config")).unwrap();
    fs::write(shell.folder.path("config/tokenforge.yaml"), "no: such setting").unwrap();
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
    drop(gateway);
    // It was killed, and its socket is still there.
    assert!(socket.exists());
    assert_eq!(hook(&shell, &cargo_test()), None);
    fs::remove_file(shell.folder.path("config/tokenforge.yaml")).unwrap();
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
    let _again = shell.serve();
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
}

#[test]
fn n2_a_long_data_path_gets_a_private_socket_and_no_port() {
    let mut shell = shell();
    let long = shell.folder.path(&"long".repeat(30));
    shell = shell.with("FORGE_DATA_DIR", long.display().to_string().leak());
    let alone = hook(&shell, &cargo_test()).unwrap();
    let gateway = shell.serve();
    let place = || PathBuf::from(fs::read_to_string(long.join("hook/place")).unwrap());
    let socket = place();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(socket.parent().unwrap()), mode(&socket)), (0o700, 0o600));
    assert!(socket.as_os_str().len() <= 100 && !long.join("hook/port").exists());
    // It is the gateway that answers: a hook alone could not, by these settings.
    fs::create_dir_all(shell.folder.path("config")).unwrap();
    fs::write(shell.folder.path("config/tokenforge.yaml"), "no: such setting").unwrap();
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
    fs::remove_file(shell.folder.path("config/tokenforge.yaml")).unwrap();
    // The next gateway removes the folder that a killed one left behind.
    drop(gateway);
    let _next = shell.serve();
    assert!(!socket.parent().unwrap().exists() && place() != socket);
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
}

#[test]
fn n2_a_socket_in_an_open_folder_is_not_asked() {
    let mut shell = shell();
    let alone = hook(&shell, &cargo_test()).unwrap();
    let _gateway = shell.serve();
    fs::set_permissions(shell.folder.path("data/hook"), fs::Permissions::from_mode(0o755)).unwrap();
    // A hook alone has to answer, which it cannot do by these settings.
    fs::create_dir_all(shell.folder.path("config")).unwrap();
    fs::write(shell.folder.path("config/tokenforge.yaml"), "no: such setting").unwrap();
    assert_eq!(hook(&shell, &cargo_test()), None);
    fs::set_permissions(shell.folder.path("data/hook"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(hook(&shell, &cargo_test()), Some(alone));
}

/// A listener at the path of a gateway that was killed. It says `says` to one hook, and hears all that the hook sends.
fn false_listener(path: &Path, says: String) -> JoinHandle<String> {
    fs::remove_file(path).unwrap();
    let listener = UnixListener::bind(path).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(says.as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let mut heard = String::new();
        stream.read_to_string(&mut heard).unwrap();
        heard
    })
}

/// The answer of a listener that wants its own words to become a tool output.
fn forged_answer() -> String {
    json!({"texts": ["forged"]}).to_string()
}

#[test]
fn n1_a_false_listener_hears_a_challenge_and_forges_no_output() {
    for says in [
        forged_answer(),
        format!("{}\n{}", "0".repeat(96), forged_answer()),
        format!("{}\n{}", "0".repeat(32), forged_answer()),
        String::new(),
    ] {
        let mut shell = shell();
        let alone = hook(&shell, &cargo_test()).unwrap();
        drop(shell.serve());
        let heard = false_listener(&shell.folder.path("data/hook/socket"), says.clone());
        assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone, "{says}");
        assert_is_challenge(&heard.join().unwrap());
    }
}

/// One line of 32 hexadecimal digits: no pass, no word of a result.
fn assert_is_challenge(heard: &str) {
    let digits = heard.strip_suffix('\n').unwrap_or_default();
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(digits.len() == 32 && is_hexadecimal, "the listener heard {heard:?}");
}

#[test]
fn n1_a_recorded_proof_is_refused_when_replayed() {
    let mut shell = shell();
    let alone = hook(&shell, &cargo_test()).unwrap();
    let gateway = shell.serve();
    let socket = shell.folder.path("data/hook/socket");
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(format!("{}\n", "0123456789abcdef".repeat(2)).as_bytes()).unwrap();
    let mut proof = String::new();
    BufReader::new(stream).read_line(&mut proof).unwrap();
    assert_eq!(proof.trim_end().len(), 96, "{proof}");
    drop(gateway);
    let heard = false_listener(&socket, proof + &forged_answer());
    assert_eq!(hook(&shell, &cargo_test()).unwrap(), alone);
    assert_is_challenge(&heard.join().unwrap());
}

#[test]
fn l6_what_the_hook_made_goes_through_the_gateway_as_it_is() {
    let mock = Mock::start();
    mock.reply(Reply::from("done"));
    let mut shell = shell().with("FORGE_UPSTREAMS_BACKEND", mock.url().leak());
    let table = input("mcp__a__rows", json!({}), json!(rows(60)));
    let shortened = hook(&shell, &cargo_test()).unwrap()["stdout"].as_str().unwrap().to_owned();
    let encoded = hook(&shell, &table).unwrap().as_str().unwrap().to_owned();
    let gateway = shell.serve();
    let reminder = "\n\n<system-reminder>\nleft: 9\n</system-reminder>";
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": format!("{text}{reminder}")});
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        "tools": [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}},
                {"type": "tool_use", "id": "t2", "name": "mcp__a__rows", "input": {}},
            ]},
            {"role": "user", "content": [result("t1", &shortened), result("t2", &encoded)]},
        ],
    });
    let address = gateway.url.trim_start_matches("http://").parse().unwrap();
    let ask = Ask::post("/v1/messages", body.to_string()).header("anthropic-version", "2023-06-01");
    assert_eq!(Open::asking(address, &ask).answer().status, 200);
    let sent = mock.requests().pop().unwrap().json();
    assert_eq!(sent["messages"], body["messages"]);
}

#[test]
fn the_help_says_whose_result_it_is() {
    let help = run("hook --help", "");
    assert!(help.stdout.contains("claude") && help.stdout.contains("opencode"), "{}", help.stdout);
}
