//! OpenAI's Responses: numbered events, items one after the other, the whole response at the end.

use super::{Call, Summary, Usage, at, number, string};
use crate::refusal::items;
use serde_json::Value;

pub(super) fn stream(events: &[Value]) -> Result<Summary, String> {
    let mut reading = ResponsesReading::default();
    for (index, event) in events.iter().enumerate() {
        at(index, event, reading.event(index, event))?;
    }
    let Some(response) = reading.completed else {
        return Err("the stream ends without response.completed".to_owned());
    };
    if response["output"].as_array() != Some(&reading.items) {
        return Err(format!(
            "the response at the end has the output {}, its items were {}",
            response["output"],
            Value::from(reading.items)
        ));
    }
    let mut summary = whole(&response)?;
    if (&summary.text, &summary.thinking) != (&reading.text, &reading.thinking) {
        return Err("the deltas are not the text of the items".to_owned());
    }
    summary.events = events.len();
    Ok(summary)
}

pub(super) fn whole(response: &Value) -> Result<Summary, String> {
    if response["object"] != "response" {
        return Err("object is not response".to_owned());
    }
    let usage = &response["usage"];
    let mut summary = Summary {
        id: string(response, "id")?.to_owned(),
        stop: string(response, "status")?.to_owned(),
        usage: Usage {
            input: number(&usage["input_tokens"]),
            output: number(&usage["output_tokens"]),
            cache_read: number(&usage["input_tokens_details"]["cached_tokens"]),
            cache_write: 0,
        },
        events: 1,
        ..Summary::default()
    };
    for item in items(&response["output"]) {
        match string(item, "type")? {
            "message" => {
                for part in items(&item["content"]) {
                    summary.text += part["text"].as_str().unwrap_or_default();
                }
            }
            "reasoning" => {
                for part in items(&item["summary"]) {
                    summary.thinking += string(part, "text")?;
                }
                summary.signatures.extend(item["encrypted_content"].as_str().map(str::to_owned));
            }
            "function_call" => summary.calls.push(Call {
                id: string(item, "call_id")?.to_owned(),
                name: string(item, "name")?.to_owned(),
                arguments: string(item, "arguments")?.to_owned(),
            }),
            _ => {}
        }
    }
    Ok(summary)
}

#[derive(Default)]
struct ResponsesReading {
    id: Option<String>,
    /// Items that are done.
    items: Vec<Value>,
    open: Option<OpenItem>,
    text: String,
    thinking: String,
    completed: Option<Value>,
}

/// The item that is being said.
struct OpenItem {
    id: Value,
    /// The part that is being said: its index, and what was said of it.
    part: Option<(u64, String)>,
    parts: u64,
    arguments: String,
}

impl ResponsesReading {
    fn event(&mut self, index: usize, event: &Value) -> Result<(), String> {
        if event["sequence_number"].as_u64() != Some(index as u64) {
            return Err(format!("the sequence_number should be {index}"));
        }
        if self.completed.is_some() {
            return Err("comes after response.completed".to_owned());
        }
        let kind = string(event, "type")?;
        match (kind, index) {
            ("error" | "response.failed", _) => Err("is an error".to_owned()),
            ("response.created", 0) => self.same_response(event),
            (_, 0) => Err("the first event is response.created".to_owned()),
            ("response.created", _) => Err("response.created comes once".to_owned()),
            ("response.in_progress" | "response.queued", _) => self.same_response(event),
            ("response.completed" | "response.incomplete", _) => {
                self.same_response(event)?;
                if self.open.is_some() {
                    return Err("an item is still open".to_owned());
                }
                self.completed = Some(event["response"].clone());
                Ok(())
            }
            ("response.output_item.added", _) => self.added(event),
            ("response.output_item.done", _) => self.done(event),
            _ => self.inside(kind, event),
        }
    }

    /// A response that is stored may end under the id of its last part; see what follows `store`.
    fn same_response(&mut self, event: &Value) -> Result<(), String> {
        let response = &event["response"];
        let id = string(response, "id")?.to_owned();
        let may_change = response["status"] == "completed" && response["store"] == true;
        match &self.id {
            Some(first) if *first != id && !may_change => {
                Err(format!("is of {id}, the stream of {first}"))
            }
            Some(_) => Ok(()),
            None => {
                self.id = Some(id);
                Ok(())
            }
        }
    }

    fn is_next(&self, event: &Value) -> Result<(), String> {
        if event["output_index"].as_u64() == Some(self.items.len() as u64) {
            Ok(())
        } else {
            Err(format!("the output_index should be {}", self.items.len()))
        }
    }

    fn added(&mut self, event: &Value) -> Result<(), String> {
        self.is_next(event)?;
        if self.open.is_some() {
            return Err("the item before is still open".to_owned());
        }
        let id = event["item"]["id"].clone();
        self.open = Some(OpenItem { id, part: None, parts: 0, arguments: String::new() });
        Ok(())
    }

    fn done(&mut self, event: &Value) -> Result<(), String> {
        self.is_next(event)?;
        let item = &event["item"];
        let Some(open) = self.open.take() else { return Err("no item is open".to_owned()) };
        if open.id != item["id"] || open.part.is_some() {
            return Err("another item or a part is still open".to_owned());
        }
        if item["type"] == "function_call" && item["arguments"] != open.arguments {
            return Err("the deltas are not the arguments".to_owned());
        }
        self.items.push(item.clone());
        Ok(())
    }

    /// Events inside an item.
    fn inside(&mut self, kind: &str, event: &Value) -> Result<(), String> {
        self.is_next(event)?;
        let Some(open) = &mut self.open else { return Err("no item is open".to_owned()) };
        if open.id != event["item_id"] {
            return Err("the item_id is not that of the open item".to_owned());
        }
        let is_summary = kind.contains("reasoning_summary");
        let place = &event[if is_summary { "summary_index" } else { "content_index" }];
        match kind {
            "response.content_part.added" | "response.reasoning_summary_part.added" => {
                if open.part.is_some() || place.as_u64() != Some(open.parts) {
                    return Err("a part is still open or its index is wrong".to_owned());
                }
                open.part = Some((open.parts, String::new()));
                open.parts += 1;
            }
            "response.output_text.delta" | "response.reasoning_summary_text.delta" => {
                let (index, said) = open.part.as_mut().ok_or("no part is open")?;
                if place.as_u64() != Some(*index) {
                    return Err("is for another part".to_owned());
                }
                let delta = string(event, "delta")?;
                *said += delta;
                let all = if is_summary { &mut self.thinking } else { &mut self.text };
                *all += delta;
            }
            "response.output_text.done" | "response.reasoning_summary_text.done" => {
                let said = open.part.as_ref().map(|(_, said)| said.as_str());
                if said != event["text"].as_str() {
                    return Err("the deltas are not the text".to_owned());
                }
            }
            "response.content_part.done" | "response.reasoning_summary_part.done" => {
                let said = open.part.take().map(|(_, said)| said);
                if said.as_deref() != event["part"]["text"].as_str() {
                    return Err("the deltas are not the part".to_owned());
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                open.arguments += string(event, "delta")?;
            }
            "response.function_call_arguments.done" if event["arguments"] != open.arguments => {
                return Err("the deltas are not the arguments".to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}
