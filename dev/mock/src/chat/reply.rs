//! What OpenAI's chat answers, whole and as chunks.

use super::PREFIX;
use crate::answer::Turn;
use crate::fragments::fragments;
use crate::script::Part;
use crate::seal::call_id;
use bytes::Bytes;
use serde_json::{Value, json};

/// A fixed moment: the same request has the same answer.
const CREATED: u64 = 1_760_000_000;

/// The completion as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let joined = |wanted: fn(&Part) -> Option<&str>| {
        let texts: Vec<_> = turn.parts.iter().filter_map(wanted).collect();
        (!texts.is_empty()).then(|| texts.concat())
    };
    let mut message =
        json!({ "role": "assistant", "content": joined(said), "refusal": null, "annotations": [] });
    if let Some(thought) = joined(thought) {
        message["reasoning_content"] = json!(thought);
    }
    let calls: Vec<_> =
        calls(turn).map(|(_, id, name, arguments)| call(&id, name, arguments)).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut completion = envelope(turn, "chat.completion");
    completion["choices"] =
        json!([{ "index": 0, "message": message, "logprobs": null, "finish_reason": stop(turn) }]);
    completion["usage"] = usage(turn);
    completion
}

/// The completion as chunks, with `[DONE]` at the end.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    let with_usage = turn.body["stream_options"]["include_usage"] == true;
    let chunk = |delta: Value, stop: Option<&str>| {
        let mut chunk = envelope(turn, "chat.completion.chunk");
        chunk["choices"] =
            json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": stop }]);
        if with_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    };
    let mut chunks =
        vec![chunk(json!({ "role": "assistant", "content": "", "refusal": null }), None)];
    for part in turn.parts {
        for piece in thought(part).into_iter().flat_map(fragments) {
            chunks.push(chunk(json!({ "reasoning_content": piece }), None));
        }
        for piece in said(part).into_iter().flat_map(fragments) {
            chunks.push(chunk(json!({ "content": piece }), None));
        }
    }
    for (index, id, name, arguments) in calls(turn) {
        let mut opening = call(&id, name, "");
        opening["index"] = json!(index);
        chunks.push(chunk(json!({ "tool_calls": [opening] }), None));
        for piece in fragments(arguments) {
            let more = json!({ "index": index, "function": { "arguments": piece } });
            chunks.push(chunk(json!({ "tool_calls": [more] }), None));
        }
    }
    chunks.push(chunk(json!({}), Some(stop(turn))));
    if with_usage {
        let mut last = envelope(turn, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(turn);
        chunks.push(last);
    }
    let data = |chunk: &Value| Bytes::from(format!("data: {chunk}\n\n"));
    chunks.iter().map(data).chain([Bytes::from_static(b"data: [DONE]\n\n")]).collect()
}

fn envelope(turn: &Turn<'_>, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-mk{:016x}", turn.serial),
        "object": object,
        "created": CREATED,
        "model": turn.model,
        "service_tier": "default",
        "system_fingerprint": "fp_mock",
    })
}

fn usage(turn: &Turn<'_>) -> Value {
    let usage = &turn.usage;
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": usage.reasoning, "audio_tokens": 0 },
    })
}

fn stop<'a>(turn: &Turn<'a>) -> &'a str {
    turn.stop.unwrap_or(if turn.calls() { "tool_calls" } else { "stop" })
}

fn said(part: &Part) -> Option<&str> {
    if let Part::Text(text) = part { Some(text) } else { None }
}

/// OpenAI keeps what its models think to itself; others that speak its dialect show it like this.
fn thought(part: &Part) -> Option<&str> {
    if let Part::Thinking(text) = part { Some(text) } else { None }
}

/// Each call: its index, id, name and arguments.
fn calls<'a>(turn: &'a Turn<'_>) -> impl Iterator<Item = (usize, String, &'a str, &'a str)> {
    let calls = turn.parts.iter().filter_map(|part| match part {
        Part::Call { name, arguments } => Some((name.as_str(), arguments.as_str())),
        _ => None,
    });
    calls.enumerate().map(|(index, (name, arguments))| {
        let id = call_id(PREFIX, turn.serial, index, turn.thought(), name, arguments);
        (index, id, name, arguments)
    })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}
