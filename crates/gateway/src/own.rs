//! The gateway's own endpoints.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::http::body::Body;
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;
use tokenforge_plugin::Exchange;

/// Is this path ours, and open to everybody who can reach the gateway?
pub(crate) fn is_public(path: &str) -> bool {
    matches!(path, "/_forge/healthz" | "/_forge/readyz")
}

/// Is this path ours?
pub(crate) fn is_ours(path: &str) -> bool {
    path.starts_with("/_forge/")
}

/// Answers a request for one of our own endpoints.
pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &mut Exchange,
    _body: Incoming,
) -> Response<Body> {
    let head = exchange.request();
    match (&head.method, head.uri.path()) {
        (&Method::GET | &Method::HEAD, "/_forge/healthz") => answer::empty(StatusCode::OK),
        (&Method::GET | &Method::HEAD, "/_forge/readyz") => {
            let is_ready = !gateway.is_draining();
            answer::empty(if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE })
        }
        _ => Problem::new(StatusCode::NOT_FOUND, "no such endpoint").answer(None),
    }
}
