//! Events as they happen, as a stream of server-sent events (SSE) that a browser reads.

use crate::gateway::Gateway;
use bytes::Bytes;
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_proxy::body::Body;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// `?recent` begins with the latest new results.
pub(super) fn stream(gateway: &Arc<Gateway>, query: Option<&str>) -> Response<Body> {
    let mut events = gateway.telemetry.watch();
    let (client, body) = mpsc::channel(64);
    if query == Some("recent") {
        let recent: String = gateway.telemetry.recent().iter().map(sse_event).collect();
        // There is room for one.
        let _ = client.try_send(Ok(Bytes::from(recent + ": now\n\n")));
    }
    tokio::spawn(async move {
        loop {
            let line = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => sse_event(&event),
                    Err(RecvError::Lagged(missed)) => format!(": {missed} events missed\n\n"),
                    Err(RecvError::Closed) => return,
                },
                () = tokio::time::sleep(ALIVE) => ": alive\n\n".to_owned(),
                () = client.closed() => return,
            };
            if client.send(Ok(Bytes::from(line))).await.is_err() {
                return;
            }
        }
    });
    let mut answer = Response::new(Body::Channel(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn sse_event(event: &impl Display) -> String {
    format!("data: {event}\n\n")
}
