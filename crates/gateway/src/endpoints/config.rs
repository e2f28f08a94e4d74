//! Changing settings while the gateway runs. What may change is said by the table of settings, which is the SSRF guard
//! here: nothing that names a host, a key or a safety switch.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use http::{Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::overview;
use tokenforge_proxy::body::Body;

/// The longest change that is read.
const LONGEST: usize = 64 << 10;

/// Changes what is safe to change; a change that is wrong anywhere changes nothing.
pub(super) async fn patch(gateway: &Arc<Gateway>, body: Incoming) -> Response<Body> {
    let body = match super::read_body(gateway, body, LONGEST).await {
        Ok(body) => body,
        Err(problem) => return problem.answer(None),
    };
    match apply_patch(gateway, &body) {
        Ok(document) => answer::json(StatusCode::OK, &document),
        Err(message) => Problem::bad_request(message).answer(None),
    }
}

fn apply_patch(gateway: &Gateway, body: &[u8]) -> Result<Value, String> {
    let patch: Value =
        serde_json::from_slice(body).map_err(|error| format!("the change is not JSON: {error}"))?;
    let settings = gateway.settings().patched(&patch).map_err(|error| error.to_string())?;
    let document = settings.to_json();
    gateway.reconfigure(settings).map_err(|error| error.to_string())?;
    let mut origins = gateway.origins();
    origins.change(&patch);
    gateway.set_origins(origins);
    Ok(document)
}

/// Every setting: its value, where that is from, and what it may be.
pub(super) fn all_settings(gateway: &Gateway) -> Response<Body> {
    let settings = overview(&gateway.settings(), &gateway.origins());
    answer::json(StatusCode::OK, &json!({ "settings": settings }))
}
