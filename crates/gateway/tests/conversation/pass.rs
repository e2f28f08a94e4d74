//! What passes as it came.

use crate::fixtures::{rows, test_run};
use crate::house::House;
use crate::voices::{
    ANTHROPIC, ANTHROPIC_STREAM, CHAT, CHAT_STREAM, Conversation, RESPONSES_STREAM, all, data,
};
use serde_json::{Value, json};
use std::io::Write as _;
use tokenforge_mock::Reply;

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn g16_what_is_not_enabled_shows_so_and_does_nothing() {
    let house = House::with(|settings| settings.tool_output.enabled = false);
    assert_eq!(house.get("/_forge/api/config").json()["pipes"]["tool_output"]["enabled"], false);
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let _ = conversation.heard(&house);
    assert_eq!(house.forwarded(), conversation.body.to_string());
}

#[test]
fn g17_g52_bodies_without_readable_results_are_untouched() {
    let house = House::new();
    let result = json!({ "role": "tool", "tool_call_id": "c", "content": rows() });
    for (path, body) in [
        (
            "/v1/embeddings",
            json!({ "model": "m", "input": rows(), "messages": [result] }).to_string(),
        ),
        ("/v1/messages", "{\"messages\": [}".to_owned()),
        ("/v1/messages", "not JSON".to_owned()),
        ("/v1/chat/completions", format!("{} trailing", json!({ "messages": [result] }))),
        ("/v1/responses", String::new()),
    ] {
        let _ = house.post(path, &body);
        assert_eq!(house.mock.last().path_and_query, path);
        assert_eq!(house.forwarded(), body, "{path}");
    }
}

#[test]
fn g18_a_count_is_of_what_would_be_sent() {
    let house = House::with(|settings| {
        settings.toon.enabled = true;
        settings.toon.min_bytes = 256;
    });
    let mut conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let response = conversation.send(&house);
    conversation.goes_on(&response, &[]);
    conversation.says(&rows());
    let mut body = conversation.body.clone();
    body.as_object_mut().unwrap().retain(|name, _| !matches!(&**name, "max_tokens" | "stream"));
    let counted = house.post("/v1/messages/count_tokens?beta=true", body.to_string());
    assert_eq!(counted.status, 200, "{}", counted.text());
    let count = house.forwarded();
    assert!(count.contains(&crate::fixtures::escaped(&rows())), "the user's text was touched");
    conversation.body["messages"].as_array_mut().unwrap().pop();
    conversation.says("And now?");
    let _ = conversation.heard(&house);
    let sent = house.forwarded();
    let result = |body: &str| serde_json::from_str::<Value>(body).unwrap()["messages"][2].clone();
    assert_eq!(result(&count), result(&sent));
    assert!(result(&count).to_string().contains("<<<SHADOW:"));
    let tools = |body: &str| serde_json::from_str::<Value>(body).unwrap()["tools"].clone();
    assert_eq!(tools(&count), tools(&sent));
}

#[test]
fn g19_the_query_reaches_the_provider() {
    let house = House::new();
    for voice in all() {
        let and = if voice.path.contains('?') { '&' } else { '?' };
        let path = format!("{}{and}beta=true&api-version=2024-10-21&x=%2F+y", voice.path);
        let _ = house.post(&path, Conversation::new(voice).body.to_string());
        assert_eq!(house.mock.last().path_and_query, path);
    }
}

#[test]
fn g20_compressed_bodies_are_read_and_go_on_plain_or_as_they_came() {
    let house = House::new();
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let _ = conversation.heard(&house);
    let plain = house.forwarded();
    let body = conversation.body.to_string();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body.as_bytes()).unwrap();
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    deflate.write_all(body.as_bytes()).unwrap();
    let mut br = Vec::new();
    brotli::CompressorWriter::new(&mut br, 4096, 4, 20).write_all(body.as_bytes()).unwrap();
    for (coding, coded) in [
        ("gzip", gzip.finish().unwrap()),
        ("deflate", deflate.finish().unwrap()),
        ("br", br),
        ("zstd", zstd::encode_all(body.as_bytes(), 3).unwrap()),
    ] {
        let headers = [JSON, ("content-encoding", coding)];
        assert_eq!(house.ask("POST", ANTHROPIC.path, &headers, &coded).status, 200, "{coding}");
        assert_eq!(
            (house.forwarded(), house.mock.last().header("content-encoding")),
            (plain.clone(), "")
        );
        let off = [JSON, ("content-encoding", coding), ("x-forge-mode", "off")];
        assert_eq!(house.ask("POST", ANTHROPIC.path, &off, &coded).status, 200, "{coding}");
        let last = house.mock.last();
        assert!(last.body == coded && last.header("content-encoding") == coding, "{coding}");
        assert_eq!(last.header("x-forge-mode"), "");
    }
    let _ = house.ask("POST", ANTHROPIC.path, &[("content-encoding", "gzip")], "not gzip");
    assert_eq!(&house.mock.last().body[..], b"not gzip");
}

#[test]
fn g21_any_method_and_path_is_proxied() {
    let house = House::new();
    for (method, path) in [
        ("GET", "/v1/models?limit=2"),
        ("DELETE", "/v1/files/file_1"),
        ("PUT", "/anything/at/all"),
        ("HEAD", "/api/hello"),
        ("PATCH", "/v1/messages"),
    ] {
        house.mock.reply_on(path, Reply::status(200, &[("x-from", "provider")], ""));
        let response = house.ask(method, path, &[], "");
        let last = house.mock.last();
        assert_eq!((last.method.as_str(), last.path_and_query.as_str()), (method, path));
        assert_eq!(
            (response.status, response.header("x-from")),
            (200, "provider"),
            "{method} {path}"
        );
    }
}

#[test]
fn g22_unknown_headers_are_forwarded_but_those_of_the_connection() {
    let house = House::new();
    let headers = [
        JSON,
        ("anthropic-beta", "one,two"),
        ("x-unknown", "as it is"),
        ("x-of-this-hop", "1"),
        ("keep-alive", "timeout=5"),
        ("te", "trailers"),
        ("proxy-authorization", "Basic eA=="),
        ("connection", "x-of-this-hop"),
    ];
    let body = Conversation::new(ANTHROPIC).body.to_string();
    assert_eq!(house.ask("POST", ANTHROPIC.path, &headers, body).status, 200);
    let last = house.mock.last();
    assert_eq!((last.header("anthropic-beta"), last.header("x-unknown")), ("one,two", "as it is"));
    for name in ["x-of-this-hop", "keep-alive", "te", "proxy-authorization", "connection"] {
        assert_eq!(last.header(name), "", "{name}");
    }
}

#[test]
fn g51_an_error_of_the_provider_is_the_clients_error() {
    let body = "{ \"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"} }\n";
    for status in [400, 401, 404, 429, 500, 503, 529] {
        for voice in [ANTHROPIC_STREAM, CHAT_STREAM, RESPONSES_STREAM] {
            let house = House::new();
            let conversation = Conversation::new(voice).with_output(&house, &test_run());
            let headers = [JSON, ("retry-after", "7"), ("x-request-id", "r1")];
            house.mock.reply(Reply::status(status, &headers, body));
            let response = conversation.send(&house);
            assert_eq!((response.status, response.text()), (status, body), "{voice:?}");
            assert_eq!(
                (response.header("retry-after"), response.header("x-request-id")),
                ("7", "r1")
            );
        }
    }
}

#[test]
fn g53_several_choices_pass_as_they_are_and_nothing_is_left_out() {
    let house = House::new();
    let mut conversation = Conversation::new(CHAT).with_output(&house, &test_run());
    conversation.body["n"] = json!(2);
    let body = r#"{"id":"x","object":"chat.completion","choices":[ {"index":0,"message":{"role":"assistant","content":"a"}},{"index":1,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"expand_context","arguments":"{}"}}]}}]}"#;
    house.mock.reply(Reply::status(200, &[JSON], body));
    assert_eq!(conversation.send(&house).text(), body);
    let forwarded = house.forwarded();
    assert!(!forwarded.contains("expand_context") && !forwarded.contains("<<<SHADOW:"));
}

#[test]
fn g53_logprobs_and_refusals_survive_an_expansion() {
    let house = House::new();
    let conversation = Conversation::new(CHAT).with_output(&house, &test_run());
    let logprobs = r#"{"content":[{"token":"a","logprob":-0.10,"bytes":[97],"top_logprobs":[]}],"refusal":null}"#;
    let last = format!(
        r#"{{"id":"y","object":"chat.completion","created":2,"model":"gpt-5","choices":[{{"index":0,"message":{{"role":"assistant","content":"a","refusal":"I will not."}},"logprobs":{logprobs},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}}}"#
    );
    house.mock.reply(Reply::status(200, &[JSON], last.clone()));
    assert_eq!(
        conversation.send(&house).text(),
        last,
        "without an expansion every byte is the provider's"
    );
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply(Reply::status(200, &[JSON], last));
    let response = conversation.send(&house);
    assert!(response.text().contains(logprobs), "{}", response.text());
    assert_eq!(response.json()["choices"][0]["message"]["refusal"], "I will not.");
}

#[test]
fn g53_logprobs_and_refusals_survive_in_a_stream() {
    let house = House::new();
    let conversation = Conversation::new(CHAT_STREAM).with_output(&house, &test_run());
    let logprobs = json!({ "content": [{ "token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": [] }] });
    let chunk = |delta: Value, logprobs: &Value, stop: Value| {
        json!({ "id": "y", "object": "chat.completion.chunk", "created": 2, "model": "gpt-5",
            "choices": [{ "index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": stop }] })
    };
    let stream: String = [
        chunk(json!({ "role": "assistant", "content": "a" }), &logprobs, Value::Null),
        chunk(json!({ "refusal": "I will not." }), &Value::Null, Value::Null),
        chunk(json!({}), &Value::Null, json!("stop")),
    ]
    .iter()
    .map(|chunk| format!("data: {chunk}\n\n"))
    .chain(["data: [DONE]\n\n".to_owned()])
    .collect();
    let sse = [("content-type", "text/event-stream")];
    house.mock.reply(Reply::status(200, &sse, stream.clone()));
    assert_eq!(
        conversation.send(&house).text(),
        stream,
        "without an expansion every byte is the provider's"
    );
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply(Reply::status(200, &sse, stream));
    let response = conversation.send(&house);
    let chunks = data(&response.body);
    let choices = || chunks.iter().map(|chunk| &chunk["choices"][0]);
    assert!(choices().any(|choice| choice["logprobs"] == logprobs), "{}", response.text());
    assert!(
        choices().any(|choice| choice["delta"]["refusal"] == "I will not."),
        "{}",
        response.text()
    );
}
