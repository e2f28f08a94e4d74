//! The agent of the demo: it plays the recorded session over a socket, turn by turn, as an agent does.

use super::session::{self, EXPANSION, STEPS};
use crate::gateway::GatewayClient;
use anyhow::{Context, bail};
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use std::slice;
use tokenforge_mock::{Mock, Recorded, Reply, first_reference};

/// One turn of the agent, seen at both ends of the gateway.
pub(super) struct Turn {
    /// What the agent sent.
    pub(super) sent: Value,
    /// What reached the provider for it: two requests where the model asked for something back.
    pub(super) asked: Vec<Value>,
}

/// Plays the session to its end.
pub(super) async fn play(gateway: &GatewayClient, provider: &Mock) -> anyhow::Result<Vec<Turn>> {
    rehearse(provider);
    let mut outputs = STEPS.iter();
    let mut messages = vec![json!({"role": "user", "content": session::TASK})];
    let mut turns = Vec::new();
    loop {
        let sent = session::request(&messages);
        let reply = ask(gateway, &sent).await?;
        let asked = provider.requests().iter().map(Recorded::json).collect();
        provider.clear();
        turns.push(Turn { sent, asked });
        let results = results(&reply, &mut outputs)?;
        messages.push(json!({"role": "assistant", "content": reply}));
        if results.is_empty() {
            return Ok(turns);
        }
        messages.push(json!({"role": "user", "content": results}));
    }
}

/// Tells the provider what its model says in this session.
fn rehearse(provider: &Mock) {
    for (index, step) in STEPS.iter().enumerate() {
        if index == EXPANSION.before {
            provider.reply_with(asks_back);
        }
        provider.reply(Reply::new().text(step.says).call_as_written(step.tool, step.arguments));
    }
    provider.reply(session::CONCLUSION);
}

/// The model asks for what was left out of the newest output that has a reference.
fn asks_back(request: &Recorded) -> Reply {
    let body = request.plain();
    let text = String::from_utf8_lossy(&body);
    let newest = text.rfind("<<<SHADOW:shadow_").and_then(|at| text.get(at..));
    match newest.and_then(|newest| first_reference(newest.as_bytes())) {
        Some(id) => Reply::calling("expand_context", json!({"id": id, "grep": EXPANSION.grep})),
        None => Reply::from("There is nothing to ask for."),
    }
}

/// Sends a request; what the model says, as blocks.
async fn ask(gateway: &GatewayClient, request: &Value) -> anyhow::Result<Value> {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    headers.insert("x-api-key", HeaderValue::from_static("demo"));
    let answer = gateway.send(Method::POST, "/v1/messages", headers, request.to_string()).await?;
    let mut reply: Value = serde_json::from_slice(&answer.body).context("the reply")?;
    if answer.status != StatusCode::OK {
        bail!("the provider says {}: {reply}", answer.status);
    }
    Ok(reply.get_mut("content").map(Value::take).unwrap_or_default())
}

/// What the tools said in the recording to the calls in this reply.
fn results(
    reply: &Value,
    outputs: &mut slice::Iter<'_, session::Step>,
) -> anyhow::Result<Vec<Value>> {
    let calls = reply.as_array().into_iter().flatten().filter(|block| block["type"] == "tool_use");
    calls
        .map(|call| {
            let step = outputs.next().filter(|step| call["name"] == step.tool);
            let step = step.context("a call that is not in the recording")?;
            Ok(json!({
                "type": "tool_result", "tool_use_id": call["id"], "content": step.output,
                "is_error": step.is_error,
            }))
        })
        .collect()
}
