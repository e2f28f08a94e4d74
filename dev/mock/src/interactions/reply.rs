//! What Google's Interactions answers, whole and as events.

use super::{PREFIX, sealed};
use crate::answer::Turn;
use crate::fragments::fragments;
use crate::refusal::items;
use crate::script::Part;
use crate::seal::{call_id, signature};
use bytes::Bytes;
use serde_json::{Value, json};

/// The interaction as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let mut whole = interaction(turn, status(turn));
    whole["steps"] = steps(turn).into_iter().map(|(_, step)| step).collect();
    whole["usage"] = usage(turn);
    for name in ["previous_interaction_id", "system_instruction", "tools", "generation_config"] {
        if !turn.body[name].is_null() {
            whole[name] = turn.body[name].clone();
        }
    }
    whole
}

/// Keeps the interaction for requests that go on from it, unless the client asked not to.
pub(crate) fn remember(turn: &Turn<'_>) {
    if turn.body["store"] == false {
        return;
    }
    let steps = steps(turn);
    let calls = steps.iter().filter_map(|(_, step)| step["id"].as_str().map(str::to_owned));
    turn.memory.store(&id(turn), calls.collect());
}

/// The interaction as events, and the word that Google ends a stream with.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    let update = |status: &str| json!({ "interaction_id": id(turn), "status": status, "event_type": "interaction.status_update" });
    let created = interaction(turn, "in_progress");
    let mut events = vec![
        json!({ "interaction": created, "event_type": "interaction.created" }),
        update("in_progress"),
    ];
    for (index, (part, step)) in steps(turn).into_iter().enumerate() {
        let (start, deltas) = taken_apart(part, step);
        events.push(json!({ "index": index, "step": start, "event_type": "step.start" }));
        let delta = |delta| json!({ "index": index, "delta": delta, "event_type": "step.delta" });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "index": index, "event_type": "step.stop" }));
    }
    if status(turn) == "requires_action" {
        events.push(update("requires_action"));
    }
    let mut completed = interaction(turn, status(turn));
    completed["usage"] = usage(turn);
    events.push(json!({ "interaction": completed, "event_type": "interaction.completed" }));
    let framed = |event: &Value| {
        let name = event["event_type"].as_str().unwrap_or_default();
        Bytes::from(format!("event: {name}\ndata: {event}\n\n"))
    };
    let done = Bytes::from_static(b"event: done\ndata: [DONE]\n\n");
    events.iter().map(framed).chain([done]).collect()
}

fn id(turn: &Turn<'_>) -> String {
    format!("v1_mk{:016x}", turn.serial)
}

fn status<'a>(turn: &Turn<'a>) -> &'a str {
    turn.stop.unwrap_or(if turn.calls() { "requires_action" } else { "completed" })
}

fn interaction(turn: &Turn<'_>, status: &str) -> Value {
    let (created, object) = ("2026-11-19T00:00:00Z", "interaction");
    json!({
        "id": id(turn), "status": status, "created": created, "updated": created,
        "object": object, "model": turn.model,
    })
}

fn usage(turn: &Turn<'_>) -> Value {
    let usage = &turn.usage;
    json!({
        "total_input_tokens": usage.input,
        "input_tokens_by_modality": [{ "modality": "text", "tokens": usage.input }],
        "total_cached_tokens": usage.cache_read,
        "total_output_tokens": usage.output - usage.reasoning,
        "total_thought_tokens": usage.reasoning,
        "total_tool_use_tokens": 0,
        "total_tokens": usage.input + usage.output,
    })
}

/// What the script says, as steps.
fn steps<'a>(turn: &'a Turn<'_>) -> Vec<(&'a Part, Value)> {
    let each = turn.parts.iter().enumerate();
    each.filter_map(|(at, part)| Some((part, step(turn, at)?))).collect()
}

fn step(turn: &Turn<'_>, at: usize) -> Option<Value> {
    Some(match &turn.parts[at] {
        Part::Thinking(said) => {
            let mut step = json!({ "type": "thought", "summary": [text(said)] });
            step["signature"] = json!(signature(&sealed(&step)));
            step
        }
        Part::Text(said) => json!({ "type": "model_output", "content": [text(said)] }),
        Part::Call { name, arguments } => {
            let id = call_id(PREFIX, turn.serial, at, turn.thought(), name, arguments);
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({ "type": "function_call", "id": id, "name": name, "arguments": arguments })
        }
        Part::Redacted(_) | Part::ExpandFirst => return None,
    })
}

fn text(said: &str) -> Value {
    json!({ "type": "text", "text": said })
}

/// How a step begins, and how it goes on.
fn taken_apart(part: &Part, mut step: Value) -> (Value, Vec<Value>) {
    match part {
        Part::Thinking(_) => {
            let summary = items(&step["summary"]).to_vec();
            let signature = step["signature"].clone();
            let said = |content: &Value| json!({ "type": "thought_summary", "content": content });
            let mut deltas: Vec<Value> = summary.iter().map(said).collect();
            deltas.push(json!({ "type": "thought_signature", "signature": signature }));
            (json!({ "type": "thought" }), deltas)
        }
        Part::Text(said) => {
            (json!({ "type": "model_output" }), fragments(said).map(text).collect())
        }
        Part::Call { arguments, .. } => {
            step["arguments"] = json!({});
            let delta = |piece| json!({ "type": "arguments_delta", "arguments": piece });
            (step, fragments(arguments).map(delta).collect())
        }
        Part::Redacted(_) | Part::ExpandFirst => (step, Vec::new()),
    }
}
