//! Changing settings while the gateway runs.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::http::body::Body;
use http::{Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;

/// The longest change that is read.
const LONGEST: usize = 64 << 10;

/// Changes what is safe to change; a change that is wrong anywhere changes nothing.
pub(super) async fn patch(gateway: &Arc<Gateway>, body: Incoming) -> Response<Body> {
    let body = match super::whole(gateway, body, LONGEST).await {
        Ok(body) => body,
        Err(problem) => return problem.answer(None),
    };
    let changed = serde_json::from_slice(&body)
        .map_err(|error| format!("the change is not JSON: {error}"))
        .and_then(|patch| gateway.settings().patched(&patch).map_err(|error| error.to_string()));
    let changed = changed.and_then(|settings| {
        let document = settings.to_json();
        gateway.reconfigure(settings).map_err(|error| error.to_string())?;
        Ok(document)
    });
    match changed {
        Ok(document) => answer::json(StatusCode::OK, &document),
        Err(message) => Problem::bad_request(message).answer(None),
    }
}
