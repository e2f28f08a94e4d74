//! Replies written as JSON, for the binary and for tests in other languages.
//!
//! One reply or a list of them. `{"text": "hi"}`, `{"call": "Bash", "arguments": {"command": "ls"}}`, or `{"parts": [...]}`
//! with such parts and `{"thinking": "..."}` and `{"expand_first": true}`; `{"status": 429, "headers": {...}, "body": "..."}`.
//! Beside them: `"stop"`, `"chunk_every_ms"`, `"split"` (`"every_byte"`, `"whole"`, or a number of bytes), `"encoding"`.

use crate::pace::{Encoding, Split};
use crate::script::Reply;
use serde_json::Value;
use std::time::Duration;

/// Reads one reply, or a list of them.
///
/// # Errors
/// What was wrong, in words.
pub fn read(json: &[u8]) -> Result<Vec<Reply>, String> {
    let value: Value = serde_json::from_slice(json).map_err(|error| format!("no JSON: {error}"))?;
    match &value {
        Value::Array(replies) => replies.iter().map(reply).collect(),
        one => Ok(vec![reply(one)?]),
    }
}

fn reply(value: &Value) -> Result<Reply, String> {
    let mut reply = match (&value["parts"], value["status"].as_u64()) {
        (Value::Array(parts), _) => parts.iter().try_fold(Reply::new(), part)?,
        (_, Some(status)) => with_status(status, value)?,
        _ => part(Reply::new(), value)?,
    };
    if let Some(reason) = value["stop"].as_str() {
        reply = reply.stop(reason);
    }
    if let Some(pause) = value["chunk_every_ms"].as_u64() {
        reply = reply.chunk_every(Duration::from_millis(pause));
    }
    match &value["split"] {
        Value::Null => {}
        Value::String(name) if name == "every_byte" => reply = reply.split(Split::EveryByte),
        Value::String(name) if name == "whole" => reply = reply.split(Split::Whole),
        Value::Number(size) => {
            let size = size.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(1);
            reply = reply.split(Split::Every(size));
        }
        other => {
            return Err(format!("split is \"every_byte\", \"whole\" or a number, not {other}"));
        }
    }
    match value["encoding"].as_str() {
        None => {}
        Some("gzip") => reply = reply.encoded(Encoding::Gzip),
        Some("br") => reply = reply.encoded(Encoding::Br),
        Some("zstd") => reply = reply.encoded(Encoding::Zstd),
        Some("deflate") => reply = reply.encoded(Encoding::Deflate),
        Some(other) => return Err(format!("encoding is gzip, br, zstd or deflate, not {other}")),
    }
    Ok(reply)
}

fn part(reply: Reply, value: &Value) -> Result<Reply, String> {
    if let Some(text) = value["text"].as_str() {
        return Ok(reply.text(text));
    }
    if let Some(text) = value["thinking"].as_str() {
        return Ok(reply.thinking(text));
    }
    if value["expand_first"] == true {
        return Ok(reply.expand_first());
    }
    match (value["call"].as_str(), &value["arguments"]) {
        (Some(name), Value::String(written)) => Ok(reply.call_as_written(name, written)),
        (Some(name), Value::Null) => Ok(reply.call_as_written(name, "{}")),
        (Some(name), arguments) => Ok(reply.call(name, arguments.clone())),
        (None, _) => Err(format!(
            "a reply has \"text\", \"thinking\", \"call\", \"expand_first\", \"parts\" or \"status\": {value}"
        )),
    }
}

fn with_status(status: u64, value: &Value) -> Result<Reply, String> {
    let status = u16::try_from(status).map_err(|_| format!("{status} is no status"))?;
    let headers = value["headers"].as_object();
    let headers: Vec<_> = headers
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
        .collect();
    let body = match &value["body"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        json => json.to_string(),
    };
    Ok(Reply::status(status, &headers, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Part, Says};

    #[test]
    fn a_list_of_replies_is_read() {
        let replies = read(
            br#"[{"text":"hi","stop":"length","chunk_every_ms":5,"split":3},
                {"parts":[{"thinking":"hm"},{"call":"Bash","arguments":{"a":1}},{"expand_first":true}]},
                {"status":429,"headers":{"retry-after":"1"},"body":{"error":1}}]"#,
        )
        .unwrap();
        assert!(
            matches!(&replies[0].says, Says::Parts(parts) if parts == &[Part::Text("hi".into())])
        );
        assert_eq!(replies[0].split, Split::Every(3));
        assert!(matches!(&replies[1].says, Says::Parts(parts) if parts.len() == 3));
        assert!(
            matches!(&replies[2].says, Says::Raw { status: 429, body, .. } if body == &br#"{"error":1}"#[..])
        );
    }

    #[test]
    fn what_is_no_reply_is_told() {
        assert!(read(br#"{"txt":"hi"}"#).unwrap_err().contains("a reply has"));
        assert!(read(br#"{"text":"hi","split":"often"}"#).unwrap_err().contains("every_byte"));
    }
}
