//! What Bedrock Converse answers, whole and as an event stream.

use super::PREFIX;
use crate::answer::Turn;
use crate::eventstream::Message;
use crate::fragments::fragments;
use crate::script::Part;
use crate::seal::{call_id, hidden, signature};
use bytes::Bytes;
use serde_json::{Value, json};

/// The answer as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let content: Value = (0..turn.parts.len()).filter_map(|at| block(turn, at)).collect();
    json!({
        "output": { "message": { "role": "assistant", "content": content } },
        "stopReason": stop(turn),
        "usage": usage(turn),
        "metrics": { "latencyMs": 1 },
    })
}

/// The answer as messages of an event stream.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    let mut events = vec![("messageStart", json!({ "role": "assistant" }))];
    for at in 0..turn.parts.len() {
        let index = |mut event: Value| {
            event["contentBlockIndex"] = json!(at);
            event
        };
        let Some(block) = block(turn, at) else { continue };
        if let Some(call) = block.get("toolUse") {
            let call = json!({ "toolUseId": call["toolUseId"], "name": call["name"] });
            events.push(("contentBlockStart", index(json!({ "start": { "toolUse": call } }))));
        }
        for delta in deltas(&turn.parts[at], &block) {
            events.push(("contentBlockDelta", index(json!({ "delta": delta }))));
        }
        events.push(("contentBlockStop", index(json!({}))));
    }
    events.push(("messageStop", json!({ "stopReason": stop(turn) })));
    events.push(("metadata", json!({ "usage": usage(turn), "metrics": { "latencyMs": 1 } })));
    let padded = |(at, (kind, mut event)): (usize, (&str, Value))| {
        // Bedrock hides the lengths of tokens behind padding.
        event["p"] = json!(&"abcdefghijklmnopqrstuvwxyz"[..at % 26]);
        Message::event(kind, event.to_string()).encoded()
    };
    events.into_iter().enumerate().map(padded).collect()
}

fn usage(turn: &Turn<'_>) -> Value {
    let usage = &turn.usage;
    json!({
        "inputTokens": usage.input - usage.cache_read - usage.cache_write,
        "outputTokens": usage.output,
        "totalTokens": usage.input + usage.output,
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": usage.cache_write,
    })
}

fn stop<'a>(turn: &Turn<'a>) -> &'a str {
    turn.stop.unwrap_or(if turn.calls() { "tool_use" } else { "end_turn" })
}

fn block(turn: &Turn<'_>, at: usize) -> Option<Value> {
    Some(match &turn.parts[at] {
        Part::Thinking(text) => {
            json!({ "reasoningContent": { "reasoningText": { "text": text, "signature": signature(text) } } })
        }
        Part::Redacted(text) => json!({ "reasoningContent": { "redactedContent": hidden(text) } }),
        Part::Text(text) => json!({ "text": text }),
        Part::Call { name, arguments } => {
            let id = call_id(PREFIX, turn.serial, at, turn.thought(), name, arguments);
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({ "toolUse": { "toolUseId": id, "name": name, "input": input } })
        }
        Part::ExpandFirst => return None,
    })
}

fn deltas(part: &Part, block: &Value) -> Vec<Value> {
    match part {
        Part::Thinking(text) => {
            let signature = &block["reasoningContent"]["reasoningText"]["signature"];
            fragments(text)
                .map(|piece| json!({ "reasoningContent": { "text": piece } }))
                .chain([json!({ "reasoningContent": { "signature": signature } })])
                .collect()
        }
        Part::Text(text) => fragments(text).map(|piece| json!({ "text": piece })).collect(),
        Part::Call { arguments, .. } => {
            fragments(arguments).map(|piece| json!({ "toolUse": { "input": piece } })).collect()
        }
        Part::Redacted(_) => vec![block.clone()],
        Part::ExpandFirst => Vec::new(),
    }
}
