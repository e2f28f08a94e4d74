//! `/mcp` and `/mcp/PREFIX`: tools of all servers, or of one.

pub(super) mod admin;
mod plugins;

use crate::answer::Problem;
use crate::gateway::Gateway;
use crate::http::body::Body;
use bytes::Bytes;
use http::{Method, Response};
use hyper::body::Incoming;
use std::sync::Arc;
use tokenforge_mcp::{EndpointRequest, LONGEST_MESSAGE};
use tokenforge_plugin::Exchange;

const ALL: &str = "/mcp";
const ONE: &str = "/mcp/";

pub(crate) fn is_ours(path: &str) -> bool {
    path == ALL || path.starts_with(ONE)
}

pub(super) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Result<Response<Body>, Problem> {
    let head = exchange.request();
    let body = match head.method {
        Method::POST => super::whole(gateway, body, LONGEST_MESSAGE).await?,
        _ => Bytes::new(),
    };
    let state = gateway.state();
    let prefix = head.uri.path().strip_prefix(ONE).map(|prefix| prefix.trim_end_matches('/'));
    let ask = EndpointRequest {
        method: head.method.clone(),
        prefix: prefix.filter(|prefix| !prefix.is_empty()).map(str::to_owned),
        headers: head.headers.clone(),
        tenant: exchange.tenant.clone().unwrap_or_default(),
        hooks: plugins::of(&state, exchange),
        body,
    };
    let answer = gateway.mcp.answer(ask).await;
    Ok(answer.map(|body| match body {
        tokenforge_mcp::Body::Whole(bytes) => bytes.into(),
        tokenforge_mcp::Body::Stream(pieces) => Body::Made(pieces),
    }))
}
