//! Google's Interactions: `interaction.created`, steps one after the other, `interaction.completed`, `[DONE]`.

use super::sse::Event;
use super::{Call, Summary, Usage, at, json, number, string};
use serde_json::Value;

/// The events of a stream.
pub(super) fn stream(events: &[Event]) -> Result<Summary, String> {
    let Some((last, events)) = events.split_last() else { return Err("no events".to_owned()) };
    if last.name.as_deref() != Some("done") || last.data != "[DONE]" {
        return Err("the stream ends without [DONE]".to_owned());
    }
    let mut reading = StepReading::default();
    for (index, event) in events.iter().enumerate() {
        let json = json(event.data.as_bytes())?;
        if json["event_type"].as_str() != event.name.as_deref() {
            return Err(format!("the event {:?} has the type {}", event.name, json["event_type"]));
        }
        at(index, &json, reading.event(&json))?;
    }
    if !reading.is_completed {
        return Err("the stream ends without interaction.completed".to_owned());
    }
    reading.summary.events = events.len();
    Ok(reading.summary)
}

pub(super) fn whole(interaction: &Value) -> Result<Summary, String> {
    let mut reading = StepReading::default();
    for step in interaction["steps"].as_array().ok_or("steps is no list")? {
        reading.open = Some(step.clone());
        let contents = |name: &str| step[name].as_array().cloned().unwrap_or_default();
        for content in contents("content") {
            reading.summary.text += string(&content, "text")?;
        }
        for content in contents("summary") {
            reading.summary.thinking += string(&content, "text")?;
        }
        reading.stop()?;
    }
    reading.completed(interaction)?;
    reading.summary.events = 1;
    Ok(reading.summary)
}

#[derive(Default)]
struct StepReading {
    /// The id that the stream began with.
    id: Option<String>,
    is_completed: bool,
    /// Steps that were started.
    count: u64,
    /// The step that is open, and what was written of its arguments.
    open: Option<Value>,
    arguments: String,
    /// A call was told of by the status.
    is_asked: bool,
    summary: Summary,
}

impl StepReading {
    fn event(&mut self, event: &Value) -> Result<(), String> {
        let kind = string(event, "event_type")?;
        match (kind, &self.id) {
            _ if self.is_completed => Err("comes after interaction.completed".to_owned()),
            ("error", _) => Err("is an error".to_owned()),
            ("interaction.created", None) => {
                self.id = Some(string(&event["interaction"], "id")?.to_owned());
                Ok(())
            }
            ("interaction.created", Some(_)) => {
                Err("the interaction was created before".to_owned())
            }
            (_, None) => Err("comes before interaction.created".to_owned()),
            ("interaction.status_update", Some(_)) => self.update(event),
            ("step.start", _) => self.start(event),
            ("step.delta", _) => {
                self.is_open(event)?;
                self.delta(&event["delta"])
            }
            ("step.stop", _) => {
                self.is_open(event)?;
                self.stop()
            }
            ("interaction.completed", _) => {
                if self.open.is_some() {
                    return Err("a step is still open".to_owned());
                }
                let interaction = &event["interaction"];
                if self.is_asked != (interaction["status"] == "requires_action") {
                    return Err("the status before the end was another".to_owned());
                }
                self.is_completed = true;
                self.completed(interaction)
            }
            (kind, _) => Err(format!("{kind} is no event")),
        }
    }

    fn update(&mut self, event: &Value) -> Result<(), String> {
        match string(event, "status")? {
            "in_progress" if self.is_asked => Err("goes back to work".to_owned()),
            "in_progress" | "completed" => Ok(()),
            "requires_action" if self.is_asked => Err("is said twice".to_owned()),
            "requires_action" => {
                self.is_asked = true;
                Ok(())
            }
            other => Err(format!("the status {other} is told by the last event")),
        }
    }

    fn start(&mut self, event: &Value) -> Result<(), String> {
        if self.open.is_some() || self.is_asked {
            return Err("a step is still open, or the end was told".to_owned());
        }
        if event["index"].as_u64() != Some(self.count) {
            return Err(format!("the index should be {}", self.count));
        }
        string(&event["step"], "type")?;
        self.count += 1;
        self.open = Some(event["step"].clone());
        Ok(())
    }

    fn is_open(&self, event: &Value) -> Result<(), String> {
        let is_it = self.open.is_some() && event["index"].as_u64() == self.count.checked_sub(1);
        if is_it { Ok(()) } else { Err("is about a step that is not open".to_owned()) }
    }

    fn delta(&mut self, delta: &Value) -> Result<(), String> {
        let step = self.open.as_mut().ok_or("no step is open")?;
        match (step["type"].as_str(), string(delta, "type")?) {
            (Some("model_output"), "text") => self.summary.text += string(delta, "text")?,
            (Some("thought"), "thought_summary") => {
                self.summary.thinking += string(&delta["content"], "text")?;
            }
            (Some("thought"), "thought_signature") if step["signature"].is_null() => {
                step["signature"] = delta["signature"].clone();
            }
            (Some("function_call"), "arguments_delta") => {
                self.arguments += string(delta, "arguments")?;
            }
            (kind, delta) => return Err(format!("{delta} does not belong to {kind:?}")),
        }
        Ok(())
    }

    /// The step is over.
    fn stop(&mut self) -> Result<(), String> {
        let step = self.open.take().ok_or("no step is open")?;
        let arguments = std::mem::take(&mut self.arguments);
        match string(&step, "type")? {
            "thought" => self.summary.signatures.push(string(&step, "signature")?.to_owned()),
            "function_call" => {
                let arguments = match arguments.as_str() {
                    "" => step["arguments"].to_string(),
                    written => written.to_owned(),
                };
                let (id, name) = (string(&step, "id")?, string(&step, "name")?);
                self.summary.calls.push(Call {
                    id: id.to_owned(),
                    name: name.to_owned(),
                    arguments,
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// What the last event, or a whole interaction, tells. One that is kept may end under another id than it began with:
    /// where the client goes on from.
    fn completed(&mut self, interaction: &Value) -> Result<(), String> {
        self.summary.id = string(interaction, "id")?.to_owned();
        self.summary.stop = string(interaction, "status")?.to_owned();
        let asks = self.summary.stop == "requires_action";
        if asks == self.summary.calls.is_empty() {
            return Err("the status does not fit the calls".to_owned());
        }
        let usage = &interaction["usage"];
        self.summary.usage = Usage {
            input: number(&usage["total_input_tokens"]),
            output: number(&usage["total_output_tokens"]) + number(&usage["total_thought_tokens"]),
            cache_read: number(&usage["total_cached_tokens"]),
            cache_write: 0,
        };
        let sum = self.summary.usage.input + self.summary.usage.output;
        if usage["total_tokens"].as_u64() == Some(sum) {
            Ok(())
        } else {
            Err("the figures do not add up".to_owned())
        }
    }
}
