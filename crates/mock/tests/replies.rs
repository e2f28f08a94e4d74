//! What the mock answers is what the providers answer, whole and as a stream, in every dialect.

mod kit;

use serde_json::{Value, json};
use tokenforge_mock::grammar::{Call, check};
use tokenforge_mock::{Encoding, Mock, Reply, Split};

/// A dialect: its name, its path, a small request.
type Case = (&'static str, &'static str, Value);

/// Whole and streamed.
fn cases() -> Vec<Case> {
    let user = json!([{ "role": "user", "content": "hi" }]);
    let anthropic =
        |stream| json!({"model": "m", "max_tokens": 9, "messages": user, "stream": stream});
    let chat = |stream| json!({"model": "m", "messages": user, "stream": stream});
    let mut counted = chat(true);
    counted["stream_options"] = json!({"include_usage": true});
    vec![
        ("anthropic", "/v1/messages", anthropic(false)),
        ("anthropic", "/v1/messages?beta=true", anthropic(true)),
        ("chat", "/v1/chat/completions", chat(false)),
        ("chat", "/v1/chat/completions", chat(true)),
        ("chat", "/v1/chat/completions", counted),
    ]
}

fn reply() -> Reply {
    Reply::new()
        .thinking("Hm, häßlich.")
        .text("Let me look at <<<SHADOW:shadow_1>>>.")
        .call("Bash", json!({"command": "ls -l \"ä\""}))
        .call("Read", json!({}))
}

#[test]
fn every_dialect_answers_by_its_grammar() {
    let mock = Mock::start();
    for (dialect, path, body) in cases() {
        mock.reply(reply());
        let response = kit::post(&mock, path, &body);
        let seen =
            check(dialect, &response.body).unwrap_or_else(|error| panic!("{path} {body}: {error}"));
        assert_eq!(seen.text, "Let me look at <<<SHADOW:shadow_1>>>.", "{path}");
        assert_eq!(seen.thinking, "Hm, häßlich.", "{path}");
        let calls: Vec<_> =
            seen.calls.iter().map(|Call { name, arguments, .. }| (&**name, &**arguments)).collect();
        assert_eq!(calls, [("Bash", r#"{"command":"ls -l \"ä\""}"#), ("Read", "{}")], "{path}");
    }
    assert_eq!(mock.refusals(), Vec::<String>::new());
}

#[test]
fn a_mock_without_a_script_says_ok() {
    let mock = Mock::start();
    for (dialect, path, body) in cases() {
        let response = kit::post(&mock, path, &body);
        assert_eq!(check(dialect, &response.body).unwrap().text, "ok", "{path}");
    }
    assert_eq!(mock.requests().len(), cases().len());
}

#[test]
fn the_same_bytes_come_whatever_the_split_and_the_encoding() {
    let mock = Mock::start();
    for (dialect, path, body) in cases() {
        for split in [Split::EveryByte, Split::At(7), Split::Every(100), Split::Whole] {
            mock.reply(reply().split(split));
            let response = kit::post(&mock, path, &body);
            check(dialect, &response.body).unwrap_or_else(|error| panic!("{path}: {error}"));
            if split == Split::EveryByte && !response.chunks.is_empty() {
                assert!(response.chunks.iter().all(|size| *size == 1));
            }
        }
        for encoding in [Encoding::Gzip, Encoding::Br, Encoding::Zstd, Encoding::Deflate] {
            mock.reply(reply().encoded(encoding));
            let response = kit::post(&mock, path, &body);
            assert!(response.head.contains(&format!("content-encoding: {}", encoding.name())));
        }
    }
}
