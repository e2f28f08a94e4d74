//! A tool server over Streamable HTTP, with one tool that answers at once.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The header that names a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// The version of the protocol that is spoken.
pub(crate) const VERSION: &str = "2025-11-25";

/// How many bytes the tool's answer has, about.
pub(crate) const ANSWER: usize = 4_000;

/// Answers a message.
pub(crate) async fn answer(request: Request<Incoming>) -> anyhow::Result<Response<Full<Bytes>>> {
    let body = request.into_body().collect().await?.to_bytes();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(id) = message.get("id") else {
        return Ok(Response::builder().status(StatusCode::ACCEPTED).body(Full::default())?);
    };
    let mut reply = Response::builder().header("content-type", "application/json");
    let result = match message["method"].as_str() {
        Some("initialize") => {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            reply = reply.header(SESSION, NEXT.fetch_add(1, Ordering::Relaxed).to_string());
            json!({ "protocolVersion": VERSION, "capabilities": { "tools": {} },
                    "serverInfo": { "name": "bench", "version": "1" } })
        }
        Some("tools/list") => json!({ "tools": [
            { "name": "query", "description": "Rows.", "inputSchema": { "type": "object" } }
        ] }),
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": *ROWS }] }),
        Some("ping") => json!({}),
        _ => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            let text = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
            return Ok(reply.body(text.into())?);
        }
    };
    let text = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    Ok(reply.body(text.into())?)
}

static ROWS: LazyLock<String> = LazyLock::new(|| {
    let mut rows = String::from("[");
    for n in 0.. {
        let _ = write!(
            rows,
            r#"{{"id":{n},"name":"parcel {n}","status":"waiting","weight":{}}}"#,
            n * 7
        );
        if rows.len() >= ANSWER {
            break;
        }
        rows.push(',');
    }
    rows + "]"
});
