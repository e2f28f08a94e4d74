//! Ollama: lines, the last of which is `done`.

use super::{Call, Summary, Usage, at, json, number, string};
use crate::refusal::items;
use serde_json::Value;

/// The lines of a stream; a whole answer is one line.
pub(super) fn lines(bytes: &[u8]) -> Result<Summary, String> {
    let text = str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let lines: Vec<_> = text.split_terminator('\n').collect();
    let mut summary = Summary { events: lines.len(), ..Summary::default() };
    for (index, text) in lines.iter().enumerate() {
        let value = json(text.as_bytes())?;
        at(index, &value, line(&value, &mut summary))?;
    }
    if summary.stop.is_empty() { Err("no line is done".to_owned()) } else { Ok(summary) }
}

fn line(line: &Value, summary: &mut Summary) -> Result<(), String> {
    if !line["error"].is_null() {
        return Err("is an error".to_owned());
    }
    if !summary.stop.is_empty() {
        return Err("comes after the line that is done".to_owned());
    }
    string(line, "model")?;
    string(line, "created_at")?;
    let message = &line["message"];
    if message["role"] != "assistant" {
        return Err("the message is not the assistant's".to_owned());
    }
    summary.text += string(message, "content")?;
    summary.thinking += message["thinking"].as_str().unwrap_or_default();
    for call in items(&message["tool_calls"]) {
        let function = &call["function"];
        if !function["arguments"].is_object() {
            return Err("arguments is no object".to_owned());
        }
        summary.calls.push(Call {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            name: string(function, "name")?.to_owned(),
            arguments: function["arguments"].to_string(),
        });
    }
    match line["done"].as_bool() {
        Some(true) => {
            string(line, "done_reason")?.clone_into(&mut summary.stop);
            summary.usage = Usage {
                input: number(&line["prompt_eval_count"]),
                output: number(&line["eval_count"]),
                ..Usage::default()
            };
            Ok(())
        }
        Some(false) => Ok(()),
        None => Err("done is missing".to_owned()),
    }
}
