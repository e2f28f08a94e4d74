//! Tool servers, for the operator.
//!
//! | request | does |
//! |---|---|
//! | `GET /_forge/api/mcp` | lists the servers |
//! | `GET /_forge/api/mcp/stats` | calls, times and savings by tool |
//! | `POST /_forge/api/mcp/reload` | reads the file again, to which `tokenforge mcp add` adds servers |
//! | `GET`, `PATCH`, `DELETE /_forge/api/mcp/PREFIX` | shows, changes, removes one |
//! | `GET /_forge/api/mcp/PREFIX/tools` | its tools, with their schemas |
//! | `POST /_forge/api/mcp/PREFIX/enable`, `…/disable`, `…/refresh` | what they say |
//!
//! Changes are kept in a file. Keys are never shown. No request names a program, a host, a header or a key: a server runs
//! as the gateway's user, so who adds one must be able to write the file.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::paths::MCP_ADMIN;
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::McpBackend;
use tokenforge_mcp::{Failure, NotSaved};
use tokenforge_plugin::Exchange;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;
use tokenforge_redact::Scanner;

/// The longest definition that is read.
const LONGEST: usize = 64 << 10;

pub(in crate::endpoints) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Response<Body> {
    let head = exchange.request();
    let path = head.uri.path().strip_prefix(MCP_ADMIN).unwrap_or_default().trim_matches('/');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let done = match (&head.method, &parts[..]) {
        (&Method::GET, []) => Ok(json!({ "backends": without_secrets(gateway.mcp.list().into()) })),
        (&Method::POST, []) => Err(only_by_file("tool servers are not added over HTTP")),
        (&Method::POST, ["reload"]) => reload(gateway).await,
        (&Method::GET, ["stats"]) => Ok(gateway.mcp.stats().document()),
        (&Method::GET, [prefix]) => {
            gateway.mcp.show(prefix).map(without_secrets).ok_or_else(|| unknown(prefix))
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

/// What may be changed of a server. What is not here names, or might name, what runs or who is asked.
const CHANGEABLE: [&str; 4] = ["enabled", "timeout", "max_concurrent", "structured"];

async fn change(gateway: &Arc<Gateway>, prefix: &str, body: Incoming) -> Result<Value, Problem> {
    let document = document(gateway, body).await?;
    let mut keys = document.as_object().into_iter().flat_map(|members| members.keys());
    if let Some(key) = keys.find(|key| !CHANGEABLE.contains(&key.as_str())) {
        let key: String = key.chars().take(64).collect();
        return Err(only_by_file(&format!("`{key}` of a tool server is not changed over HTTP")));
    }
    patch(gateway, prefix, &document).await
}

async fn patch(gateway: &Arc<Gateway>, prefix: &str, change: &Value) -> Result<Value, Problem> {
    let old = gateway.mcp.definition(prefix).ok_or_else(|| unknown(prefix))?;
    let new =
        old.patched(prefix, change).map_err(|error| Problem::bad_request(error.to_string()))?;
    put(gateway, prefix, Some(new)).await?;
    gateway.mcp.show(prefix).map(without_secrets).ok_or_else(|| unknown(prefix))
}

async fn reload(gateway: &Arc<Gateway>) -> Result<Value, Problem> {
    let hub = gateway.mcp.clone();
    let read = run_blocking(move || hub.reload()).await.ok_or_else(change_failed)?;
    read.map_err(|error| {
        let message = format!("the file of tool servers cannot be read: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    })?;
    Ok(json!({ "backends": without_secrets(gateway.mcp.list().into()) }))
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
    let saved = run_blocking(move || hub.put(&prefix, backend)).await.ok_or_else(change_failed)?;
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
    let body = crate::endpoints::read_body(gateway, body, LONGEST).await?;
    let document = serde_json::from_slice(&body);
    document.map_err(|error| Problem::bad_request(format!("the body is not JSON: {error}")))
}

/// Without keys that stand where none should: in the arguments of a program.
fn without_secrets(document: Value) -> Value {
    let text = document.to_string();
    match Scanner::builtin().redact(&text) {
        Some(redacted) => serde_json::from_str(&redacted.text).unwrap_or_default(),
        None => document,
    }
}

fn only_by_file(what: &str) -> Problem {
    let message = format!(
        "{what}, because a client that reaches this port must not run programs: use `tokenforge mcp add`"
    );
    Problem::new(StatusCode::FORBIDDEN, message)
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

fn change_failed() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the change could not be made")
}
