//! `tokenforge demo`: what it shows is what happened.

use crate::kit::{Folder, run, run_in};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use tokenforge_mock::client::{Ask, Open};

fn figures() -> Value {
    let run = run("demo --json", "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn the_session_is_cheaper_its_prefix_is_stable_and_the_model_got_back_what_it_asked_for() {
    let figures = figures();
    assert_eq!(figures["prefix_stability"], 1.0);
    for share in figures["shares"].as_array().unwrap() {
        assert!(share["share"].as_f64().unwrap() > 0.05, "{share}");
    }
    for output in figures["outputs"].as_array().unwrap() {
        assert!(output["after"].as_u64() <= output["before"].as_u64(), "{output}");
    }
    let bill = &figures["bill"];
    assert!(bill["after"].as_f64() < bill["before"].as_f64(), "{bill}");
    assert!(bill["read"][1].as_u64().unwrap() > bill["written"][1].as_u64().unwrap(), "{bill}");
    assert!(figures["expansion"]["tokens"].as_u64().unwrap() > 0);
    assert!(!figures["stages"].as_array().unwrap().is_empty());
    for called in figures["mcp"].as_array().unwrap() {
        assert!(called["after"].as_u64() < called["before"].as_u64(), "{called}");
    }
}

#[test]
fn the_page_names_every_tool_and_the_dashboard_and_writes_nothing() {
    let folder = Folder::new();
    let path = folder.path("");
    let homes = [("HOME", "."), ("XDG_DATA_HOME", "."), ("XDG_CONFIG_HOME", "."), ("TMPDIR", ".")];
    let run = run_in(&path, &homes, &["demo", "--once"], "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for part in
        ["mcp__tracker__list_issues", "Bash", "Read", "1.000", "demo__weather", "/_forge/ui/"]
    {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
}

/// A5
#[test]
fn a5_its_tools_answer_in_the_form_that_a_client_prefers_while_it_stays_up() {
    let data = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokenforge"))
        .args(["demo", "--stay", "--json"])
        .env("FORGE_DATA_DIR", data.path("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let figures: Value = serde_json::from_str(&line).unwrap();
    let address = figures["gateway"].as_str().unwrap().trim_start_matches("http://");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "demo__weather", "arguments": {"city": "Oslo"}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    for form in ["toon", "stc", "json"] {
        let ask = Ask::post("/mcp", message.to_string())
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "demo__weather")
            .header("x-prefer-format", form);
        let answer = Open::asking(address.parse().unwrap(), &ask).answer();
        assert_eq!(
            (answer.status, answer.header("x-content-format")),
            (200, form),
            "{}",
            answer.text()
        );
        assert!(answer.text().contains("Oslo"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
