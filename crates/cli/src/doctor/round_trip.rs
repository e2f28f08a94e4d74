//! One request with a tool result, through a gateway with these settings, to a provider that is part of this program.

use super::finding::Finding;
use crate::embedded::EmbeddedGateway;
use crate::gateway::{GatewayClient, url};
use crate::output::group_digits;
use crate::scripted_provider::{ModelReply, ScriptedProvider};
use anyhow::{Context, ensure};
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokenforge_config::{Mcp, Settings};
use tokenforge_store::{MemoryStore, StoreOptions as StoreSettings};
use tokenforge_tokens::Counter;

const CHECK: &str = "round trip";

/// What the model says.
const ANSWER: &str = "There are forty.";

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    vec![match made(settings).await {
        Ok(says) => Finding::ok(CHECK, says),
        Err(error) => Finding::broken(CHECK, format!("{error:#}"))
            .remedied_by("if `tokenforge demo --once` fails too, this is a bug: please report it; otherwise check your settings"),
    }]
}

async fn made(settings: &Settings) -> anyhow::Result<String> {
    let provider = ScriptedProvider::start().await?;
    provider.set_model(|_: &Value| ModelReply::from(ANSWER));
    let settings = own(settings, &provider)?;
    let mode = settings.tool_output.mode;
    let store = Arc::new(MemoryStore::new(StoreSettings::MEMORY));
    let embedded = EmbeddedGateway::start(settings, store).await?;
    let gateway = GatewayClient::new(&url(embedded.address), None)?;
    let request = request();
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    let answer = gateway.send(Method::POST, "/v1/messages", headers, request.to_string()).await?;
    ensure!(answer.status == StatusCode::OK, "the gateway answered {}", answer.status);
    let reply: Value = serde_json::from_slice(&answer.body).context("the answer")?;
    ensure!(reply["content"][0]["text"] == ANSWER, "what the model said came back changed");
    embedded.end().await;
    let received = provider.take_requests().pop().context("nothing reached the provider")?;
    let counter = Counter::default();
    let [before, after] = [&request, &received].map(|body| counter.count(result(body)));
    ensure!(after > 0 && after <= before, "a result of {before} tokens became one of {after}");
    let (before, after) = (group_digits(before), group_digits(after));
    Ok(format!("a tool result of {before} tokens became {after} ({mode})"))
}

/// The user's settings, with a provider, an address and a store of our own; no keys, tool servers, ledger or telemetry.
fn own(settings: &Settings, provider: &ScriptedProvider) -> anyhow::Result<Settings> {
    let mut settings = settings.clone();
    settings.listen = local();
    settings.keys.clear();
    settings.admin_token = None;
    settings.upstreams.backend = Some(provider.url().parse().context("the provider's address")?);
    settings.mcp = Mcp::default();
    settings.ledger.enabled = false;
    settings.monitoring.compression_log = None;
    settings.monitoring.otlp_endpoint = None;
    Ok(settings)
}

fn request() -> Value {
    let rows: Vec<_> = (1..=40)
        .map(|n| json!({"id": n, "name": format!("service-{n:02}"), "state": "running", "port": 8000 + n}))
        .collect();
    let output = serde_json::to_string_pretty(&rows).unwrap_or_default();
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        "tools": [{"name": "list", "description": "Lists services.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "How many services are there?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "list", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": output}]},
        ],
    })
}

fn result(request: &Value) -> &str {
    request["messages"][2]["content"][0]["content"].as_str().unwrap_or_default()
}

fn local() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}
