//! Format detection: what a log is, by its first lines.

use super::lines::{self, LogLine};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

/// So much of a log is looked at.
const LOOK_AT: usize = 50;
const LOOK_AT_BYTES: u64 = 64 << 20;

/// What a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogShape {
    /// Entries of Claude Code.
    ClaudeCode,
    /// Items of a Codex rollout.
    Codex,
    /// A message a line.
    Messages,
    /// A session a line.
    Sessions,
    /// One JSON document over several lines.
    Document,
}

/// The members that tell one kind of line from another.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Glance {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(default)]
    role: Value,
    payload: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    session_id: Option<IgnoredAny>,
    uuid: Option<IgnoredAny>,
    leaf_uuid: Option<IgnoredAny>,
    message_id: Option<IgnoredAny>,
    instructions: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
}

/// What the log is, if anybody knows.
pub(super) fn shape(input: &mut dyn BufRead) -> io::Result<Option<LogShape>> {
    let (mut found, mut first, mut seen) = (None, None, 0);
    lines::each(&mut input.take(LOOK_AT_BYTES), |_, line| {
        seen += 1;
        if let LogLine::Bytes(bytes) = line {
            let is_whole = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
            let (_, is_first_whole) =
                *first.get_or_insert_with(|| (bytes.first().copied(), is_whole()));
            let shape =
                serde_json::from_slice::<Glance>(bytes).ok().and_then(|glance| glance.shape());
            // A line of a longer document may look like a message on a line of its own.
            let is_sure =
                |shape: &LogShape| matches!(shape, LogShape::ClaudeCode | LogShape::Codex);
            found = shape.filter(|shape| is_first_whole || is_sure(shape));
        }
        if found.is_some() || seen >= LOOK_AT {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    let is_document = match first {
        Some((Some(b'{' | b'['), is_whole)) => !is_whole || seen == 1,
        _ => false,
    };
    Ok(found.or(is_document.then_some(LogShape::Document)))
}

impl Glance {
    fn shape(&self) -> Option<LogShape> {
        if self.kind.is_string() && self.payload.is_some() {
            return Some(LogShape::Codex);
        }
        let is_entry = self.session_id.is_some()
            || self.uuid.is_some()
            || self.leaf_uuid.is_some()
            || self.message_id.is_some();
        match self.kind.as_str() {
            Some(_) if is_entry => Some(LogShape::ClaudeCode),
            Some("message" | "reasoning" | "function_call" | "function_call_output") => {
                Some(LogShape::Codex)
            }
            _ if self.messages.is_some() => Some(LogShape::Sessions),
            _ if self.role.is_string() => Some(LogShape::Messages),
            // The first line of rollouts before they had types.
            None if self.instructions.is_some() && self.timestamp.is_some() => {
                Some(LogShape::Codex)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_known_by_its_content() {
        for (log, expected) in [
            (r#"{"type":"summary","summary":"s","leafUuid":"l"}"#, Some(LogShape::ClaudeCode)),
            (
                r#"{"type":"user","sessionId":"s","message":{"role":"user"}}"#,
                Some(LogShape::ClaudeCode),
            ),
            (r#"{"timestamp":"t","type":"session_meta","payload":{}}"#, Some(LogShape::Codex)),
            (r#"{"id":"i","timestamp":"t","instructions":"do"}"#, Some(LogShape::Codex)),
            (r#"{"role":"user","content":"c"}"#, Some(LogShape::Messages)),
            (r#"{"messages":[]}"#, Some(LogShape::Sessions)),
            ("[{\"role\":\"user\"},\n{\"role\":\"user\"}\n]", Some(LogShape::Document)),
            ("{\n\"messages\": []}", Some(LogShape::Document)),
            ("[]", Some(LogShape::Document)),
            (
                "{\"type\":\"user\",\"sess\n{\"type\":\"user\",\"uuid\":\"u\"}",
                Some(LogShape::ClaudeCode),
            ),
            ("hello", None),
            ("", None),
            ("1\n2", None),
        ] {
            assert_eq!(shape(&mut log.as_bytes()).unwrap(), expected, "{log}");
        }
    }
}
