//! What the mock answers is what the providers answer, whole and as a stream, in every dialect.

use crate::kit;
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
    let responses = |stream| json!({"model": "m", "input": "hi", "stream": stream, "store": false, "include": ["reasoning.encrypted_content"]});
    let interactions = |stream| json!({"model": "m", "input": "hi", "stream": stream});
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    let converse = json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}]});
    let invoke =
        json!({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": user});
    let ollama = json!({"model": "m", "messages": user});
    vec![
        ("responses", "/v1/responses", responses(false)),
        ("responses", "/v1/responses", responses(true)),
        ("gemini", "/v1beta/models/gemini-2.5-flash:generateContent", gemini.clone()),
        ("gemini", "/v1beta/models/gemini-3-pro:streamGenerateContent", gemini.clone()),
        ("gemini", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", gemini),
        ("interactions", "/v1beta/interactions", interactions(false)),
        ("interactions", "/v1beta/interactions", interactions(true)),
        ("converse", "/model/m/converse", converse.clone()),
        ("converse", "/model/m/converse-stream", converse),
        ("invoke", "/model/m/invoke", invoke.clone()),
        ("invoke", "/model/m/invoke-with-response-stream", invoke),
        ("ollama", "/api/chat", json!({"model": "m", "messages": user, "stream": false})),
        ("ollama", "/api/chat", ollama),
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

#[test]
fn thinking_that_is_hidden_is_signed_too() {
    let mock = Mock::start();
    for (dialect, path, body) in cases() {
        mock.reply(Reply::new().redacted_thinking("Hm.").text("ok"));
        let seen = check(dialect, &kit::post(&mock, path, &body).body).unwrap();
        let has_it = matches!(dialect, "anthropic" | "invoke" | "converse");
        assert_eq!((seen.signatures.len(), &*seen.text), (usize::from(has_it), "ok"), "{path}");
    }
}

#[test]
fn a_reply_cut_anywhere_breaks_its_grammar() {
    let mock = Mock::start();
    for (dialect, path, body) in cases() {
        mock.reply(reply());
        let bytes = kit::post(&mock, path, &body).body;
        // A last line end or a closing bracket may be all that is missing.
        let complete = bytes.trim_ascii_end().len();
        for cut in (0..complete).step_by(7) {
            assert!(check(dialect, &bytes[..cut]).is_err(), "{path} cut at {cut}");
        }
    }
}
