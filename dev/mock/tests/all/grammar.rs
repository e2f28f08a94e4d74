//! The grammars see what is missing, doubled or out of place.

use crate::kit;
use serde_json::{Value, json};
use tokenforge_mock::grammar::check;
use tokenforge_mock::{Mock, Reply};

/// The events of a streamed reply: thinking, text and two calls.
fn events(path: &str, body: &Value) -> Vec<Vec<u8>> {
    let mock = Mock::start();
    let calls =
        Reply::new().thinking("Hm.").text("Ok.").call("Bash", json!({})).call("Read", json!({}));
    mock.reply(calls);
    let bytes = kit::post(&mock, path, body).body;
    if bytes[0] != 0 {
        let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        return lines.chunk_by(|line, _| *line != b"\n").map(<[&[u8]]>::concat).collect();
    }
    let mut rest = &bytes[..];
    let mut messages = Vec::new();
    while let Some(size) = rest.first_chunk::<4>() {
        let (message, after) = rest.split_at(u32::from_be_bytes(*size) as usize);
        messages.push(message.to_vec());
        rest = after;
    }
    messages
}

/// Every event but those with `spared` in it must be there once.
fn each_counts(dialect: &str, events: &[Vec<u8>], spared: &[&str]) {
    check(dialect, &events.concat()).unwrap();
    for (at, event) in events.iter().enumerate() {
        let text = String::from_utf8_lossy(event);
        if spared.iter().any(|spared| text.contains(spared)) {
            continue;
        }
        let without: Vec<_> = [&events[..at], &events[at + 1..]].concat();
        assert!(check(dialect, &without.concat()).is_err(), "{dialect} without {text}");
        let twice: Vec<_> = [&events[..=at], &events[at..]].concat();
        assert!(check(dialect, &twice.concat()).is_err(), "{dialect} with two of {text}");
    }
}

#[test]
fn anthropic_counts_every_event_but_pings_and_pieces() {
    let body = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [{"role": "user", "content": "x"}]});
    let pieces = ["ping", "text_delta", "thinking_delta", "input_json_delta", "message_delta"];
    each_counts("anthropic", &events("/v1/messages", &body), &pieces);
}

#[test]
fn chat_counts_every_chunk_but_pieces() {
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]});
    let pieces = [
        "\"content\":\"O",
        "\"content\":\"k",
        "reasoning_content",
        r#""arguments":"{""#,
        r#""arguments":"}""#,
    ];
    each_counts("chat", &events("/v1/chat/completions", &body), &pieces);
}

#[test]
fn responses_counts_every_event() {
    let body = json!({"model": "m", "stream": true, "input": "x"});
    each_counts("responses", &events("/v1/responses", &body), &[]);
}

#[test]
fn interactions_count_every_event_but_pieces() {
    let body = json!({"model": "m", "stream": true, "input": "x"});
    let pieces =
        [r#""text":"O""#, r#""text":"k"#, "arguments_delta", "thought_summary", "in_progress"];
    let events = events("/v1beta/interactions", &body);
    each_counts("interactions", &events, &pieces);
    let created = events.iter().find(|event| event.starts_with(b"event: interaction.created"));
    let twice = [created.unwrap(), &*events.concat()].concat();
    assert!(check("interactions", &twice).is_err());
}

#[test]
fn converse_counts_every_message_but_pieces() {
    let body = json!({"messages": [{"role": "user", "content": [{"text": "x"}]}]});
    each_counts("converse", &events("/model/m/converse-stream", &body), &["contentBlockDelta"]);
}

#[test]
fn gemini_and_ollama_count_their_ends() {
    let gemini = json!({"contents": [{"parts": [{"text": "x"}]}]});
    let ollama = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]});
    let path = "/v1beta/models/m:streamGenerateContent?alt=sse";
    for (dialect, path, body, line_end) in
        [("gemini", path, gemini, "\r\n\r\n"), ("ollama", "/api/chat", ollama, "\n")]
    {
        let all = String::from_utf8(events(path, &body).concat()).unwrap();
        let mut parts: Vec<_> = all.split_inclusive(line_end).collect();
        check(dialect, parts.concat().as_bytes()).unwrap();
        let last = parts.pop().unwrap();
        assert!(check(dialect, parts.concat().as_bytes()).is_err(), "{dialect} without its end");
        assert!(
            check(dialect, [&*all, last].concat().as_bytes()).is_err(),
            "{dialect} after its end"
        );
    }
}
