//! `tokenforge-lab eval` (F17): scenarios played twice, through a real gateway, against a mock or an endpoint.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use tokenforge_mock::{Mock, Reply};
use tokenforge_testkit::program::{Folder, Program, Run};

const LAB: Program = Program(env!("CARGO_BIN_EXE_tokenforge-lab"));

#[test]
fn f17_the_built_in_suite_saves_tokens_and_behaves_the_same() {
    for api in ["openai", "anthropic"] {
        let report: Value = serde_json::from_str(
            &LAB.out(&format!("eval --json --api {api} --min-input-token-savings 5%"), ""),
        )
        .unwrap();
        assert_eq!(report["regressions"], 0, "{report}");
        assert_eq!(report["is_plumbing_only"], true);
        assert_eq!(report["tokens"]["counted_by"], "provider");
        assert!(report["saved"].as_i64() > Some(0), "{report}");
    }
}

#[test]
fn f17_d14_the_suite_behaves_the_same_in_every_mode_and_leaves_its_events() {
    let folder = Folder::new();
    for how in ["safe", "lossless", "standard", "aggressive", "aggressive --method repair"] {
        let name = format!("logs/{how}.jsonl").replace(' ', "-");
        let events = folder.path(&name);
        let text = LAB.out(&format!("eval --json --mode {how} --events {}", events.display()), "");
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["regressions"], 0, "{how}: {report}");
        let events = std::fs::read_to_string(events).unwrap();
        assert!(events.contains("\"before_tokens\""), "{how}: {events}");
    }
}

#[test]
fn f17_a_saving_that_is_not_reached_fails() {
    let run = LAB.run("eval --min-input-token-savings 99%", "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("at least 99 % demanded"), "{}", run.stderr);
    assert!(run.stdout.contains("shows that everything is connected"), "{}", run.stdout);
}

/// What looks like a secret is removed from tool results, so that an agent which needs it does worse.
const NEEDS_A_SECRET: &str = r#"
name = "needs a secret"
[[tools]]
name = "Bash"
description = "Runs a command."
[[tools.outputs]]
output = """
export AWS_ACCESS_KEY_ID=AKIAZ7QYV3LMNOPXKWDR
{lines}
"""
lines = { count = 40, line = "export VARIABLE_{n}=value of the variable with number {n}" }
[[turns]]
user = "Which key is used?"
mock = [{ tool = "Bash", arguments = { command = "env" } }]
[expect]
facts = ["AKIAZ7QYV3LMNOPXKWDR"]
"#;

#[test]
fn f17_a_fact_that_is_lost_is_a_regression_and_fails() {
    let folder = Folder::new();
    let suite = folder.file("secret.toml", NEEDS_A_SECRET);
    let run = LAB.run(&format!("eval {suite}"), "");
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains(": the answer lacks"), "{}", run.stdout);
    assert!(run.stderr.contains("1 regressions"), "{}", run.stderr);
}

#[test]
fn f17_an_endpoint_without_usage_is_counted_by_us_and_said_to_be() {
    let folder = Folder::new();
    let suite = folder.file("s.toml", NEEDS_A_SECRET.replace("AKIAZ7QYV3LMNOPXKWDR", "number 17"));
    let mock = Mock::start();
    mock.always(|request| {
        let body = request.json();
        let is_answered = body["messages"].to_string().contains("\"tool_call_id\"");
        let message = if is_answered {
            r#"{"role":"assistant","content":"it is number 17"}"#
        } else {
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"Bash","arguments":"{}"}}]}"#
        };
        let reply = format!(r#"{{"id":"x","object":"chat.completion","choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}]}}"#);
        Reply::status(200, &[("content-type", "application/json")], reply)
    });
    let text = LAB.out(&format!("eval {suite} --base-url {} --model m", mock.url()), "");
    assert!(text.contains("An estimate: the provider reports no usage"), "{text}");
    assert!(text.contains("same") && !text.contains("everything is connected"), "{text}");
}

#[test]
fn f17_an_endpoint_that_refuses_is_said_to() {
    let mock = Mock::start();
    mock.always(|_| {
        Reply::status(
            401,
            &[("content-type", "application/json")],
            r#"{"error":{"message":"no key"}}"#,
        )
    });
    let run = LAB.run(&format!("eval --base-url {} --model m", mock.url()), "");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("no key"), "{}", run.stdout);
    let error = LAB.failure(2, "eval --base-url http://127.0.0.1:9", "");
    assert!(error.contains("--model"), "{error}");
    let error = LAB.failure(1, "eval /does/not/exist.toml", "");
    assert!(error.contains("/does/not/exist.toml"), "{error}");
}

/// An endpoint that speaks OpenAI's completions: a token is a word with the blank before it. The words behind a prompt have a
/// likelihood that depends on the results that it shows.
fn completions(next: fn(&str) -> &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            std::thread::spawn(move || answer(stream, next));
        }
    });
    url
}

fn answer(stream: TcpStream, next: fn(&str) -> &'static str) {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).unwrap_or(0) > 2 {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let request: Value = serde_json::from_slice(&body).unwrap();
    let prompt = request["prompt"].as_str().unwrap();
    let reply = match request["echo"].as_bool() {
        Some(true) => {
            let tokens: Vec<_> = prompt.split_inclusive(' ').chain(["and"]).collect();
            let score = match prompt {
                cleared if cleared.contains("was cleared") => -3.0,
                compressed if compressed.contains("stc2") => -1.25,
                _ => -1.0,
            };
            let values: Vec<_> = tokens.iter().map(|_| score).collect();
            json!({"choices": [{"text": prompt, "logprobs": {"tokens": tokens, "token_logprobs": values}}]})
        }
        _ => json!({"choices": [{"text": next(prompt)}]}),
    };
    let reply = reply.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.len()
    );
    reader.get_mut().write_all((head + &reply).as_bytes()).unwrap();
}

/// A session that looks at rows and then at one of them.
fn session(folder: &Folder, name: &str) {
    let rows: Vec<Value> = (0..40)
        .map(|id| json!({"id": id, "state": "open", "title": format!("row {id}")}))
        .collect();
    let call = |id: &str, name: &str, arguments: Value| {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]})
    };
    let messages = [
        json!({"role": "user", "content": "What is the last row?"}),
        call("c1", "list_rows", json!({})),
        json!({"role": "tool", "tool_call_id": "c1", "content": serde_json::to_string_pretty(&rows).unwrap()}),
        call("c2", "get_row", json!({"id": 39})),
        json!({"role": "tool", "tool_call_id": "c2", "content": "row 39"}),
        json!({"role": "assistant", "content": "It is row 39."}),
    ];
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    std::fs::create_dir_all(folder.path("logs")).unwrap();
    folder.file(name, lines);
}

const RIGHT: &str = "get_row\", \"arguments\": {\"id\": 39}}\n";

fn next_action(folder: &Folder, url: &str, more: &str) -> Run {
    LAB.run(
        &format!(
            "eval --next-action {} --base-url {url} --model gpt-5 {more}",
            folder.path("logs").display()
        ),
        "",
    )
}

#[test]
fn f17_recorded_actions_are_scored_with_the_original_and_the_compressed_context() {
    let folder = Folder::new();
    session(&folder, "logs/one.jsonl");
    session(&folder, "logs/two.jsonl");
    let run = next_action(
        &folder,
        &completions(
            |prompt| if prompt.ends_with("{\"name\": \"") { RIGHT } else { "It is row 39." },
        ),
        "--json",
    );
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert_eq!(
        (&report["sessions"], &report["decisions"], &report["asked"]),
        (&json!(2), &json!(6), &json!(4)),
        "{report}"
    );
    assert_eq!(
        report["unchanged"], 2,
        "before the first call there is nothing to compress: {report}"
    );
    assert_eq!(report["likelihood"]["value"], -0.25, "{report}");
    assert_eq!(report["cleared"]["value"], -2.0, "{report}");
    assert_eq!(report["value_kept"], 0.875, "{report}");
    assert_eq!(report["same_call"]["difference"]["value"], 0.0, "{report}");
    assert_eq!(run.code, 1, "the interval of the likelihood lies below zero");
    assert!(run.stderr.contains("less likely"), "{}", run.stderr);
}

#[test]
fn f17_a_model_that_chooses_otherwise_from_compressed_results_is_told() {
    let folder = Folder::new();
    session(&folder, "logs/one.jsonl");
    let url = completions(|prompt| {
        if prompt.contains("stc2") { "list_rows\", \"arguments\": {}}\n" } else { RIGHT }
    });
    let run = next_action(&folder, &url, "--decisions 1");
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(
        run.stdout.contains(
            "the same tool    100.0 % with the original, 0.0 % with the compressed context"
        ),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("1 of 3 decisions in 1 session."), "{}", run.stdout);
    assert!(run.stderr.contains("the same call is chosen less often"), "{}", run.stderr);
}

#[test]
fn f17_an_endpoint_without_log_probabilities_is_told_what_is_needed() {
    let folder = Folder::new();
    session(&folder, "logs/one.jsonl");
    let mock = Mock::start();
    let run = next_action(&folder, &format!("{}/v1", mock.url()), "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("gives the log-probabilities of a prompt"), "{}", run.stderr);
    let run = next_action(&folder, &mock.url(), "--context-tokens 10");
    assert!(run.stderr.contains("no decision to ask about"), "{}", run.stderr);
    assert!(LAB.failure(2, "eval --next-action . --model x", "").contains("--base-url"));
    assert!(LAB.failure(2, "eval --decisions 3", "").contains("--next-action"));
}
