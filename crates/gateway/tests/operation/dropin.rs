//! The interface that other gateways' guardrails call.

use crate::kit::{Ask, conversation, rows, test_run, world};
use serde_json::{Value, json};

fn compress(body: &Value) -> Ask {
    Ask::post("/v1/compress", body.to_string())
}

#[test]
fn messages_come_back_as_many_in_the_same_roles_with_smaller_results() {
    let world = world();
    let chat = json!({"model": "gpt-5", "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\":\"cargo test\"}"}},
            {"id": "c2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": test_run()},
        {"role": "tool", "tool_call_id": "c2", "content": rows()},
        {"role": "user", "content": "And?"},
    ]});
    let answer = world.send(compress(&chat));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let (sent, got) =
        (chat["messages"].as_array().unwrap(), answer["messages"].as_array().unwrap());
    assert_eq!(sent.len(), got.len());
    for (index, (sent, got)) in sent.iter().zip(got).enumerate() {
        assert_eq!(sent["role"], got["role"]);
        assert_eq!(sent["tool_call_id"], got["tool_call_id"]);
        if !matches!(index, 3 | 4) {
            assert_eq!(sent, got);
        }
    }
    let figure = |name: &str| answer[name].as_i64().unwrap();
    assert!(figure("tokens_after") < figure("tokens_before") / 2);
    assert_eq!(figure("tokens_saved"), figure("tokens_before") - figure("tokens_after"));
    let ratio = figure("tokens_after") as f64 / figure("tokens_before") as f64;
    assert_eq!(answer["compression_ratio"], ratio);
    assert!(!answer["transforms_applied"].as_array().unwrap().is_empty());
    assert!(world.mock.requests().is_empty());
    // What was left out of the test run can be had; the list is whole.
    let [hash] = answer["ccr_hashes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    let hash = hash.as_str().unwrap();
    assert!(hash.len() == 24 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()), "{hash}");
    assert_eq!(answer["hashes"], answer["ccr_hashes"]);
    let shown = got[3]["content"].as_str().unwrap();
    assert!(shown.starts_with(&format!("[Forge original: hash={hash}]\n")), "{shown}");
    assert!(!answer.to_string().contains("SHADOW"), "{answer}");
    let original = world.get(&format!("/v1/retrieve/{hash}?query=x")).json();
    assert_eq!(original["original_content"], test_run());
    let another = Ask::new("GET", &format!("/v1/retrieve/{hash}")).header("x-api-key", "b");
    assert_eq!(world.send(another).status, 404);
}

#[test]
fn anthropic_messages_are_understood_too_and_the_same_request_gives_the_same_bytes() {
    let world = world();
    let body = json!({"messages": conversation(&test_run())["messages"]});
    let (first, second) = (world.send(compress(&body)), world.send(compress(&body)));
    assert_eq!(first.body, second.body);
    assert!(first.json()["messages"][2]["content"][0]["content"].as_str().unwrap().len() < 2000);
}

#[test]
fn what_is_unknown_is_a_404_and_what_is_wrong_a_400() {
    let world = world();
    for hash in ["0123456789abcdef01234567", "shadow_a", "..%2F..%2Fetc%2Fpasswd", "%00", "a/b"] {
        assert_eq!(world.get(&format!("/v1/retrieve/{hash}")).status, 404, "{hash}");
    }
    for body in ["", "{", "[]", "{}", r#"{"messages": 1, "#] {
        assert_eq!(world.post("/v1/compress", body).status, 400, "{body}");
    }
    assert_eq!(world.get("/v1/compress").status, 405);
    assert_eq!(world.post("/v1/retrieve/a", "{}").status, 405);
    assert!(world.mock.requests().is_empty());
}
