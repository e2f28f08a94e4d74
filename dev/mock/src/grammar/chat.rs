//! OpenAI's chat: chunks of one completion, each choice finished once, then `[DONE]`.

use super::{Call, Summary, Usage, at, json, number, string};
use serde_json::Value;

/// The data of a stream's events. The summary is of the first choice.
pub(super) fn stream(data: &[String]) -> Result<Summary, String> {
    let Some((last, chunks)) = data.split_last().filter(|(last, _)| *last == "[DONE]") else {
        return Err("the stream does not end with [DONE]".to_owned());
    };
    let mut reading = ChatReading::default();
    for (index, chunk) in chunks.iter().enumerate() {
        if chunk == last {
            return Err(format!("event {index}: [DONE] is not the end"));
        }
        let chunk = json(chunk.as_bytes())?;
        at(index, &chunk, reading.chunk(&chunk))?;
    }
    reading.summary.events = data.len();
    match reading.choices.iter().position(|choice| choice.stop.is_none()) {
        Some(open) => Err(format!("choice {open} has no finish_reason")),
        None if reading.choices.is_empty() => Err("no choice in the stream".to_owned()),
        None => finished(reading.summary),
    }
}

pub(super) fn whole(completion: &Value) -> Result<Summary, String> {
    if completion["object"] != "chat.completion" {
        return Err("object is not chat.completion".to_owned());
    }
    let choice = &completion["choices"][0];
    let message = &choice["message"];
    if message["role"] != "assistant" {
        return Err("the message is not the assistant's".to_owned());
    }
    let mut summary = Summary {
        id: string(completion, "id")?.to_owned(),
        text: message["content"].as_str().unwrap_or_default().to_owned(),
        thinking: message["reasoning_content"].as_str().unwrap_or_default().to_owned(),
        stop: string(choice, "finish_reason")?.to_owned(),
        usage: usage(&completion["usage"]),
        events: 1,
        ..Summary::default()
    };
    for call in crate::refusal::items(&message["tool_calls"]) {
        summary.calls.push(opened(call)?);
    }
    finished(summary)
}

#[derive(Default)]
struct ChatReading {
    id: Option<Value>,
    choices: Vec<Choice>,
    has_usage: bool,
    summary: Summary,
}

#[derive(Default)]
struct Choice {
    stop: Option<String>,
    calls: u64,
}

impl ChatReading {
    fn chunk(&mut self, chunk: &Value) -> Result<(), String> {
        if !chunk["error"].is_null() {
            return Err("is an error".to_owned());
        }
        if chunk["object"] != "chat.completion.chunk" {
            return Err("object is not chat.completion.chunk".to_owned());
        }
        self.same_completion(chunk)?;
        if self.has_usage {
            return Err("comes after the usage".to_owned());
        }
        let choices = chunk["choices"].as_array().ok_or("choices is no list")?;
        if chunk["usage"].is_object() {
            if self.choices.iter().any(|choice| choice.stop.is_none()) {
                return Err("the usage comes before the end".to_owned());
            }
            self.has_usage = choices.is_empty();
            self.summary.usage = usage(&chunk["usage"]);
        }
        choices.iter().try_for_each(|choice| self.choice(choice))
    }

    /// Every chunk has the id, the model and the moment of the first.
    fn same_completion(&mut self, chunk: &Value) -> Result<(), String> {
        let id = serde_json::json!([chunk["id"], chunk["created"], chunk["model"]]);
        string(chunk, "id")?.clone_into(&mut self.summary.id);
        match &self.id {
            Some(first) if *first != id => Err(format!("is of {id}, the stream of {first}")),
            _ => {
                self.id = Some(id);
                Ok(())
            }
        }
    }

    fn choice(&mut self, value: &Value) -> Result<(), String> {
        let index = value["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let index =
            index.filter(|index| *index <= self.choices.len()).ok_or("the index skips a choice")?;
        let delta = &value["delta"];
        let is_new = index == self.choices.len();
        if is_new {
            self.choices.push(Choice::default());
        }
        if is_new != (delta["role"] == "assistant") {
            return Err("the role stands in the first delta of a choice, and only there".to_owned());
        }
        let choice = &mut self.choices[index];
        if choice.stop.is_some() {
            return Err("comes after the finish_reason".to_owned());
        }
        choice.stop = value["finish_reason"].as_str().map(str::to_owned);
        let is_first = index == 0;
        for call in crate::refusal::items(&delta["tool_calls"]) {
            let at = call["index"].as_u64().filter(|at| *at <= choice.calls);
            let at = at.ok_or("the index skips a call")?;
            if at == choice.calls {
                choice.calls += 1;
                let call = opened(call)?;
                if is_first {
                    self.summary.calls.push(call);
                }
            } else if call["id"].is_string() || call["function"]["name"].is_string() {
                return Err("a call has its id and name once".to_owned());
            } else if is_first {
                let at = usize::try_from(at).unwrap_or_default();
                self.summary.calls[at].arguments += string(&call["function"], "arguments")?;
            }
        }
        if is_first {
            self.summary.text += delta["content"].as_str().unwrap_or_default();
            self.summary.thinking += delta["reasoning_content"].as_str().unwrap_or_default();
            self.summary.stop = choice.stop.clone().unwrap_or_default();
        }
        Ok(())
    }
}

fn opened(call: &Value) -> Result<Call, String> {
    if call["type"] != "function" {
        return Err("a call has no type".to_owned());
    }
    Ok(Call {
        id: string(call, "id")?.to_owned(),
        name: string(&call["function"], "name")?.to_owned(),
        arguments: string(&call["function"], "arguments")?.to_owned(),
    })
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: number(&usage["prompt_tokens"]),
        output: number(&usage["completion_tokens"]),
        cache_read: number(&usage["prompt_tokens_details"]["cached_tokens"]),
        cache_write: 0,
    }
}

fn finished(summary: Summary) -> Result<Summary, String> {
    if (summary.stop == "tool_calls") == summary.calls.is_empty() && summary.stop != "length" {
        return Err(format!(
            "finish_reason is {}, with {} calls",
            summary.stop,
            summary.calls.len()
        ));
    }
    Ok(summary)
}
