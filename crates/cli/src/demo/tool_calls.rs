//! Calls of the demo's tools behind `/mcp`, as a client without sessions makes them.

use super::tools::PREFIX;
use crate::gateway::GatewayClient;
use anyhow::Context;
use http::Method;
use http::header::{ACCEPT, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tokenforge_mcp::{CAPABILITIES_KEY, CLIENT_KEY, MODERN, VERSION_KEY, rpc};
use tokenforge_negotiate::{PREFER_FORMAT, STC_VERSION};

/// Where a result says what was done to it.
const DONE: &str = "dev.tokenforge/result";

/// A tool that was called through the gateway.
#[derive(serde::Serialize)]
pub(super) struct Called {
    pub(super) tool: String,
    /// Tokens of the server's answer.
    pub(super) before: u64,
    /// Tokens of what the client got.
    pub(super) after: u64,
    /// In which form.
    pub(super) format: String,
}

/// Calls each tool once.
pub(super) async fn make(gateway: &GatewayClient) -> anyhow::Result<Vec<Called>> {
    let weather = call(gateway, "weather", &json!({"city": "Lisbon"})).await?;
    let search = call(gateway, "search", &json!({"query": "prompt cache"})).await?;
    Ok(vec![weather, search])
}

async fn call(gateway: &GatewayClient, tool: &str, arguments: &Value) -> anyhow::Result<Called> {
    let name = format!("{PREFIX}__{tool}");
    let client: Value = serde_json::from_str(&rpc::own_info()).unwrap_or_default();
    let params = json!({
        "name": name, "arguments": arguments,
        "_meta": {VERSION_KEY: MODERN, CLIENT_KEY: client, CAPABILITIES_KEY: {}},
    });
    let message = rpc::request(1, "tools/call", &params.to_string());
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert("mcp-protocol-version", HeaderValue::from_static(MODERN));
    // A model reads the answer; a program that asks for nothing gets JSON.
    headers.insert(PREFER_FORMAT, HeaderValue::from_static("auto"));
    headers.insert(STC_VERSION, HeaderValue::from_static("2"));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    headers.insert("mcp-name", HeaderValue::from_str(&name)?);
    let answer = gateway.send(Method::POST, "/mcp", headers, message).await?;
    let format = answer.headers.get("x-content-format").and_then(|format| format.to_str().ok());
    let format = format.unwrap_or("json").to_owned();
    let answer: Value = serde_json::from_slice(&answer.body).context("the tool's answer")?;
    let done = &answer["result"]["_meta"][DONE];
    let tokens = |when: &str| done[when].as_u64().with_context(|| format!("{name}: {answer}"));
    Ok(Called {
        tool: name.clone(),
        before: tokens("tokens_before")?,
        after: tokens("tokens_after")?,
        format,
    })
}
