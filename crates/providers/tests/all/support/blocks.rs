//! A client that reads content blocks as strictly as the SDKs of the provider, or stricter.

use serde_json::{Map, Value, json};

/// Reads the payloads of Anthropic's events into a message.
///
/// Panics at what a client would not understand: a block that does not follow the one before it, a delta of a block
/// that is not open, an opening or a closing that is missing or comes twice.
#[track_caller]
pub(crate) fn message(events: &[Value]) -> Value {
    let mut message = Value::Null;
    let (mut open, mut inputs, mut is_over) = (Vec::new(), Map::new(), false);
    for event in events {
        assert!(!is_over, "{event} after the end");
        match event["type"].as_str().unwrap() {
            "message_start" => {
                assert!(message.is_null(), "a second opening");
                message = event["message"].clone();
            }
            "content_block_start" => {
                let content = message["content"].as_array_mut().unwrap();
                assert_eq!(event["index"], content.len(), "{event}");
                content.push(event["content_block"].clone());
                open.push(event["index"].clone());
            }
            "content_block_delta" => {
                assert!(open.contains(&event["index"]), "{event}");
                let index = event["index"].as_u64().unwrap();
                let delta = &event["delta"];
                if let Some(part) = delta["partial_json"].as_str() {
                    let input = inputs.entry(index.to_string()).or_insert(json!(""));
                    *input = json!(format!("{}{part}", input.as_str().unwrap()));
                }
                let block = &mut message["content"][index as usize];
                for name in ["text", "thinking", "signature"] {
                    if let Some(more) = delta[name].as_str() {
                        let begun = block[name].as_str().unwrap_or_default();
                        block[name] = json!(format!("{begun}{more}"));
                    }
                }
            }
            "content_block_stop" => {
                let place = open.iter().position(|index| *index == event["index"]);
                open.remove(place.unwrap_or_else(|| panic!("{event}")));
            }
            "message_delta" => {
                for (name, value) in event["delta"].as_object().unwrap() {
                    message[name] = value.clone();
                }
                for (name, value) in event["usage"].as_object().unwrap() {
                    message["usage"][name] = value.clone();
                }
            }
            "message_stop" => is_over = true,
            "ping" => {}
            other => panic!("unknown event {other}"),
        }
    }
    assert!(is_over && open.is_empty(), "open: {open:?}");
    for (index, input) in inputs {
        let index: usize = index.parse().unwrap();
        message["content"][index]["input"] = serde_json::from_str(input.as_str().unwrap()).unwrap();
    }
    message
}

/// The payloads of server-sent events.
pub(crate) fn payloads(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|json| serde_json::from_str(json).unwrap()).collect()
}

/// Server-sent events as Anthropic writes them.
pub(crate) fn events(payloads: &[Value]) -> Vec<u8> {
    let event =
        |json: &Value| format!("event: {}\ndata: {json}\n\n", json["type"].as_str().unwrap());
    payloads.iter().map(event).collect::<String>().into_bytes()
}

/// A reply in Anthropic's events: its blocks, each with its deltas.
pub(crate) fn reply(
    id: &str,
    blocks: &[(Value, Vec<Value>)],
    reason: &str,
    figures: [u64; 3],
) -> Vec<Value> {
    let [input, cached, output] = figures;
    let mut events = vec![
        json!({"type": "message_start", "message": {
            "id": id, "type": "message", "role": "assistant", "model": "claude", "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": 1},
        }}),
        json!({"type": "ping"}),
    ];
    for (index, (start, deltas)) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": output},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

pub(crate) fn text(parts: &[&str]) -> (Value, Vec<Value>) {
    let delta = |part| json!({"type": "text_delta", "text": part});
    (json!({"type": "text", "text": ""}), parts.iter().map(delta).collect())
}

pub(crate) fn thinking(parts: &[&str], signature: &str) -> (Value, Vec<Value>) {
    let delta = |part| json!({"type": "thinking_delta", "thinking": part});
    let mut deltas: Vec<_> = parts.iter().map(delta).collect();
    deltas.push(json!({"type": "signature_delta", "signature": signature}));
    (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
}

pub(crate) fn call(id: &str, name: &str, parts: &[&str]) -> (Value, Vec<Value>) {
    let delta = |part| json!({"type": "input_json_delta", "partial_json": part});
    let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    (start, parts.iter().map(delta).collect())
}

pub(crate) fn expand(id: &str) -> (Value, Vec<Value>) {
    call(id, "expand_context", &["", "{\"id\":", " \"shadow", "_1\"}"])
}
