//! `tokenforge gain`: the numbers of the gateway, from a shell.

use crate::kit::{Folder, Run, run_in};
use crate::serve::{Serving, question};
use serde_json::{Value, json};
use std::time::Instant;
use tokenforge_mock::client::{Ask, PATIENCE};
use tokenforge_mock::{Mock, Reply};

fn gain(folder: &Folder, arguments: &[&str]) -> Run {
    let arguments = [&["gain"], arguments].concat();
    run_in(&folder.path(""), &[("FORGE_DATA_DIR", "data")], &arguments, "")
}

fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let run = gain(folder, arguments);
    assert_eq!((run.code, &*run.stderr), (0, ""), "{arguments:?}");
    run.stdout
}

fn totals(folder: &Folder, by: &str) -> Value {
    serde_json::from_str(&printed(folder, &["--json", "--by", by])).unwrap()
}

/// What the gateway says, when so many requests are over.
fn shown(serving: &Serving, by: &str, requests: u64) -> Value {
    let started = Instant::now();
    loop {
        let shown = serving.get(&format!("/_forge/api/gain?by={by}")).json();
        if shown["requests"] == requests {
            return shown;
        }
        assert!(started.elapsed() < PATIENCE, "{shown}");
        std::thread::yield_now();
    }
}

#[test]
fn c13_gain_says_what_the_gateway_says_while_it_runs_and_when_it_has_ended() {
    let (mock, folder) = (Mock::start(), Folder::new());
    let data = folder.path("data").display().to_string();
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let serving = Serving::with(&arguments, &[("FORGE_DATA_DIR", &data)]);
    serving.send(&question(false));
    serving.send(&question(true));
    mock.reply(Reply::status(500, &[], "{}"));
    serving.send(&question(false));
    for by in ["tool", "client", "project", "day", "stage"] {
        assert_eq!(shown(&serving, by, 2), totals(&folder, by), "{by}");
    }
    let gain = totals(&folder, "tool");
    let stats = serving.get("/_forge/api/stats").json();
    assert_eq!(stats["tokens"]["saved_fresh"], gain["tokens"]["saved"]);
    assert_eq!(stats["dollars"]["saved_net"], gain["cost"]["saved"]);
    let metrics = serving.get("/_forge/metrics").text();
    for (name, tokens) in [
        ("fresh_tokens_before", &gain["tokens"]["before"]),
        ("fresh_tokens_after", &gain["tokens"]["after"]),
        ("repeated_tokens_before", &gain["repeated"]["before"]),
        ("repeated_tokens_after", &gain["repeated"]["after"]),
    ] {
        let line = format!("\ntokenforge_{name}_total {tokens}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    serving.send(&question(false));
    serving.signal("-TERM");
    assert_eq!(serving.end().0, Some(0));
    assert_eq!(totals(&folder, "tool")["requests"], 3, "the last one is not lost");
}

#[test]
fn gain_is_a_page_for_people_and_a_table_for_spreadsheets() {
    let (mock, folder) = (Mock::start(), Folder::new());
    let data = folder.path("data").display().to_string();
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let serving = Serving::with(&arguments, &[("FORGE_DATA_DIR", &data)]);
    serving.send(&question(false));
    shown(&serving, "tool", 1);
    let page = printed(&folder, &["--cost", "--days", "2"]);
    for part in [
        "of the outputs touched",
        "of all tool output",
        "of the whole context",
        "of the bill",
        "USD",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let csv = printed(&folder, &["--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("tool,results,before,after,saved,expanded,net,"), "{csv}");
    assert!(lines[1].starts_with("list,1,"), "{csv}");
    assert_eq!(lines.len(), 2, "{csv}");
}

#[test]
fn an_empty_ledger_says_what_to_do() {
    let folder = Folder::new();
    let page = printed(&folder, &[]);
    assert!(page.contains("tokenforge serve") && page.contains("savings"), "{page}");
    assert_eq!(totals(&folder, "day")["requests"], 0);
    assert!(!folder.path("data").exists(), "reading makes no folder");
}

#[test]
fn the_ledger_and_the_store_share_the_data_folder() {
    let (mock, folder) = (Mock::start(), Folder::new());
    let data = folder.path("data").display().to_string();
    let store = format!("disk:{data}");
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url(), "--store", &store];
    let passed: String = (0..400).map(|n| format!("test case_{n} ... ok\n")).collect();
    let run = format!("running 400 tests\n{passed}\ntest result: ok. 400 passed; 0 failed\n");
    let environment =
        [("FORGE_DATA_DIR", &*data), ("FORGE_TOOL_OUTPUT_EXPAND_INJECTION", "from_start")];
    let serving = Serving::with(&arguments, &environment);
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        "tools": [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": run}]},
        ],
    });
    serving.send(&Ask::post("/v1/messages", body.to_string()));
    assert!(mock.last().json().to_string().contains("<<<SHADOW:"), "something is stored");
    shown(&serving, "tool", 1);
    assert_eq!(totals(&folder, "tool")["requests"], 1);
}

#[test]
fn what_cannot_be_asked_for_is_said() {
    let folder = Folder::new();
    for (arguments, said) in [
        (["--by", "week"], "tool, client, project, day, stage, model, reason"),
        (["--days", "0"], "1.."),
        (["--json", "--csv"], "cannot be used with"),
    ] {
        let run = gain(&folder, &arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
}
