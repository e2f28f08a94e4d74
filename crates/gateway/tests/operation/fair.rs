//! D64: what one tenant sends neither stops compression for another nor takes more work or memory than its size deserves.

use crate::kit::{Ask, World, conversation, forwarded, messages, rows, world_on, world_with};
use crate::passing::codings;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use tokenforge_config::{GatewayKey, Secret, Settings};
use tokenforge_testkit::store::{StoreCall, WrappedStore};

/// A conversation with two results: a list of rows, and these texts.
fn with_parts(texts: &[String], arguments: &Value) -> Value {
    let mut body = conversation(&rows());
    let part = |text: &String| json!({"type": "text", "text": text});
    let parts: Vec<Value> = texts.iter().map(part).collect();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": arguments},
    ]}));
    messages.push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": parts},
    ]}));
    body
}

/// A text that is shortened without loss, another one for each number.
fn part(number: usize) -> String {
    let rows: Vec<Value> = (0..4).map(|n| json!({"id": number * 4 + n, "state": "open"})).collect();
    serde_json::to_string_pretty(&rows).unwrap()
}

/// The parts of the second result as they went on.
fn forwarded_parts(world: &World) -> Vec<String> {
    let body = world.mock.last().json();
    let parts = body["messages"][4]["content"][0]["content"].as_array().unwrap().clone();
    parts.iter().map(|part| part["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn d64_a_result_of_very_many_parts_goes_on_as_it_came_and_others_are_compressed() {
    let world = world_with(|_| {});
    for (count, is_compressed) in [(100, true), (1_001, false)] {
        let parts: Vec<String> = (0..count).map(part).collect();
        let body = with_parts(&parts, &json!({"command": "list"}));
        assert_eq!(world.send(messages(&body)).status, 200);
        assert!(forwarded(&world.mock).len() < rows().len() / 2, "{count}");
        assert_eq!(forwarded_parts(&world) != parts, is_compressed, "{count}");
    }
    assert_eq!(world.mock.refusals(), Vec::<String>::new());
}

#[test]
fn d64_a_call_is_not_looked_at_again_for_every_one_of_many_parts() {
    let world = world_with(|_| {});
    let parts: Vec<String> = (0..300).map(part).collect();
    for (bytes, is_compressed) in [(100, true), (40_000, false)] {
        let body = with_parts(&parts, &json!({"command": "list", "note": "a".repeat(bytes)}));
        assert_eq!(world.send(messages(&body)).status, 200);
        assert!(forwarded(&world.mock).len() < rows().len() / 2, "{bytes}");
        assert_eq!(forwarded_parts(&world) != parts, is_compressed, "{bytes}");
    }
}

#[test]
fn d64_secrets_are_looked_for_in_however_many_parts() {
    let world = world_with(|settings| settings.redact_secrets = true);
    let secret = "AKIAIOSFODNN7EXAMPLQ";
    let parts: Vec<String> = (0..1_500).map(|n| format!("part {n}: {secret}")).collect();
    assert_eq!(world.send(messages(&with_parts(&parts, &json!({})))).status, 200);
    assert!(!String::from_utf8_lossy(&world.mock.last().body).contains(secret));
    assert_eq!(forwarded_parts(&world).len(), 1_500);
}

#[test]
fn d64_a_body_that_decodes_to_far_more_than_came_is_passed_on_unread() {
    let world = world_with(|_| {});
    let bomb = conversation(&"a".repeat(8 << 20)).to_string();
    for (coding, code) in codings() {
        let wire = code(bomb.as_bytes());
        let ask = Ask::post("/v1/messages", &wire).header("content-encoding", coding);
        world.send(ask);
        let sent = world.mock.requests().pop().unwrap();
        assert_eq!(sent.header("content-encoding"), coding);
        assert!(sent.body == wire, "{coding}");
    }
    let strict = world_with(|settings| settings.redact_secrets = true);
    for (coding, code) in codings() {
        let ask = Ask::post("/v1/messages", code(bomb.as_bytes()));
        assert_eq!(strict.send(ask.header("content-encoding", coding)).status, 413, "{coding}");
    }
    assert!(strict.mock.requests().is_empty());
}

fn keyed(settings: &mut Settings) {
    let key =
        |name: &str| GatewayKey { name: name.into(), key: Secret::new(format!("key-{name}")) };
    settings.keys = vec![key("a"), key("b")];
    settings.limits.compression_threads = 1;
}

#[test]
fn d64_a_tenant_whose_work_takes_long_does_not_stop_compression_for_another() {
    let (asked, is_asked) = channel();
    let (let_go, is_let_go) = channel::<()>();
    let count = Arc::new(AtomicUsize::new(0));
    let (asked, is_let_go, counted) = (Mutex::new(asked), Mutex::new(is_let_go), count.clone());
    // What is asked for tenant `a` waits until it is let go.
    let store = WrappedStore::new(move |call| {
        if matches!(call, StoreCall::Get("a", _)) {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = asked.lock().unwrap().send(());
            let _ = is_let_go.lock().unwrap().recv();
        }
        Ok(())
    });
    let world = world_on(Arc::new(store), keyed);
    let by = |tenant: &str, body: &Value| {
        let ask = Ask::post("/v1/messages", body.to_string());
        ask.header("x-forge-key", &format!("key-{tenant}")).header("x-who", tenant)
    };
    // All that tenant `a` may have at once is held up, and more waits behind it.
    let held: Vec<_> = (0..6).map(|n| world.open(&by("a", &conversation(&part(n))))).collect();
    is_asked.recv().unwrap();
    for number in 0..3 {
        let text = part(1_000 + number);
        assert_eq!(world.send(by("b", &conversation(&text))).status, 200);
        let sent = world.mock.requests().into_iter().rev().find(|sent| sent.header("x-who") == "b");
        let sent = sent.unwrap().json();
        let sent = sent["messages"][2]["content"][0]["content"].as_str().unwrap();
        assert!(sent.len() < text.len(), "tenant b is compressed");
    }
    assert_eq!(count.load(Ordering::SeqCst), 1, "one tenant has its own threads and no more");
    drop(let_go);
    drop(held);
}
