//! The dialects as a client speaks them: how a conversation is written, and how it goes on after a reply.

use crate::client::Response;
use crate::fixtures;
use crate::house::House;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokenforge_mock::Reply;
use tokenforge_mock::grammar::{Call, Summary, check};

/// A dialect, whole or as a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voice {
    /// The dialect's name in the grammar.
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    pub(crate) streams: bool,
}

const fn voice(name: &'static str, path: &'static str, streams: bool) -> Voice {
    Voice { name, path, streams }
}

pub(crate) const ANTHROPIC: Voice = voice("anthropic", "/v1/messages", false);
pub(crate) const ANTHROPIC_STREAM: Voice = voice("anthropic", "/v1/messages", true);
pub(crate) const CHAT: Voice = voice("chat", "/v1/chat/completions", false);
pub(crate) const CHAT_STREAM: Voice = voice("chat", "/v1/chat/completions", true);
pub(crate) const RESPONSES: Voice = voice("responses", "/v1/responses", false);
pub(crate) const RESPONSES_STREAM: Voice = voice("responses", "/v1/responses", true);
pub(crate) const GEMINI: Voice =
    voice("gemini", "/v1beta/models/gemini-3-pro:generateContent", false);
/// A model that gives its calls no ids.
pub(crate) const GEMINI_WITHOUT_IDS: Voice =
    voice("gemini", "/v1beta/models/gemini-2.5-flash:generateContent", false);
pub(crate) const INTERACTIONS: Voice = voice("interactions", "/v1beta/interactions", false);
pub(crate) const INTERACTIONS_STREAM: Voice = voice("interactions", "/v1beta/interactions", true);
pub(crate) const CONVERSE: Voice = voice("converse", "/model/m/converse", false);
pub(crate) const INVOKE: Voice = voice("invoke", "/model/m/invoke", false);
pub(crate) const OLLAMA: Voice = voice("ollama", "/api/chat", false);

/// Each that answers in one piece.
pub(crate) const WHOLE: &[Voice] = &[
    ANTHROPIC,
    CHAT,
    RESPONSES,
    GEMINI,
    GEMINI_WITHOUT_IDS,
    INTERACTIONS,
    CONVERSE,
    INVOKE,
    OLLAMA,
];

/// Each that streams.
pub(crate) const STREAMS: &[Voice] = &[
    ANTHROPIC_STREAM,
    CHAT_STREAM,
    RESPONSES_STREAM,
    voice("gemini", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", true),
    voice("gemini", "/v1beta/models/gemini-3-pro:streamGenerateContent", true),
    voice("gemini", "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", true),
    INTERACTIONS_STREAM,
    voice("converse", "/model/m/converse-stream", true),
    voice("invoke", "/model/m/invoke-with-response-stream", true),
    voice("ollama", "/api/chat", true),
];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = Voice> {
    WHOLE.iter().chain(STREAMS).copied()
}

impl Voice {
    /// What a client makes of a reply, which must be well formed.
    #[track_caller]
    pub(crate) fn hears(self, response: &Response) -> Summary {
        assert_eq!(response.status, 200, "{self:?}: {}", String::from_utf8_lossy(&response.body));
        check(self.name, &response.body).unwrap_or_else(|error| {
            panic!("{self:?}: {error}\n{}", String::from_utf8_lossy(&response.body))
        })
    }

    /// The conversation in a body, as it is written there, without the bracket at its end.
    pub(crate) fn conversation(self, body: &str) -> &str {
        let members: HashMap<&str, &RawValue> = serde_json::from_str(body).unwrap();
        members[self.list()].get().strip_suffix(']').unwrap()
    }

    /// The member with the conversation.
    fn list(self) -> &'static str {
        match self.name {
            "gemini" => "contents",
            "responses" | "interactions" => "input",
            _ => "messages",
        }
    }
}

/// A conversation as its client keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) voice: Voice,
    pub(crate) body: Value,
}

impl Conversation {
    /// The user says hello; there are tools.
    pub(crate) fn new(voice: Voice) -> Self {
        let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
        let user = json!([{ "role": "user", "content": "hi" }]);
        let function =
            json!([{ "type": "function", "function": { "name": "Bash", "parameters": schema } }]);
        let tool = json!([{ "name": "Bash", "input_schema": schema }]);
        let body = match voice.name {
            "anthropic" => {
                json!({ "model": "claude-sonnet-4-5", "max_tokens": 4000, "messages": user,
                "tools": tool, "stream": voice.streams })
            }
            "invoke" => json!({ "anthropic_version": "bedrock-2023-05-31", "max_tokens": 4000,
                "messages": user, "tools": tool }),
            "chat" => {
                let mut body = json!({ "model": "gpt-5", "messages": user, "tools": function });
                if voice.streams {
                    body["stream"] = json!(true);
                    body["stream_options"] = json!({ "include_usage": true });
                }
                body
            }
            "responses" => {
                json!({ "model": "gpt-5", "input": user, "store": false, "stream": voice.streams,
                "include": ["reasoning.encrypted_content"],
                "tools": [{ "type": "function", "name": "Bash", "parameters": schema, "strict": false }] })
            }
            "interactions" => json!({ "model": "gemini-3-pro", "input": [user_input("hi")],
                "store": false, "stream": voice.streams,
                "tools": [{ "type": "function", "name": "Bash", "parameters": schema }] }),
            "gemini" => json!({ "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }],
                "tools": [{ "functionDeclarations": [{ "name": "Bash", "parameters": schema }] }] }),
            "converse" => json!({ "messages": [{ "role": "user", "content": [{ "text": "hi" }] }],
                "toolConfig": { "tools": [{ "toolSpec": { "name": "Bash", "inputSchema": { "json": schema } } }] } }),
            "ollama" => json!({ "model": "llama3", "messages": user, "tools": function,
                "stream": voice.streams }),
            other => panic!("{other} is no dialect"),
        };
        Conversation { voice, body }
    }

    /// The model thinks aloud, where it must be told to.
    pub(crate) fn thinking(mut self) -> Self {
        let enabled = json!({ "type": "enabled", "budget_tokens": 2000 });
        match self.voice.name {
            "anthropic" | "invoke" => self.body["thinking"] = enabled,
            "converse" => {
                self.body["additionalModelRequestFields"] = json!({ "thinking": enabled })
            }
            _ => {}
        }
        self
    }

    /// The model called a tool, and this was its output: a conversation that is to be sent.
    pub(crate) fn with_output(self, house: &House, output: &str) -> Self {
        self.with_outputs(house, &[output])
    }

    /// The same with as many calls at once.
    pub(crate) fn with_outputs(mut self, house: &House, outputs: &[&str]) -> Self {
        let mut reply = Reply::new();
        if self.body.to_string().contains("budget_tokens") {
            reply = reply.thinking("Let me run it.");
        }
        for (number, _) in outputs.iter().enumerate() {
            let mut arguments = fixtures::arguments();
            if number > 0 {
                arguments["description"] = json!(format!("run {number}"));
            }
            reply = reply.call("Bash", arguments);
        }
        house.mock.reply(reply);
        let response = self.send(house);
        self.goes_on(&response, outputs);
        self
    }

    pub(crate) fn send(&self, house: &House) -> Response {
        house.post(self.voice.path, self.body.to_string())
    }

    /// Sends it and hears the reply.
    #[track_caller]
    pub(crate) fn heard(&self, house: &House) -> Summary {
        let response = self.send(house);
        assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{:?}", self.voice);
        self.voice.hears(&response)
    }

    /// Takes in the reply, and the outputs of the calls in it.
    #[track_caller]
    pub(crate) fn goes_on(&mut self, response: &Response, outputs: &[&str]) {
        let summary = self.voice.hears(response);
        assert_eq!(summary.calls.len(), outputs.len(), "{:?}: {:?}", self.voice, summary.calls);
        let said = said(self.voice, &response.body, &summary);
        self.extend(said);
        let calls = || summary.calls.iter().zip(outputs);
        let items: Vec<Value> = match self.voice.name {
            "anthropic" | "invoke" => {
                let result = |(call, text): (&Call, &&str)| {
                    json!({ "type": "tool_result", "tool_use_id": call.id, "content": text })
                };
                vec![json!({ "role": "user", "content": calls().map(result).collect::<Vec<_>>() })]
            }
            "chat" => calls()
                .map(|(call, text)| json!({ "role": "tool", "tool_call_id": call.id, "content": text }))
                .collect(),
            "responses" => calls()
                .map(|(call, text)| json!({ "type": "function_call_output", "call_id": call.id, "output": text }))
                .collect(),
            "interactions" => calls()
                .map(|(call, text)| {
                    json!({ "type": "function_result", "call_id": call.id, "name": call.name,
                    "result": text })
                })
                .collect(),
            "gemini" => {
                let result = |(call, text): (&Call, &&str)| {
                    let mut response = json!({ "name": call.name, "response": { "output": text } });
                    if !call.id.is_empty() {
                        response["id"] = json!(call.id);
                    }
                    json!({ "functionResponse": response })
                };
                vec![json!({ "role": "user", "parts": calls().map(result).collect::<Vec<_>>() })]
            }
            "converse" => {
                let result = |(call, text): (&Call, &&str)| {
                    json!({ "toolResult": { "toolUseId": call.id, "content": [{ "text": text }] } })
                };
                vec![json!({ "role": "user", "content": calls().map(result).collect::<Vec<_>>() })]
            }
            _ => calls()
                .map(|(call, text)| json!({ "role": "tool", "tool_name": call.name, "content": text }))
                .collect(),
        };
        if !outputs.is_empty() {
            self.extend(items);
        }
    }

    /// The user says one more thing.
    pub(crate) fn says(&mut self, text: &str) {
        self.extend(vec![match self.voice.name {
            "gemini" => json!({ "role": "user", "parts": [{ "text": text }] }),
            "interactions" => user_input(text),
            "converse" => json!({ "role": "user", "content": [{ "text": text }] }),
            _ => json!({ "role": "user", "content": text }),
        }]);
    }

    /// The ids of its calls, in order.
    pub(crate) fn calls(&self) -> Vec<String> {
        let items = self.body[self.voice.list()].as_array().unwrap().iter();
        let results = items.flat_map(|item| match item["content"].as_array() {
            Some(blocks) => blocks.clone(),
            None => vec![item.clone()],
        });
        let id = |result: Value| {
            let ids = [&result["tool_use_id"], &result["tool_call_id"], &result["call_id"]];
            ids.iter().find_map(|id| id.as_str()).map(str::to_owned)
        };
        results.filter_map(id).collect()
    }

    fn extend(&mut self, items: Vec<Value>) {
        self.body[self.voice.list()].as_array_mut().unwrap().extend(items);
    }
}

/// The model's turn as a client sends it back.
fn said(voice: Voice, body: &[u8], summary: &Summary) -> Vec<Value> {
    let is_whole = !voice.streams;
    let json = || serde_json::from_slice::<Value>(body).unwrap();
    let arguments = |call: &Call| -> Value { serde_json::from_str(&call.arguments).unwrap() };
    match voice.name {
        "anthropic" | "invoke" if is_whole => {
            vec![json!({ "role": "assistant", "content": json()["content"] })]
        }
        "anthropic" => vec![json!({ "role": "assistant", "content": blocks(body) })],
        "invoke" => {
            let mut blocks = Vec::new();
            if !summary.thinking.is_empty() {
                blocks.push(json!({ "type": "thinking", "thinking": summary.thinking,
                    "signature": summary.signatures[0] }));
            }
            if !summary.text.is_empty() {
                blocks.push(json!({ "type": "text", "text": summary.text }));
            }
            blocks.extend(summary.calls.iter().map(|call| {
                json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call) })
            }));
            vec![json!({ "role": "assistant", "content": blocks })]
        }
        "chat" if is_whole => vec![json()["choices"][0]["message"].clone()],
        "chat" => {
            let mut message = json!({ "role": "assistant", "content": summary.text });
            if !summary.calls.is_empty() {
                let call = |call: &Call| {
                    json!({ "id": call.id, "type": "function",
                        "function": { "name": call.name, "arguments": call.arguments } })
                };
                message["tool_calls"] = summary.calls.iter().map(call).collect();
            }
            vec![message]
        }
        "responses" => {
            let response =
                if is_whole { json() } else { data(body).pop().unwrap()["response"].clone() };
            response["output"].as_array().unwrap().clone()
        }
        "interactions" if is_whole => json()["steps"].as_array().unwrap().clone(),
        "interactions" => steps(body),
        "gemini" => {
            let chunks = match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{') => vec![json()],
                Some(b'[') => json().as_array().unwrap().clone(),
                _ => data(body),
            };
            let parts =
                |chunk: &Value| chunk["candidates"][0]["content"]["parts"].as_array().cloned();
            let parts: Vec<_> = chunks.iter().filter_map(parts).flatten().collect();
            let is_nothing = |part: &Value| part == &json!({ "text": "" });
            let parts: Vec<_> = parts.into_iter().filter(|part| !is_nothing(part)).collect();
            vec![json!({ "role": "model", "parts": parts })]
        }
        "converse" if is_whole => vec![json()["output"]["message"].clone()],
        "converse" => {
            let mut blocks = Vec::new();
            if !summary.thinking.is_empty() {
                blocks.push(json!({ "reasoningContent": { "reasoningText":
                    { "text": summary.thinking, "signature": summary.signatures[0] } } }));
            }
            if !summary.text.is_empty() {
                blocks.push(json!({ "text": summary.text }));
            }
            blocks.extend(summary.calls.iter().map(|call| {
                json!({ "toolUse": { "toolUseId": call.id, "name": call.name, "input": arguments(call) } })
            }));
            vec![json!({ "role": "assistant", "content": blocks })]
        }
        _ if is_whole => vec![json()["message"].clone()],
        _ => {
            let call = |call: &Call| json!({ "id": call.id, "function": { "name": call.name, "arguments": arguments(call) } });
            let calls: Vec<_> = summary.calls.iter().map(call).collect();
            vec![json!({ "role": "assistant", "content": summary.text, "tool_calls": calls })]
        }
    }
}

/// The payloads of a stream of events.
pub(crate) fn data(body: &[u8]) -> Vec<Value> {
    let lines = str::from_utf8(body).unwrap().lines();
    let payloads = lines.filter_map(|line| line.strip_prefix("data: "));
    payloads
        .filter(|json| *json != "[DONE]")
        .map(|json| serde_json::from_str(json).unwrap())
        .collect()
}

fn user_input(text: &str) -> Value {
    json!({ "type": "user_input", "content": [{ "type": "text", "text": text }] })
}

/// The steps that a stream of an interaction builds.
fn steps(body: &[u8]) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    let mut arguments = String::new();
    for event in data(body) {
        let delta = &event["delta"];
        let content = json!([{ "type": "text", "text": "" }]);
        let more = |content: &mut Value, more: &Value| {
            let text = format!("{}{}", content["text"].as_str().unwrap(), more.as_str().unwrap());
            content["text"] = json!(text);
        };
        match (event["event_type"].as_str(), delta["type"].as_str()) {
            (Some("step.start"), _) => steps.push(event["step"].clone()),
            (Some("step.stop"), _) if !arguments.is_empty() => {
                steps.last_mut().unwrap()["arguments"] = serde_json::from_str(&arguments).unwrap();
                arguments.clear();
            }
            (_, Some("arguments_delta")) => arguments += delta["arguments"].as_str().unwrap(),
            (_, Some("thought_signature")) => {
                steps.last_mut().unwrap()["signature"] = delta["signature"].clone();
            }
            (_, Some(kind @ ("text" | "thought_summary"))) => {
                let name = if kind == "text" { "content" } else { "summary" };
                let list = &mut steps.last_mut().unwrap()[name];
                if list.is_null() {
                    *list = content;
                }
                let said = if kind == "text" { &delta["text"] } else { &delta["content"]["text"] };
                more(&mut list[0], said);
            }
            _ => {}
        }
    }
    steps
}

/// The blocks that an Anthropic stream builds.
fn blocks(body: &[u8]) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut input = String::new();
    for event in data(body) {
        let append = |blocks: &mut Vec<Value>, name: &str, more: &Value| {
            let member = &mut blocks.last_mut().unwrap()[name];
            let text = format!("{}{}", member.as_str().unwrap_or_default(), more.as_str().unwrap());
            *member = json!(text);
        };
        let delta = &event["delta"];
        match (event["type"].as_str(), delta["type"].as_str()) {
            (Some("content_block_start"), _) => blocks.push(event["content_block"].clone()),
            (_, Some("text_delta")) => append(&mut blocks, "text", &delta["text"]),
            (_, Some("thinking_delta")) => append(&mut blocks, "thinking", &delta["thinking"]),
            (_, Some("signature_delta")) => append(&mut blocks, "signature", &delta["signature"]),
            (_, Some("input_json_delta")) => {
                input.push_str(delta["partial_json"].as_str().unwrap())
            }
            (Some("content_block_stop"), _) if !input.is_empty() => {
                blocks.last_mut().unwrap()["input"] = serde_json::from_str(&input).unwrap();
                input.clear();
            }
            _ => {}
        }
    }
    blocks
}
