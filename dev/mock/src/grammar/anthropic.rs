//! Anthropic: `message_start`, blocks one after the other, `message_delta`, `message_stop`.

use super::{Call, Summary, Usage, at, json, number, string};
use serde_json::Value;

/// The events of a stream, without their frames.
pub(super) fn stream(events: &[Value]) -> Result<Summary, String> {
    let mut reading = AnthropicReading::default();
    for (index, event) in events.iter().enumerate() {
        at(index, event, reading.event(event))?;
    }
    if reading.stage != Stage::Stopped {
        return Err(format!("the stream ends after {:?}, without message_stop", reading.stage));
    }
    reading.summary.events = events.len();
    finished(reading.summary)
}

pub(super) fn whole(message: &Value) -> Result<Summary, String> {
    let mut reading = AnthropicReading::default();
    reading.opened(message)?;
    let blocks = message["content"].as_array().ok_or("content is no list")?;
    for block in blocks {
        reading.start(block)?;
        reading.open = None;
    }
    reading.summary.stop = string(message, "stop_reason")?.to_owned();
    reading.summary.events = 1;
    finished(reading.summary)
}

#[derive(Debug, Default, PartialEq)]
enum Stage {
    #[default]
    Nothing,
    Started,
    Ending,
    Stopped,
}

#[derive(Default)]
struct AnthropicReading {
    stage: Stage,
    /// Blocks that were started.
    blocks: u64,
    /// The type of the block that is open, and what was written of its input.
    open: Option<(String, String)>,
    /// The open block of thinking has its signature.
    signed: bool,
    ids: Vec<String>,
    summary: Summary,
}

impl AnthropicReading {
    fn event(&mut self, event: &Value) -> Result<(), String> {
        let kind = string(event, "type")?;
        match (kind, &self.stage) {
            (_, Stage::Stopped) => Err("comes after message_stop".to_owned()),
            ("error", _) => Err("is an error".to_owned()),
            ("ping", Stage::Nothing) => Err("comes before message_start".to_owned()),
            ("ping", _) => Ok(()),
            ("message_start", Stage::Nothing) => {
                self.stage = Stage::Started;
                let message = &event["message"];
                if message["content"] != Value::Array(Vec::new())
                    || !message["stop_reason"].is_null()
                {
                    return Err("a message starts without content and stop_reason".to_owned());
                }
                self.opened(message)
            }
            (_, Stage::Nothing) => Err("comes before message_start".to_owned()),
            ("content_block_start", Stage::Started) => self.block_start(event),
            ("content_block_delta", Stage::Started) => {
                self.is_open(event)?;
                self.delta(&event["delta"])
            }
            ("content_block_stop", Stage::Started) => {
                self.is_open(event)?;
                self.block_stop()
            }
            ("message_delta", Stage::Started | Stage::Ending) => self.message_delta(event),
            ("message_stop", Stage::Ending) => {
                self.stage = Stage::Stopped;
                Ok(())
            }
            (_, stage) => Err(format!("does not follow {stage:?}")),
        }
    }

    fn opened(&mut self, message: &Value) -> Result<(), String> {
        if message["type"] != "message" || message["role"] != "assistant" {
            return Err("is not a message of the assistant".to_owned());
        }
        string(message, "model")?;
        self.summary.id = string(message, "id")?.to_owned();
        self.usage(&message["usage"])
    }

    fn usage(&mut self, usage: &Value) -> Result<(), String> {
        if !usage["output_tokens"].is_u64() {
            return Err("usage has no output_tokens".to_owned());
        }
        let Usage { input, output, cache_read, cache_write } = &mut self.summary.usage;
        for (name, figure) in [
            ("input_tokens", input),
            ("output_tokens", output),
            ("cache_read_input_tokens", cache_read),
            ("cache_creation_input_tokens", cache_write),
        ] {
            if usage[name].is_u64() {
                *figure = number(&usage[name]);
            }
        }
        Ok(())
    }

    fn is_open(&self, event: &Value) -> Result<(), String> {
        let is_last = event["index"].as_u64().map(|index| index + 1) == Some(self.blocks);
        if self.open.is_none() || !is_last {
            return Err("is for a block that is not open".to_owned());
        }
        Ok(())
    }

    fn block_start(&mut self, event: &Value) -> Result<(), String> {
        if self.open.is_some() {
            return Err("the block before is still open".to_owned());
        }
        if event["index"].as_u64() != Some(self.blocks) {
            return Err(format!("the index should be {}", self.blocks));
        }
        self.blocks += 1;
        self.start(&event["content_block"])
    }

    fn start(&mut self, block: &Value) -> Result<(), String> {
        let kind = string(block, "type")?;
        self.signed = false;
        match kind {
            "text" => self.summary.text += string(block, "text")?,
            "thinking" => {
                self.summary.thinking += string(block, "thinking")?;
                let signature = block["signature"].as_str().unwrap_or_default();
                if !signature.is_empty() {
                    self.signed = true;
                    self.summary.signatures.push(signature.to_owned());
                }
            }
            "redacted_thinking" => self.summary.signatures.push(string(block, "data")?.to_owned()),
            "tool_use" => {
                let input = &block["input"];
                if !input.is_object() {
                    return Err("input is no object".to_owned());
                }
                self.summary.calls.push(Call {
                    id: string(block, "id")?.to_owned(),
                    name: string(block, "name")?.to_owned(),
                    arguments: input.to_string(),
                });
                self.ids.push(string(block, "id")?.to_owned());
            }
            _ => {}
        }
        self.open = Some((kind.to_owned(), String::new()));
        Ok(())
    }

    fn delta(&mut self, delta: &Value) -> Result<(), String> {
        let Some((kind, input)) = &mut self.open else { return Err("no block is open".to_owned()) };
        match (kind.as_str(), string(delta, "type")?) {
            ("text", "text_delta") => self.summary.text += string(delta, "text")?,
            ("text", "citations_delta") => {}
            ("thinking", "thinking_delta") if !self.signed => {
                self.summary.thinking += string(delta, "thinking")?;
            }
            ("thinking", "signature_delta") if !self.signed => {
                self.signed = true;
                self.summary.signatures.push(string(delta, "signature")?.to_owned());
            }
            ("tool_use" | "server_tool_use" | "mcp_tool_use", "input_json_delta") => {
                *input += string(delta, "partial_json")?;
            }
            (kind, delta) => return Err(format!("{delta} has no place in a block of {kind}")),
        }
        Ok(())
    }

    fn block_stop(&mut self) -> Result<(), String> {
        let Some((kind, input)) = self.open.take() else {
            return Err("no block is open".to_owned());
        };
        if kind == "thinking" && !self.signed {
            return Err("the thinking has no signature".to_owned());
        }
        if kind == "tool_use" && !input.is_empty() {
            // A model may write what is no JSON; a client sees it as it is.
            if let Some(call) = self.summary.calls.last_mut() {
                call.arguments = json(input.as_bytes()).map_or(input, |value| value.to_string());
            }
        }
        Ok(())
    }

    fn message_delta(&mut self, event: &Value) -> Result<(), String> {
        if self.open.is_some() {
            return Err("a block is still open".to_owned());
        }
        self.stage = Stage::Ending;
        self.summary.stop = string(&event["delta"], "stop_reason")?.to_owned();
        self.usage(&event["usage"])
    }
}

fn finished(summary: Summary) -> Result<Summary, String> {
    if summary.stop == "tool_use" && summary.calls.is_empty() {
        return Err("stop_reason is tool_use, but nothing was called".to_owned());
    }
    if summary.stop == "end_turn" && !summary.calls.is_empty() {
        return Err("stop_reason is end_turn, but there are calls".to_owned());
    }
    Ok(summary)
}
