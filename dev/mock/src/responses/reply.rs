//! What OpenAI's Responses answers, whole and as events.

use super::{CALL, ITEM, reasoning_id, sealed};
use crate::answer::Turn;
use crate::fragments::fragments;
use crate::refusal::items;
use crate::script::Part;
use crate::seal::{call_id, signature};
use bytes::Bytes;
use serde_json::{Value, json};

/// The response as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let output = (0..turn.parts.len()).filter_map(|at| item(turn, at)).collect();
    let mut whole = response(turn, status(turn), output);
    if let Some(reason) = turn.stop {
        whole["incomplete_details"] = json!({ "reason": reason });
    }
    whole
}

/// A shorter conversation in place of the one that was sent: what the user said, and one item for all else.
pub(crate) fn compacted(turn: &Turn<'_>) -> Value {
    let is_user = |item: &&Value| super::kind(item) == "message" && item["role"] == "user";
    let said = items(&turn.body["input"]).iter().filter(is_user).cloned();
    let compaction = json!({
        "id": format!("cmp_mk{:016x}", turn.serial),
        "type": "compaction",
        "encrypted_content": signature(&turn.body["input"].to_string()),
    });
    json!({
        "id": id(turn),
        "object": "response.compaction",
        "created_at": 1_760_000_000,
        "output": said.chain([compaction]).collect::<Value>(),
        "usage": spent(turn),
    })
}

/// The only other end that a script can ask for is that of a response which was cut short, for this reason.
fn status(turn: &Turn<'_>) -> &'static str {
    if turn.stop.is_some() { "incomplete" } else { "completed" }
}

/// Keeps the response for requests that go on from it, unless the client asked not to.
pub(crate) fn remember(turn: &Turn<'_>) {
    if turn.body["store"] == false {
        return;
    }
    let output = whole(turn);
    let output = items(&output["output"]);
    let calls = output.iter().filter_map(|item| item["call_id"].as_str().map(str::to_owned));
    turn.memory.store(&id(turn), calls.clone().collect());
    if let Some(conversation) = super::conversation(turn.body) {
        let all = items(&turn.body["input"]).iter().chain(output);
        let ids = all.filter_map(|item| item["id"].as_str().map(str::to_owned));
        turn.memory.add(conversation, calls.collect(), ids.collect());
    }
}

/// The response as events.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    let mut events = vec![
        json!({ "type": "response.created", "response": response(turn, "in_progress", json!([])) }),
        json!({ "type": "response.in_progress", "response": response(turn, "in_progress", json!([])) }),
    ];
    let all = (0..turn.parts.len()).filter_map(|at| Some((&turn.parts[at], item(turn, at)?)));
    for (index, (part, item)) in all.enumerate() {
        let mut said = item_events(part, &item);
        for event in &mut said {
            event["output_index"] = json!(index);
        }
        events.extend(said);
    }
    let end = format!("response.{}", status(turn));
    events.push(json!({ "type": end, "response": whole(turn) }));
    let framed = |(number, mut event): (usize, Value)| {
        event["sequence_number"] = json!(number);
        let name = event["type"].as_str().unwrap_or_default();
        Bytes::from(format!("event: {name}\ndata: {event}\n\n"))
    };
    events.into_iter().enumerate().map(framed).collect()
}

fn id(turn: &Turn<'_>) -> String {
    format!("resp_mk{:016x}", turn.serial)
}

fn response(turn: &Turn<'_>, status: &str, output: Value) -> Value {
    let body = turn.body;
    let or = |name: &str, default: Value| {
        if body[name].is_null() { default } else { body[name].clone() }
    };
    json!({
        "id": id(turn),
        "object": "response",
        "created_at": 1_760_000_000,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": body["instructions"],
        "max_output_tokens": body["max_output_tokens"],
        "model": turn.model,
        "output": output,
        "parallel_tool_calls": or("parallel_tool_calls", json!(true)),
        "previous_response_id": body["previous_response_id"],
        "reasoning": or("reasoning", json!({ "effort": null, "summary": null })),
        "store": or("store", json!(true)),
        "temperature": or("temperature", json!(1.0)),
        "text": or("text", json!({ "format": { "type": "text" } })),
        "tool_choice": or("tool_choice", json!("auto")),
        "tools": or("tools", json!([])),
        "top_p": or("top_p", json!(1.0)),
        "truncation": "disabled",
        "usage": if status == "in_progress" { Value::Null } else { spent(turn) },
        "user": null,
        "metadata": or("metadata", json!({})),
    })
}

fn spent(turn: &Turn<'_>) -> Value {
    let usage = &turn.usage;
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": { "cached_tokens": usage.cache_read },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": usage.reasoning },
        "total_tokens": usage.input + usage.output,
    })
}

/// A part as an item of the output.
fn item(turn: &Turn<'_>, at: usize) -> Option<Value> {
    Some(match &turn.parts[at] {
        Part::Thinking(text) => {
            let summary = json!([{ "type": "summary_text", "text": text }]);
            let mut item =
                json!({ "id": reasoning_id(turn.serial), "type": "reasoning", "summary": summary });
            let asked_for = |what: &Value| what == "reasoning.encrypted_content";
            if items(&turn.body["include"]).iter().any(asked_for) {
                item["encrypted_content"] = json!(signature(&sealed(&item)));
            }
            item
        }
        Part::Text(text) => json!({
            "id": format!("msg_mk{:016x}{at:02x}", turn.serial),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [content(text)],
        }),
        Part::Call { name, arguments } => {
            let id = |prefix| call_id(prefix, turn.serial, at, turn.thought(), name, arguments);
            json!({
                "id": id(ITEM),
                "type": "function_call",
                "status": "completed",
                "arguments": arguments,
                "call_id": id(CALL),
                "name": name,
            })
        }
        Part::Redacted(_) | Part::ExpandFirst => return None,
    })
}

fn content(text: &str) -> Value {
    json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text })
}

/// An item's events, without the index of the item.
fn item_events(part: &Part, item: &Value) -> Vec<Value> {
    let id = &item["id"];
    let mut start = item.clone();
    let mut events = Vec::new();
    match part {
        Part::Thinking(text) => {
            start["summary"] = json!([]);
            let event = |kind: &str| json!({ "type": kind, "item_id": id, "summary_index": 0 });
            events.push(with(event("response.reasoning_summary_part.added"), "part", summary("")));
            for piece in fragments(text) {
                events.push(with(
                    event("response.reasoning_summary_text.delta"),
                    "delta",
                    json!(piece),
                ));
            }
            events.push(with(event("response.reasoning_summary_text.done"), "text", json!(text)));
            events.push(with(event("response.reasoning_summary_part.done"), "part", summary(text)));
        }
        Part::Text(text) => {
            start["content"] = json!([]);
            start["status"] = json!("in_progress");
            let event = |kind: &str| json!({ "type": kind, "item_id": id, "content_index": 0 });
            events.push(with(event("response.content_part.added"), "part", content("")));
            for piece in fragments(text) {
                let delta = with(event("response.output_text.delta"), "delta", json!(piece));
                events.push(with(delta, "logprobs", json!([])));
            }
            let done = with(event("response.output_text.done"), "text", json!(text));
            events.push(with(done, "logprobs", json!([])));
            events.push(with(event("response.content_part.done"), "part", content(text)));
        }
        Part::Call { arguments, name } => {
            start["arguments"] = json!("");
            start["status"] = json!("in_progress");
            let event = |kind: &str| json!({ "type": kind, "item_id": id });
            for piece in fragments(arguments) {
                events.push(with(
                    event("response.function_call_arguments.delta"),
                    "delta",
                    json!(piece),
                ));
            }
            let done =
                with(event("response.function_call_arguments.done"), "arguments", json!(arguments));
            events.push(with(done, "name", json!(name)));
        }
        Part::Redacted(_) | Part::ExpandFirst => {}
    }
    events.insert(0, json!({ "type": "response.output_item.added", "item": start }));
    events.push(json!({ "type": "response.output_item.done", "item": item }));
    events
}

fn summary(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

fn with(mut event: Value, name: &str, value: Value) -> Value {
    event[name] = value;
    event
}
