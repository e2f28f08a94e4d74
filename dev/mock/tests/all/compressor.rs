//! The stub of the compression service.

use crate::kit;
use serde_json::{Value, json};
use tokenforge_mock::{MockCompressor, Reply};

const KEY: &str = "x-api-key: k\r\nauthorization: Bearer k\r\n";

fn payload() -> Value {
    json!({
        "tool_output": "one two three four five six",
        "query": "",
        "tool_name": "Bash",
        "compression_model_name": "m",
        "target_compression_ratio": 0.5,
        "source": "gateway",
    })
}

fn ask(compressor: &MockCompressor, headers: &str, body: &Value) -> (u16, Value) {
    let response = kit::ask(compressor, "POST", "/compress", headers, body.to_string().as_bytes());
    (response.status, response.json())
}

#[test]
fn c8_it_answers_as_the_service_does() {
    let compressor = MockCompressor::start();
    let (status, answer) = ask(&compressor, KEY, &payload());
    assert_eq!((status, &answer["success"]), (200, &json!(true)));
    assert_eq!(answer["data"]["compressed_output"], "one two");
    compressor.answer_with(|asked| asked["tool_name"].as_str().unwrap().to_owned());
    assert_eq!(ask(&compressor, KEY, &payload()).1["data"]["compressed_output"], "Bash");
    compressor.fail_once(Reply::status(503, &[], "{}"));
    assert_eq!(ask(&compressor, KEY, &payload()).0, 503);
    assert_eq!(ask(&compressor, KEY, &payload()).0, 200);
}

#[test]
fn c12_the_key_is_checked_in_both_headers() {
    let compressor = MockCompressor::start();
    for headers in ["", "x-api-key: k\r\n", "x-api-key: k\r\nauthorization: Bearer l\r\n"] {
        assert_eq!(ask(&compressor, headers, &payload()).0, 401, "{headers}");
    }
    compressor.accept_key("l");
    assert_eq!(ask(&compressor, KEY, &payload()).0, 401);
    assert_eq!(compressor.refusals().len(), 4);
}

#[test]
fn the_payload_is_checked_member_by_member() {
    let compressor = MockCompressor::start();
    for name in payload().as_object().unwrap().keys() {
        let mut body = payload();
        body[name] = json!({});
        assert_eq!(ask(&compressor, KEY, &body).0, 422, "{name}");
    }
    let mut body = payload();
    body["more"] = json!(1);
    assert_eq!(ask(&compressor, KEY, &body).0, 422);
}

#[test]
fn c11_calls_at_the_same_time_are_counted() {
    let compressor = MockCompressor::start();
    let hold = compressor.hold();
    let body = payload().to_string();
    let open: Vec<_> =
        (0..3).map(|_| kit::send(&compressor, "POST", "/compress", KEY, body.as_bytes())).collect();
    hold.wait_for_held(3);
    hold.release();
    for stream in open {
        assert_eq!(kit::read(stream).unwrap().status, 200);
    }
    assert_eq!(compressor.most_at_once(), 3);
}
