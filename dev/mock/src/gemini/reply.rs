//! What Gemini answers: whole, as events, or as an array that grows.

use super::{PREFIX, is_strict, signed};
use crate::answer::Turn;
use crate::fragments::fragments;
use crate::script::Part;
use crate::seal::{call_id, signature};
use bytes::Bytes;
use serde_json::{Value, json};

/// The answer as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let parts = (0..turn.parts.len()).flat_map(|at| parts(turn, at, |text| vec![text])).collect();
    chunk(turn, parts, Some(stop(turn)))
}

/// The answer as events, whose lines end as Google ends them.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    chunks(turn).iter().map(|chunk| Bytes::from(format!("data: {chunk}\r\n\r\n"))).collect()
}

/// The answer as an array, one element after the other.
pub(crate) fn array(turn: &Turn<'_>) -> Vec<Bytes> {
    let element = |(at, chunk): (usize, &Value)| {
        let before = if at == 0 { "[" } else { ",\r\n" };
        Bytes::from(format!("{before}{chunk:#}\n"))
    };
    chunks(turn).iter().enumerate().map(element).chain([Bytes::from_static(b"]\n")]).collect()
}

fn chunks(turn: &Turn<'_>) -> Vec<Value> {
    let pieces = |at| parts(turn, at, |text| fragments(text).collect());
    let mut chunks: Vec<_> =
        (0..turn.parts.len()).flat_map(pieces).map(|part| chunk(turn, vec![part], None)).collect();
    chunks.push(chunk(turn, vec![json!({ "text": "" })], Some(stop(turn))));
    chunks
}

fn chunk(turn: &Turn<'_>, parts: Vec<Value>, stop: Option<&str>) -> Value {
    let usage = &turn.usage;
    let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
    if let Some(stop) = stop {
        candidate["finishReason"] = json!(stop);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "cachedContentTokenCount": usage.cache_read,
            "totalTokenCount": usage.input + usage.output,
            "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": usage.input }],
        },
        "modelVersion": turn.model,
        "responseId": format!("mk{:016x}", turn.serial),
    })
}

fn stop<'a>(turn: &Turn<'a>) -> &'a str {
    turn.stop.unwrap_or("STOP")
}

/// A part of the script as parts of the answer; `pieces` cuts its text.
fn parts<'a>(
    turn: &'a Turn<'_>,
    at: usize,
    pieces: impl Fn(&'a str) -> Vec<&'a str>,
) -> Vec<Value> {
    match &turn.parts[at] {
        Part::Thinking(text) => pieces(text)
            .into_iter()
            .map(|piece| json!({ "text": piece, "thought": true }))
            .collect(),
        Part::Text(text) => {
            pieces(text).into_iter().map(|piece| json!({ "text": piece })).collect()
        }
        Part::Call { name, arguments } => vec![call(turn, at, name, arguments)],
        Part::Redacted(_) | Part::ExpandFirst => Vec::new(),
    }
}

/// The first call of a turn carries the signature for all.
fn call(turn: &Turn<'_>, at: usize, name: &str, arguments: &str) -> Value {
    let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    let mut call = json!({ "name": name, "args": args });
    if is_strict(turn.model) {
        call["id"] = json!(call_id(PREFIX, turn.serial, at, turn.thought(), name, arguments));
    }
    let is_first = !turn.parts[..at].iter().any(|part| matches!(part, Part::Call { .. }));
    let mut part = json!({ "functionCall": call });
    if is_first {
        part["thoughtSignature"] = json!(signature(&signed(&call)));
    }
    part
}
