//! One account: all reports about the same traffic say the same, to the cent.

use crate::kit::{Folder, Run, finish, run_in};
use crate::serve::Serving;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use tokenforge_mock::Mock;
use tokenforge_mock::client::{Ask, Open};
use tokenforge_tokens::{Counter, for_model};

const MODEL: &str = "claude-sonnet-4-5";
const CENT: f64 = 0.01;

/// A provider with a prompt cache that counts as Claude's does.
fn provider() -> Mock {
    let mock = Mock::start();
    mock.with_prompt_cache(|text| {
        let model = for_model(MODEL);
        (Counter::from(model.vocabulary).count(text) as f64 * model.cost_factor).round() as u64
    });
    mock
}

/// What a tool put out: rows that are written in fewer tokens, or a test run of which most is left out.
fn output(turn: usize) -> String {
    if turn.is_multiple_of(2) {
        let row =
            |n: usize| json!({"id": n, "turn": turn, "name": format!("row {n}"), "state": "open"});
        return serde_json::to_string_pretty(&(0..300).map(row).collect::<Vec<_>>()).unwrap();
    }
    let passed: String = (0..700).map(|n| format!("test turn_{turn}::case_{n} ... ok\n")).collect();
    format!(
        "\nrunning 700 tests\n{passed}\ntest result: ok. 700 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    )
}

/// The messages of the session up to a turn, of which each but the first brings a result.
fn messages(turns: usize) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": "Find out what is wrong."})];
    for turn in 0..turns {
        let id = format!("toolu_{turn}");
        let call = if turn.is_multiple_of(2) {
            json!({"type": "tool_use", "id": id, "name": "list_rows", "input": {"turn": turn}})
        } else {
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "cargo test"}})
        };
        messages.push(json!({"role": "assistant", "content": [call]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output(turn)});
        messages.push(json!({"role": "user", "content": [result]}));
    }
    messages
}

fn tools() -> Value {
    // An agent has long descriptions.
    let about =
        "It does what its name says, in the folder of the project, and prints what came of it. "
            .repeat(60);
    let tool = |name: &str| json!({"name": name, "description": about, "input_schema": {"type": "object"}});
    json!([tool("Bash"), tool("list_rows")])
}

fn request(turns: usize) -> Value {
    json!({"model": MODEL, "max_tokens": 100, "tools": tools(), "messages": messages(turns)})
}

const TURNS: usize = 10;

/// The session as a log of an agent without Tokenforge, with what the provider charged for each request.
fn log(folder: &Folder) -> String {
    let mock = provider();
    let mut usage = Vec::new();
    for turns in 0..=TURNS {
        let ask = Ask::post("/v1/messages", request(turns).to_string());
        let ask = ask.header("anthropic-version", "2023-06-01").header("x-api-key", "k");
        usage.push(Open::asking(mock.address(), &ask).answer().json()["usage"].clone());
    }
    let mut messages = messages(TURNS);
    messages.push(json!({"role": "assistant", "content": "ok"}));
    let log = json!({"model": MODEL, "tools": tools(), "messages": messages, "usage": usage});
    folder.file("session.json", log.to_string())
}

/// Plays the session in a wrapped agent whose requests go through the gateway that runs.
fn wrapped(folder: &Folder, gateway: &str, data: &str) -> Run {
    let mut script = "#!/bin/sh\nset -e\n".to_owned();
    for turns in 0..=TURNS {
        folder.file(&format!("{turns}.json"), request(turns).to_string());
        script += &format!(
            "curl --silent --show-error --fail --noproxy '*' -H 'anthropic-version: 2023-06-01' -H 'x-api-key: k' \
             -H 'content-type: application/json' --data-binary @{turns}.json \"$ANTHROPIC_BASE_URL/v1/messages\" > /dev/null\n"
        );
    }
    let program = folder.file("claude", script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
    command.args(["wrap", &program]).current_dir(folder.path(""));
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
        command.env(name, folder.path(""));
    }
    command.env_remove("ANTHROPIC_BASE_URL").env_remove("HTTP_PROXY").env_remove("http_proxy");
    command.env("FORGE_DATA_DIR", data).env("FORGE_LISTEN", gateway);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().unwrap(), "")
}

/// The dollars in a line, in their order.
fn dollars(line: &str) -> Vec<f64> {
    let amount = |word: &str| word.strip_prefix('$')?.trim_end_matches([',', ';']).parse().ok();
    line.split(' ').filter_map(amount).collect()
}

fn near(one: f64, other: f64, what: &str) {
    assert!((one - other).abs() < CENT, "{what}: {one} and {other}");
}

/// D32, D33, decision 36. The history of the dashboard is one of those who are asked.
#[test]
fn d32_d45_wrap_gain_dashboard_api_and_replay_say_the_same_of_one_session() {
    let (folder, mock) = (Folder::new(), provider());
    let data = folder.path("data").display().to_string();
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let serving = Serving::with(&arguments, &[("FORGE_DATA_DIR", &data)]);
    serving.wait_until_ready();
    let address = serving.address().to_string();

    let run = wrapped(&folder, &address, &data);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let api = serving.get("/_forge/api/gain").json();
    assert_eq!(api["requests"], TURNS + 1, "{}", run.stderr);
    let figure = |name: &str| api["cost"][name].as_f64().unwrap();
    let (before, after, saved) = (figure("before"), figure("after"), figure("saved"));
    assert!(
        before > 0.3 && saved > 20.0 * CENT * 0.5,
        "a session in which a cent is little: {api}"
    );

    // wrap
    let [told_saved, told_before] = dollars(&run.stderr)[..] else { panic!("{}", run.stderr) };
    near(told_saved, saved, "wrap, saved");
    near(told_before, before, "wrap, before");
    assert!(run.stderr.contains("/_forge/ui/"), "{}", run.stderr);

    // gain, from the ledger and from the gateway
    for arguments in
        [&["gain", "--json"][..], &["gain", "--json", "--gateway", &format!("http://{address}")]]
    {
        let run = run_in(&folder.path(""), &[("FORGE_DATA_DIR", &data)], arguments, "");
        assert_eq!((run.code, &*run.stderr), (0, ""), "{arguments:?}");
        assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), api, "{arguments:?}");
    }

    // dashboard: its history, its list of sessions, and the turns of the session
    let history = serving.get("/_forge/api/history?days=2").json();
    assert_eq!(history["gain"]["cost"], api["cost"]);
    assert_eq!(history["gain"]["shares"], api["shares"]);
    let sessions = serving.get("/_forge/api/sessions").json()["sessions"].take();
    let saved_in = |sessions: &Value| -> f64 {
        let saved = |session: &Value| session["cost"]["saved"].as_f64().unwrap();
        sessions.as_array().unwrap().iter().map(saved).sum()
    };
    near(saved_in(&sessions), saved, "sessions, saved");
    let longest = sessions.as_array().unwrap().iter().max_by_key(|each| each["requests"].as_u64());
    let id = longest.unwrap()["id"].as_str().unwrap();
    let turns = serving.get(&format!("/_forge/api/sessions/{id}")).json();
    assert_eq!(turns["turns"].as_array().unwrap().len(), TURNS, "all but the one without a result");
    near(saved_in(&turns["turns"]), turns["cost"]["saved"].as_f64().unwrap(), "turns, saved");

    // since the start
    let bill = &serving.get("/_forge/api/stats").json()["dollars"]["bill"];
    for (name, figure) in [("before", before), ("after", after), ("saved", saved)] {
        near(bill[name].as_f64().unwrap(), figure, name);
    }

    // replay, of the same session as it was without us
    let log = log(&folder);
    let run =
        run_in(&folder.path(""), &[("FORGE_DATA_DIR", &data)], &["replay", "--json", &log], "");
    let total = serde_json::from_str::<Value>(&run.stdout).unwrap()["total"].take();
    let cost = |when: &str| {
        let cost = &total[when]["cost"];
        ["input", "cache_read", "cache_write", "output"]
            .iter()
            .map(|name| cost[name].as_f64().unwrap())
            .sum::<f64>()
    };
    assert_eq!((&total["requests"], &total["logged"]), (&json!(TURNS + 1), &json!(TURNS + 1)));
    near(cost("before"), before, "replay, before");
    near(cost("after"), after, "replay, after");
}

/// D32: the demo printed an input bill of its own, and the dashboard of the same run said something else.
#[test]
fn d32_the_demo_says_what_its_own_gateway_says() {
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
    let get =
        |path: &str| Open::asking(address.parse().unwrap(), &Ask::new("GET", path)).answer().json();
    let (api, stats) = (get("/_forge/api/gain"), get("/_forge/api/stats"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(figures["shares"], api["shares"]);
    for name in ["before", "after"] {
        assert_eq!(figures["bill"][name], api["cost"][name]);
        near(
            stats["dollars"]["bill"][name].as_f64().unwrap(),
            api["cost"][name].as_f64().unwrap(),
            name,
        );
    }
    // What the gateway reckons is what was measured at both of its ends.
    let measured = |end: usize| {
        let tokens = |name: &str| figures["bill"][name][end].as_f64().unwrap();
        (tokens("read") * 0.3 + tokens("written") * 3.75) / 1e6
    };
    let saved = api["cost"]["saved"].as_f64().unwrap();
    let output = api["cost"]["after"].as_f64().unwrap() - measured(1);
    assert!(output > 0.0, "the output is in the bill");
    near(measured(0) - measured(1), saved, "saved, measured and reckoned");
}
