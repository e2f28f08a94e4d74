//! Tool servers, for the operator.
//!
//! | request | does |
//! |---|---|
//! | `GET /_forge/api/mcp` | lists the servers |
//! | `POST /_forge/api/mcp` | adds one: `{"prefix": …}` and what it has in the settings |
//! | `GET /_forge/api/mcp/stats` | calls, times and savings by tool |
//! | `GET`, `PATCH`, `DELETE /_forge/api/mcp/PREFIX` | shows, changes, removes one |
//! | `GET /_forge/api/mcp/PREFIX/tools` | its tools, with their schemas |
//! | `POST /_forge/api/mcp/PREFIX/enable`, `…/disable`, `…/refresh` | what they say |
//!
//! Changes are kept in a file. Keys are never shown.

use crate::answer::{self, Problem};
use crate::blocking::blocking;
use crate::gateway::Gateway;
use crate::http::body::Body;
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::McpBackend;
use tokenforge_mcp::{Failure, NotSaved};
use tokenforge_plugin::Exchange;
use tokenforge_secrets::Scanner;

const PATH: &str = "/_forge/api/mcp";

/// The longest definition that is read.
const LONGEST: usize = 64 << 10;

pub(in crate::own) fn is_ours(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(in crate::own) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Response<Body> {
    let head = exchange.request();
    let path = head.uri.path().strip_prefix(PATH).unwrap_or_default().trim_matches('/');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let done = match (&head.method, &parts[..]) {
        (&Method::GET, []) => Ok(json!({ "backends": shown(gateway.mcp.list().into()) })),
        (&Method::POST, []) => {
            return add(gateway, body).await.unwrap_or_else(|problem| problem.answer(None));
        }
        (&Method::GET, ["stats"]) => Ok(gateway.mcp.stats().document()),
        (&Method::GET, [prefix]) => {
            gateway.mcp.show(prefix).map(shown).ok_or_else(|| unknown(prefix))
        }
        (&Method::PATCH, [prefix]) => change(gateway, prefix, body).await,
        (&Method::DELETE, [prefix]) => remove(gateway, prefix).await,
        (&Method::GET, [prefix, "tools"]) => tools(prefix, gateway.mcp.tools(prefix).await),
        (&Method::POST, [prefix, "refresh"]) => tools(prefix, gateway.mcp.refresh(prefix).await),
        (&Method::POST, [prefix, "enable"]) => {
            patch(gateway, prefix, &json!({"enabled": true})).await
        }
        (&Method::POST, [prefix, "disable"]) => {
            patch(gateway, prefix, &json!({"enabled": false})).await
        }
        (method, _) => Err(Problem::new(
            StatusCode::NOT_FOUND,
            format!("there is no {method} {}", head.uri.path()),
        )),
    };
    match done {
        Ok(document) => answer::json(StatusCode::OK, &document),
        Err(problem) => problem.answer(None),
    }
}

async fn add(gateway: &Arc<Gateway>, body: Incoming) -> Result<Response<Body>, Problem> {
    let mut document = document(gateway, body).await?;
    let prefix = document.get("prefix").and_then(Value::as_str).map(str::to_owned);
    let prefix = prefix.ok_or_else(|| Problem::bad_request("expected a text as `prefix`"))?;
    if let Some(members) = document.as_object_mut() {
        members.remove("prefix");
    }
    let backend = McpBackend::from_json(&prefix, &document)
        .map_err(|error| Problem::bad_request(error.to_string()))?;
    if prefix == "stats" {
        return Err(Problem::bad_request(
            "`stats` is a path of its own here; choose another prefix",
        ));
    }
    let (hub, name) = (gateway.mcp.clone(), prefix.clone());
    let added = blocking(move || hub.add(&name, backend)).await.ok_or_else(stuck)?;
    match added {
        Ok(saved) => saved.map_err(|error| not_saved(&error))?,
        Err(taken) => return Err(Problem::new(StatusCode::CONFLICT, taken.to_string())),
    }
    let document = gateway.mcp.show(&prefix).map(shown).unwrap_or_default();
    Ok(answer::json(StatusCode::CREATED, &document))
}

async fn change(gateway: &Arc<Gateway>, prefix: &str, body: Incoming) -> Result<Value, Problem> {
    let document = document(gateway, body).await?;
    patch(gateway, prefix, &document).await
}

async fn patch(gateway: &Arc<Gateway>, prefix: &str, change: &Value) -> Result<Value, Problem> {
    let old = gateway.mcp.definition(prefix).ok_or_else(|| unknown(prefix))?;
    let new =
        old.patched(prefix, change).map_err(|error| Problem::bad_request(error.to_string()))?;
    put(gateway, prefix, Some(new)).await?;
    gateway.mcp.show(prefix).map(shown).ok_or_else(|| unknown(prefix))
}

async fn remove(gateway: &Arc<Gateway>, prefix: &str) -> Result<Value, Problem> {
    gateway.mcp.definition(prefix).ok_or_else(|| unknown(prefix))?;
    put(gateway, prefix, None).await?;
    Ok(json!({ "removed": prefix }))
}

async fn put(
    gateway: &Arc<Gateway>,
    prefix: &str,
    backend: Option<McpBackend>,
) -> Result<(), Problem> {
    let (hub, prefix) = (gateway.mcp.clone(), prefix.to_owned());
    let saved = blocking(move || hub.put(&prefix, backend)).await.ok_or_else(stuck)?;
    saved.map_err(|error| not_saved(&error))
}

fn tools(prefix: &str, tools: Option<Result<Vec<Value>, Failure>>) -> Result<Value, Problem> {
    match tools {
        None => Err(unknown(prefix)),
        Some(Ok(tools)) => Ok(json!({ "prefix": prefix, "tools": tools })),
        Some(Err(failure)) => {
            let message = format!("tool server `{prefix}`: {failure}");
            Err(Problem::new(StatusCode::BAD_GATEWAY, message))
        }
    }
}

async fn document(gateway: &Gateway, body: Incoming) -> Result<Value, Problem> {
    let body = crate::own::whole(gateway, body, LONGEST).await?;
    let document = serde_json::from_slice(&body);
    document.map_err(|error| Problem::bad_request(format!("the body is not JSON: {error}")))
}

/// Without keys that stand where none should: in the arguments of a program.
fn shown(document: Value) -> Value {
    let text = document.to_string();
    match Scanner::builtin().redact(&text) {
        Some(redacted) => serde_json::from_str(&redacted.text).unwrap_or_default(),
        None => document,
    }
}

fn unknown(prefix: &str) -> Problem {
    let prefix: String = prefix.chars().take(64).collect();
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("there is no tool server with the prefix `{prefix}`"),
    )
}

fn not_saved(error: &NotSaved) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

fn stuck() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the change could not be made")
}
