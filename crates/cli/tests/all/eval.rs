//! `tokenforge eval` (F17): scenarios played twice, through a real gateway, against a mock or an endpoint.

use crate::kit::{Folder, failure, out, run};
use serde_json::Value;
use tokenforge_mock::{Mock, Reply};

#[test]
fn f17_the_built_in_suite_saves_tokens_and_behaves_the_same() {
    for api in ["openai", "anthropic"] {
        let report: Value = serde_json::from_str(&out(
            &format!("eval --json --api {api} --min-input-token-savings 5%"),
            "",
        ))
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
        let text = out(&format!("eval --json --mode {how} --events {}", events.display()), "");
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["regressions"], 0, "{how}: {report}");
        let events = std::fs::read_to_string(events).unwrap();
        assert!(events.contains("\"before_tokens\""), "{how}: {events}");
    }
}

#[test]
fn f17_a_saving_that_is_not_reached_fails() {
    let run = run("eval --min-input-token-savings 99%", "");
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
    let run = run(&format!("eval {suite}"), "");
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
        let message = match is_answered {
            true => r#"{"role":"assistant","content":"it is number 17"}"#,
            false => r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"Bash","arguments":"{}"}}]}"#,
        };
        let reply = format!(r#"{{"id":"x","object":"chat.completion","choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}]}}"#);
        Reply::status(200, &[("content-type", "application/json")], reply)
    });
    let text = out(&format!("eval {suite} --base-url {} --model m", mock.url()), "");
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
    let run = run(&format!("eval --base-url {} --model m", mock.url()), "");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("no key"), "{}", run.stdout);
    let error = failure(2, "eval --base-url http://127.0.0.1:9", "");
    assert!(error.contains("--model"), "{error}");
    let error = failure(1, "eval /does/not/exist.toml", "");
    assert!(error.contains("/does/not/exist.toml"), "{error}");
}
