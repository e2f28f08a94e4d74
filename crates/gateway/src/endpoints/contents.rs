//! Texts of tool results, for an operator who allowed them to be kept.

use super::steps;
use crate::answer::{self, Problem};
use crate::contents::ResultContent;
use crate::gateway::Gateway;
use crate::paths::CONTENTS;
use http::{Response, StatusCode};
use serde_json::{Value, json};
use tokenforge_proxy::body::Body;

/// How much is kept; or, with an id in the path, one text.
pub(super) fn answer(gateway: &Gateway, path: &str) -> Response<Body> {
    let id = path.strip_prefix(CONTENTS).unwrap_or_default().trim_matches('/');
    let contents = &gateway.operator.contents;
    if id.is_empty() {
        let (results, bytes) = contents.size();
        let document =
            json!({"allowed_bytes": contents.bound(), "bytes": bytes, "results": results});
        return answer::json(StatusCode::OK, &document);
    }
    match contents.find(id) {
        Some(content) => answer::json(StatusCode::OK, &document(&content)),
        None => {
            let message = if contents.are_allowed() {
                "this text is not kept, or no longer"
            } else {
                "texts of tool results are not kept; monitoring.content_bytes says how many may be"
            };
            Problem::new(StatusCode::NOT_FOUND, message).answer(None)
        }
    }
}

fn document(content: &ResultContent) -> Value {
    json!({
        "id": content.id,
        "tool": content.tool,
        "verdict": content.verdict.name(),
        "original": content.original,
        "forwarded": content.forwarded,
        "redacted": content.redacted,
        "steps": content.steps.iter().map(steps::step_document).collect::<Vec<_>>(),
    })
}
