//! Bedrock Converse: `messageStart`, blocks one after the other, `messageStop`, `metadata`.

use super::{Call, Summary, Usage, at, json, number, string};
use crate::eventstream::Message;
use crate::refusal::items;
use serde_json::Value;

pub(super) fn stream(messages: &[Message]) -> Result<Summary, String> {
    let mut reading = ConverseReading::default();
    for (index, message) in messages.iter().enumerate() {
        let event = payload(message)?;
        let kind = message.header(":event-type").unwrap_or_default();
        at(index, &event, reading.event(kind, &event))?;
    }
    if reading.stage != Stage::Over {
        return Err(format!("the stream ends after {:?}, without metadata", reading.stage));
    }
    reading.summary.events = messages.len();
    finished(reading.summary)
}

/// A message's payload as JSON, if it is an event.
pub(super) fn payload(message: &Message) -> Result<Value, String> {
    if message.header(":message-type") != Some("event") {
        return Err(format!("a message is no event: {:?}", message.headers));
    }
    json(&message.payload)
}

pub(super) fn whole(answer: &Value) -> Result<Summary, String> {
    let message = &answer["output"]["message"];
    if message["role"] != "assistant" {
        return Err("the message is not the assistant's".to_owned());
    }
    let mut summary = Summary {
        stop: string(answer, "stopReason")?.to_owned(),
        usage: usage(&answer["usage"]),
        events: 1,
        ..Summary::default()
    };
    for block in items(&message["content"]) {
        summary.text += block["text"].as_str().unwrap_or_default();
        let thought = &block["reasoningContent"]["reasoningText"];
        summary.thinking += thought["text"].as_str().unwrap_or_default();
        summary.signatures.extend(thought["signature"].as_str().map(str::to_owned));
        let redacted = &block["reasoningContent"]["redactedContent"];
        summary.signatures.extend(redacted.as_str().map(str::to_owned));
        if block["toolUse"].is_object() {
            let mut call = opened(&block["toolUse"])?;
            call.arguments = block["toolUse"]["input"].to_string();
            summary.calls.push(call);
        }
    }
    finished(summary)
}

#[derive(Debug, Default, PartialEq)]
enum Stage {
    #[default]
    Nothing,
    Started,
    Stopped,
    Over,
}

#[derive(Default)]
struct ConverseReading {
    stage: Stage,
    /// Blocks that are done.
    blocks: u64,
    /// What the open block is of.
    open: Option<&'static str>,
    summary: Summary,
}

impl ConverseReading {
    fn event(&mut self, kind: &str, event: &Value) -> Result<(), String> {
        match (kind, &self.stage) {
            ("messageStart", Stage::Nothing) if event["role"] == "assistant" => {
                self.stage = Stage::Started;
                Ok(())
            }
            ("contentBlockStart", Stage::Started) => {
                self.is_next(event)?;
                if self.open.is_some() {
                    return Err("the block before is still open".to_owned());
                }
                self.open = Some("toolUse");
                self.summary.calls.push(opened(&event["start"]["toolUse"])?);
                Ok(())
            }
            ("contentBlockDelta", Stage::Started) => {
                self.is_next(event)?;
                self.delta(&event["delta"])
            }
            ("contentBlockStop", Stage::Started) => {
                self.is_next(event)?;
                self.blocks += 1;
                self.open.take().map(|_| ()).ok_or_else(|| "no block is open".to_owned())
            }
            ("messageStop", Stage::Started) if self.open.is_none() => {
                self.stage = Stage::Stopped;
                string(event, "stopReason")?.clone_into(&mut self.summary.stop);
                Ok(())
            }
            ("metadata", Stage::Stopped) => {
                self.stage = Stage::Over;
                self.summary.usage = usage(&event["usage"]);
                Ok(())
            }
            (kind, stage) => Err(format!("{kind} does not follow {stage:?}")),
        }
    }

    fn is_next(&self, event: &Value) -> Result<(), String> {
        if event["contentBlockIndex"].as_u64() == Some(self.blocks) {
            Ok(())
        } else {
            Err(format!("the contentBlockIndex should be {}", self.blocks))
        }
    }

    fn delta(&mut self, delta: &Value) -> Result<(), String> {
        let kind = ["text", "toolUse", "reasoningContent"]
            .into_iter()
            .find(|kind| !delta[*kind].is_null());
        let kind = kind.ok_or("a delta of no known kind")?;
        // Only calls have a start of their own.
        let open = *self.open.get_or_insert(if kind == "toolUse" { "nothing" } else { kind });
        if open != kind {
            return Err(format!("{kind} has no place in a block of {open}"));
        }
        match kind {
            "text" => self.summary.text += string(delta, "text")?,
            "reasoningContent" => {
                let thought = &delta["reasoningContent"];
                self.summary.thinking += thought["text"].as_str().unwrap_or_default();
                for name in ["signature", "redactedContent"] {
                    self.summary.signatures.extend(thought[name].as_str().map(str::to_owned));
                }
            }
            _ => {
                let input = string(&delta["toolUse"], "input")?;
                if let Some(call) = self.summary.calls.last_mut() {
                    call.arguments += input;
                }
            }
        }
        Ok(())
    }
}

fn opened(call: &Value) -> Result<Call, String> {
    let (id, name) = (string(call, "toolUseId")?.to_owned(), string(call, "name")?.to_owned());
    Ok(Call { id, name, arguments: String::new() })
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: number(&usage["inputTokens"]),
        output: number(&usage["outputTokens"]),
        cache_read: number(&usage["cacheReadInputTokens"]),
        cache_write: number(&usage["cacheWriteInputTokens"]),
    }
}

fn finished(summary: Summary) -> Result<Summary, String> {
    let calls = summary.calls.len();
    match (summary.stop.as_str(), calls) {
        ("tool_use", 0) => Err("stopReason is tool_use, but nothing was called".to_owned()),
        ("end_turn", 1..) => Err("stopReason is end_turn, but there are calls".to_owned()),
        _ => Ok(summary),
    }
}
