//! How an endpoint is spoken to: the shapes of requests and replies.

use anyhow::{Context, bail};
use clap::ValueEnum;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::scenario::Scenario;

/// How an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Api {
    /// OpenAI's chat completions
    Openai,
    /// Anthropic's messages
    Anthropic,
}

/// How many tokens a model may write.
const MAX_TOKENS: u32 = 4096;

/// What a model replied.
#[derive(Debug, Default)]
pub(super) struct ApiReply {
    /// The message, to be sent back.
    pub(super) message: Value,
    pub(super) text: String,
    pub(super) calls: Vec<ApiCall>,
    /// All input tokens, cached or not, if the provider says how many.
    pub(super) input: Option<u64>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ApiCall {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) arguments: Value,
}

/// What a tool answered.
pub(super) struct Answered<'a> {
    pub(super) call: &'a ApiCall,
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Api {
    /// By the address of an endpoint.
    pub(super) fn of(endpoint: &str) -> Self {
        if endpoint.contains("anthropic") { Api::Anthropic } else { Api::Openai }
    }

    /// Where the key is.
    pub(super) fn key_variable(self) -> &'static str {
        match self {
            Api::Openai => "OPENAI_API_KEY",
            Api::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// Where questions go.
    pub(super) fn path(self) -> &'static str {
        match self {
            Api::Openai => "/v1/chat/completions",
            Api::Anthropic => "/v1/messages",
        }
    }

    /// The headers of a question.
    fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let key = key.unwrap_or("none").to_owned();
        match self {
            Api::Openai => vec![("authorization", format!("Bearer {key}"))],
            Api::Anthropic => {
                vec![("x-api-key", key), ("anthropic-version", "2023-06-01".to_owned())]
            }
        }
    }

    /// The same, with the key marked as one that is not to be shown.
    pub(super) fn header_map(self, key: Option<&str>) -> anyhow::Result<HeaderMap> {
        let header = |(name, value): (&'static str, String)| {
            let mut value = HeaderValue::from_str(&value).with_context(|| {
                format!("{} has characters that a header cannot have", self.key_variable())
            })?;
            value.set_sensitive(true);
            Ok((HeaderName::from_static(name), value))
        };
        self.headers(key).into_iter().map(header).collect()
    }

    /// What the user says.
    pub(super) fn user(self, text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    /// A question: the scenario's prompt and tools, and the conversation so far.
    pub(super) fn question(self, scenario: &Scenario, model: &str, messages: &[Value]) -> Value {
        let tool = |tool: &super::scenario::Tool| match self {
            Api::Openai => json!({"type": "function", "function":
                {"name": tool.name, "description": tool.description, "parameters": tool.schema()}}),
            Api::Anthropic => {
                json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema()})
            }
        };
        let tools: Vec<Value> = scenario.tools.iter().map(tool).collect();
        let mut body = json!({"model": model, "messages": messages});
        if !tools.is_empty() {
            body["tools"] = tools.into();
        }
        match (self, &scenario.system) {
            (Api::Openai, Some(system)) => {
                let mut all = vec![json!({"role": "system", "content": system})];
                all.extend_from_slice(messages);
                body["messages"] = all.into();
            }
            (Api::Anthropic, Some(system)) => body["system"] = system.as_str().into(),
            (_, None) => {}
        }
        if self == Api::Anthropic {
            body["max_tokens"] = MAX_TOKENS.into();
        }
        body
    }

    /// The results of calls, as messages.
    pub(super) fn results(self, results: &[Answered<'_>]) -> Vec<Value> {
        match self {
            Api::Openai => results
                .iter()
                .map(|result| json!({"role": "tool", "tool_call_id": result.call.id, "content": result.text}))
                .collect(),
            Api::Anthropic => {
                let block = |result: &Answered<'_>| {
                    json!({"type": "tool_result", "tool_use_id": result.call.id,
                        "content": result.text, "is_error": result.is_error})
                };
                let blocks: Vec<Value> = results.iter().map(block).collect();
                vec![json!({"role": "user", "content": blocks})]
            }
        }
    }

    /// Reads a reply.
    pub(super) fn read(self, reply: &Value) -> anyhow::Result<ApiReply> {
        match self {
            Api::Openai => read_openai(reply),
            Api::Anthropic => read_anthropic(reply),
        }
    }
}

fn read_openai(reply: &Value) -> anyhow::Result<ApiReply> {
    let message = &reply["choices"][0]["message"];
    if !message.is_object() {
        bail!("the reply has no message");
    }
    let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| {
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        Ok(ApiCall {
            id: text(&call["id"]),
            tool: text(&call["function"]["name"]),
            arguments: serde_json::from_str(arguments)
                .context("a call's arguments are not JSON")?,
        })
    });
    let calls: Vec<ApiCall> = calls.collect::<anyhow::Result<_>>()?;
    // What other members a reply has is not for sending back.
    let mut back = json!({"role": "assistant", "content": message["content"]});
    if !calls.is_empty() {
        back["tool_calls"] = message["tool_calls"].clone();
    }
    let input = reply["usage"]["prompt_tokens"].as_u64();
    Ok(ApiReply { message: back, text: text(&message["content"]), calls, input })
}

fn read_anthropic(reply: &Value) -> anyhow::Result<ApiReply> {
    let blocks = reply["content"].as_array().context("the reply has no content")?;
    let of = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let call = |block: &Value| ApiCall {
        id: text(&block["id"]),
        tool: text(&block["name"]),
        arguments: block["input"].clone(),
    };
    let usage = &reply["usage"];
    let beside = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    let beside: u64 = beside.iter().filter_map(|name| usage[name].as_u64()).sum();
    Ok(ApiReply {
        message: json!({"role": "assistant", "content": blocks}),
        text: of("text").map(|block| text(&block["text"])).collect(),
        calls: of("tool_use").map(call).collect(),
        input: usage["input_tokens"].as_u64().map(|input| input + beside),
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
