//! What Anthropic answers, whole and as events.

use super::PREFIX;
use crate::answer::Turn;
use crate::fragments::fragments;
use crate::script::Part;
use crate::seal::{call_id, hidden, signature};
use bytes::Bytes;
use serde_json::{Value, json};

/// The message as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let mut message = opened(turn);
    message["content"] = (0..turn.parts.len()).filter_map(|at| block(turn, at)).collect();
    message["stop_reason"] = json!(stop(turn));
    message["usage"] = usage(turn, turn.usage.output);
    message
}

/// The message as a stream of events, framed as SSE.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    payloads(turn).iter().map(sse).collect()
}

/// The same events without a frame; Bedrock has another one.
pub(crate) fn payloads(turn: &Turn<'_>) -> Vec<Value> {
    let mut events = vec![json!({ "type": "message_start", "message": opened(turn) })];
    for (index, at) in (0..turn.parts.len()).enumerate() {
        let Some(block) = block(turn, at) else { continue };
        let (start, deltas) = taken_apart(&block, &turn.parts[at]);
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        if index == 0 {
            events.push(json!({ "type": "ping" }));
        }
        let delta =
            |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop(turn), "stop_sequence": null },
        "usage": { "output_tokens": turn.usage.output },
    }));
    events.push(json!({ "type": "message_stop" }));
    events
}

fn sse(event: &Value) -> Bytes {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n").into()
}

fn opened(turn: &Turn<'_>) -> Value {
    json!({
        "id": format!("msg_01mk{:016x}", turn.serial),
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage(turn, 1),
    })
}

fn usage(turn: &Turn<'_>, output: u64) -> Value {
    let usage = &turn.usage;
    json!({
        "input_tokens": usage.input - usage.cache_read - usage.cache_write,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output,
        "service_tier": "standard",
    })
}

fn stop<'a>(turn: &Turn<'a>) -> &'a str {
    turn.stop.unwrap_or(if turn.calls() { "tool_use" } else { "end_turn" })
}

/// A part as a content block. Arguments that are no object are left out, as Anthropic does.
fn block(turn: &Turn<'_>, at: usize) -> Option<Value> {
    Some(match &turn.parts[at] {
        Part::Thinking(text) => {
            json!({ "type": "thinking", "thinking": text, "signature": signature(text) })
        }
        Part::Redacted(text) => json!({ "type": "redacted_thinking", "data": hidden(text) }),
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Call { name, arguments } => {
            let id = call_id(PREFIX, turn.serial, at, turn.thought(), name, arguments);
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        Part::ExpandFirst => return None,
    })
}

/// A block as it starts, and what is then added to it.
fn taken_apart(block: &Value, part: &Part) -> (Value, Vec<Value>) {
    let mut start = block.clone();
    let deltas = match part {
        Part::Thinking(text) => {
            start["thinking"] = json!("");
            start["signature"] = json!("");
            fragments(text)
                .map(|piece| json!({ "type": "thinking_delta", "thinking": piece }))
                .chain([json!({ "type": "signature_delta", "signature": block["signature"] })])
                .collect()
        }
        Part::Text(text) => {
            start["text"] = json!("");
            fragments(text).map(|piece| json!({ "type": "text_delta", "text": piece })).collect()
        }
        Part::Call { arguments, .. } => {
            start["input"] = json!({});
            [""].into_iter()
                .chain(fragments(arguments))
                .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }))
                .collect()
        }
        Part::Redacted(_) | Part::ExpandFirst => Vec::new(),
    };
    (start, deltas)
}
