//! Gemini: chunks that each are an answer, the last with its `finishReason`.

use super::{Call, Summary, Usage, at, json, number, string};
use crate::refusal::items;
use serde_json::Value;

/// Chunks of a stream, or a whole answer as the only one.
pub(super) fn stream(chunks: &[Value]) -> Result<Summary, String> {
    let mut summary = Summary { events: chunks.len(), ..Summary::default() };
    for (index, value) in chunks.iter().enumerate() {
        at(index, value, chunk(value, &mut summary))?;
    }
    if summary.stop.is_empty() {
        Err("the answer ends without a finishReason".to_owned())
    } else {
        Ok(summary)
    }
}

/// A JSON array of chunks.
pub(super) fn array(bytes: &[u8]) -> Result<Summary, String> {
    let all = json(bytes)?;
    stream(all.as_array().ok_or("not an array")?)
}

fn chunk(chunk: &Value, summary: &mut Summary) -> Result<(), String> {
    if !chunk["error"].is_null() {
        return Err("is an error".to_owned());
    }
    if !summary.stop.is_empty() {
        return Err("comes after the finishReason".to_owned());
    }
    let id = string(chunk, "responseId")?;
    if summary.id.is_empty() {
        id.clone_into(&mut summary.id);
    } else if summary.id != id {
        return Err(format!("is of {id}, the stream of {}", summary.id));
    }
    let candidate = &chunk["candidates"][0];
    if candidate["content"]["role"] != "model" {
        return Err("the content is not the model's".to_owned());
    }
    for part in items(&candidate["content"]["parts"]) {
        self::part(part, summary)?;
    }
    candidate["finishReason"].as_str().unwrap_or_default().clone_into(&mut summary.stop);
    let usage = &chunk["usageMetadata"];
    if usage.is_object() {
        summary.usage = Usage {
            input: number(&usage["promptTokenCount"]),
            output: number(&usage["candidatesTokenCount"]) + number(&usage["thoughtsTokenCount"]),
            cache_read: number(&usage["cachedContentTokenCount"]),
            cache_write: 0,
        };
    }
    Ok(())
}

fn part(part: &Value, summary: &mut Summary) -> Result<(), String> {
    summary.signatures.extend(part["thoughtSignature"].as_str().map(str::to_owned));
    if let Some(text) = part["text"].as_str() {
        let all = if part["thought"] == true { &mut summary.thinking } else { &mut summary.text };
        *all += text;
        return Ok(());
    }
    let call = &part["functionCall"];
    if call.is_object() {
        if !call["args"].is_object() {
            return Err("args is no object".to_owned());
        }
        summary.calls.push(Call {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            name: string(call, "name")?.to_owned(),
            arguments: call["args"].to_string(),
        });
    }
    Ok(())
}
