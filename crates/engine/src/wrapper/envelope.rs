//! JSON around an output: Codex's chunks, the results of MCP tools, Cline's list of results.
//!
//! Only what can be nothing else counts as an envelope: other JSON is better off being compressed as such. Whether
//! something is one does not depend on its payloads, so that an envelope is still one when these have shrunk.

use super::json::Value;
use super::slot::Slot;
use super::{Codec, JsonStyle};

/// Keys of strings that are outputs.
const PAYLOADS: &[&str] = &["output", "stdout", "stderr", "result", "text", "content"];
/// Keys that say something about an output.
#[rustfmt::skip]
const COMPANIONS: &[&str] = &[
    "_meta", "annotations", "chunk_id", "duration", "duration_ms", "error", "exitCode", "exit_code", "interrupted",
    "isError", "isImage", "is_error", "meta", "metadata", "original_token_count", "resultType", "returncode",
    "return_code", "session_id", "signal", "status", "structuredContent", "success", "timed_out", "truncated", "type",
    "wall_time_seconds",
];
/// The blocks of an MCP result.
const BLOCKS: &[&str] = &["text", "image", "audio", "resource", "resource_link"];
/// What Cline says about each of its commands and files.
const CLINE: &[&str] = &["query", "result", "success", "error"];
const MAX_PAYLOADS: usize = 1024;
/// More than this beside the payloads is data.
const MAX_BESIDE: usize = 1024;

pub(super) fn json(text: &str) -> Option<Vec<Slot>> {
    if !starts_as_envelope(text) {
        return None;
    }
    let whole = Value::whole(text)?;
    let slots = match whole.elements(text) {
        Some(elements) => list(&elements, text)?,
        None => object(&whole, text)?,
    };
    (!slots.is_empty()).then_some(slots)
}

/// Looks at the first key alone, so that other JSON costs nothing.
fn starts_as_envelope(text: &str) -> bool {
    let object = behind(text, '[').unwrap_or(text);
    let Some(key) = behind(object, '{').and_then(|members| behind(members, '"')) else {
        return false;
    };
    let is_first = |known: &str| key.strip_prefix(known).is_some_and(|rest| rest.starts_with('"'));
    PAYLOADS.iter().chain(COMPANIONS).chain(CLINE).any(|known| is_first(known))
}

/// What follows a mark, white space aside.
fn behind(text: &str, mark: char) -> Option<&str> {
    text.trim_start_matches([' ', '\n', '\r', '\t']).strip_prefix(mark)
}

/// An object whose keys all belong to an envelope, and that says little beside its payloads.
fn object(value: &Value, text: &str) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    let mut beside = 0;
    for (key, member) in value.members(text)? {
        if COMPANIONS.contains(&key) {
            beside += member.len();
        } else if !PAYLOADS.contains(&key) {
            return None;
        } else if key == "content" && member.string().is_none() {
            slots.extend(list(&member.elements(text)?, text)?);
        } else {
            slots.push(slot(&member)?);
        }
    }
    (beside <= MAX_BESIDE).then_some(slots)
}

/// The blocks of an MCP result, or Cline's results.
fn list(elements: &[Value], text: &str) -> Option<Vec<Slot>> {
    if elements.len() > MAX_PAYLOADS {
        return None;
    }
    let slots = elements.iter().map(|element| {
        let members = element.members(text)?;
        block(&members, text).or_else(|| cline(&members))
    });
    Some(slots.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

fn block(members: &[(&str, Value)], text: &str) -> Option<Vec<Slot>> {
    let kind = member(members, "type")?.string()?;
    let kind = BLOCKS.iter().find(|known| text.get(kind.clone()) == Some(known))?;
    match *kind {
        "text" => slot(member(members, "text")?).map(|slot| vec![slot]),
        "resource" => {
            let resource = member(members, "resource")?.members(text)?;
            Some(member(&resource, "text").and_then(slot).into_iter().collect())
        }
        _ => Some(Vec::new()),
    }
}

fn cline(members: &[(&str, Value)]) -> Option<Vec<Slot>> {
    members.iter().all(|(key, _)| CLINE.contains(key)).then_some(())?;
    member(members, "query")?;
    slot(member(members, "result")?).map(|slot| vec![slot])
}

fn member<'v>(members: &'v [(&str, Value)], key: &str) -> Option<&'v Value> {
    members.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// The place of a string.
fn slot(value: &Value) -> Option<Slot> {
    let codec = Codec::JsonString(JsonStyle::default());
    value.string().map(|range| Slot { range, codec })
}
