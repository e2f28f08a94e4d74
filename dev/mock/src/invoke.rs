//! Bedrock InvokeModel with an Anthropic body: Anthropic's events in Amazon's frame.

use crate::answer::Turn;
use crate::anthropic;
use crate::eventstream::Message;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::json;

/// The answer as messages of an event stream, each with one of Anthropic's events in it.
pub(crate) fn events(turn: &Turn<'_>) -> Vec<Bytes> {
    let mut payloads = anthropic::payloads(turn);
    if let Some(last) = payloads.last_mut() {
        last["amazon-bedrock-invocationMetrics"] = json!({
            "inputTokenCount": turn.usage.input,
            "outputTokenCount": turn.usage.output,
            "invocationLatency": 1,
            "firstByteLatency": 1,
        });
    }
    let framed = |event: &serde_json::Value| {
        let chunk = json!({ "bytes": STANDARD.encode(event.to_string()), "p": "abcdefghijk" });
        Message::event("chunk", chunk.to_string()).encoded()
    };
    payloads.iter().map(framed).collect()
}

/// The event inside a message's payload.
pub(crate) fn unwrapped(payload: &serde_json::Value) -> Result<serde_json::Value, String> {
    let text = payload["bytes"].as_str().ok_or("a chunk has no bytes")?;
    let bytes = STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("not JSON: {error}"))
}
