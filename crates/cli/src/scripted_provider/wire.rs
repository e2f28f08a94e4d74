//! The two APIs over which a scripted model is asked, and how a reply is written in each.

use super::InputTokens;
use super::reply::{ModelReply, ReplyPart, call_id};
use serde_json::{Value, json};

/// A fixed moment: the same request has the same reply.
const CREATED: u64 = 1_760_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireApi {
    AnthropicMessages,
    OpenAiChat,
}

impl WireApi {
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/messages" => Some(Self::AnthropicMessages),
            "/v1/chat/completions" => Some(Self::OpenAiChat),
            _ => None,
        }
    }

    /// The reply as the API has it; the `number` tells replies apart.
    pub(super) fn write(
        self,
        reply: &ModelReply,
        model: &Value,
        input: InputTokens,
        number: u64,
    ) -> Value {
        match self {
            Self::AnthropicMessages => anthropic_message(reply, model, input, number),
            Self::OpenAiChat => openai_completion(reply, model, input, number),
        }
    }

    /// A reply that was written, as the events of a stream. `None`: only whole ones are known of this API.
    pub(super) fn stream(self, written: &Value) -> Option<String> {
        let events = match self {
            Self::AnthropicMessages => anthropic_events(written),
            Self::OpenAiChat => return None,
        };
        let event = |event: &Value| {
            let name = event["type"].as_str().unwrap_or_default();
            format!("event: {name}\ndata: {event}\n\n")
        };
        Some(events.iter().map(event).collect())
    }
}

fn anthropic_events(message: &Value) -> Vec<Value> {
    let mut begun = message.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": begun})];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (empty, delta) = match block["type"].as_str() {
            Some("tool_use") => {
                let mut empty = block.clone();
                empty["input"] = json!({});
                let input = block["input"].to_string();
                (empty, json!({"type": "input_json_delta", "partial_json": input}))
            }
            _ => {
                let text = json!({"type": "text_delta", "text": block["text"]});
                (json!({"type": "text", "text": ""}), text)
            }
        };
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": empty}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    let stop = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let usage = json!({"output_tokens": message["usage"]["output_tokens"]});
    events.push(json!({"type": "message_delta", "delta": stop, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn anthropic_message(reply: &ModelReply, model: &Value, input: InputTokens, number: u64) -> Value {
    let block = |(at, part): (usize, &ReplyPart)| match part {
        ReplyPart::Text(text) => json!({"type": "text", "text": text}),
        ReplyPart::Call { tool, arguments } => {
            let id = call_id("toolu_01", number, at, tool, arguments);
            json!({"type": "tool_use", "id": id, "name": tool, "input": arguments})
        }
    };
    let content: Vec<Value> = reply.parts.iter().enumerate().map(block).collect();
    json!({
        "id": format!("msg_01mk{number:016x}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": if reply.has_calls() { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": input.fresh,
            "cache_creation_input_tokens": input.cache_write,
            "cache_read_input_tokens": input.cache_read,
            "output_tokens": reply.tokens(),
        },
    })
}

fn openai_completion(reply: &ModelReply, model: &Value, input: InputTokens, number: u64) -> Value {
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for part in &reply.parts {
        match part {
            ReplyPart::Text(text) => texts.push(text.as_str()),
            ReplyPart::Call { tool, arguments } => {
                let id = call_id("call_", number, calls.len(), tool, arguments);
                let function = json!({"name": tool, "arguments": arguments.to_string()});
                calls.push(json!({"id": id, "type": "function", "function": function}));
            }
        }
    }
    let content = (!texts.is_empty()).then(|| texts.concat());
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let stop = if reply.has_calls() { "tool_calls" } else { "stop" };
    // What is cached is a part of the input here, and not beside it.
    let prompt = input.fresh + input.cache_read + input.cache_write;
    let output = reply.tokens();
    json!({
        "id": format!("chatcmpl-mk{number:016x}"),
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": input.cache_read},
        },
    })
}
