//! The agent of the demo: it plays the recorded session over a socket, turn by turn, as an agent does.

use super::recorded_model::RecordedModel;
use super::session::{self, STEPS};
use crate::gateway::GatewayClient;
use crate::scripted_provider::ScriptedProvider;
use anyhow::{Context, bail};
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use std::slice;

/// One turn of the agent, seen at both ends of the gateway.
pub(super) struct Turn {
    /// What the agent sent.
    pub(super) sent: Value,
    /// What reached the provider for it: two requests where the model asked for something back.
    pub(super) asked: Vec<Value>,
}

/// Plays the session to its end.
pub(super) async fn play(
    gateway: &GatewayClient,
    provider: &ScriptedProvider,
) -> anyhow::Result<Vec<Turn>> {
    provider.set_model(RecordedModel::default());
    let mut outputs = STEPS.iter();
    let mut messages = vec![json!({"role": "user", "content": session::TASK})];
    let mut turns = Vec::new();
    loop {
        let sent = session::request(&messages);
        let reply = ask(gateway, &sent).await?;
        turns.push(Turn { sent, asked: provider.take_requests() });
        let results = results(&reply, &mut outputs)?;
        messages.push(json!({"role": "assistant", "content": reply}));
        if results.is_empty() {
            return Ok(turns);
        }
        messages.push(json!({"role": "user", "content": results}));
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
