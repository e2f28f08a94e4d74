//! Message Batches: many questions in one body, answered later.

use super::{QUESTION, unaltered};
use crate::answer::Turn;
use crate::refusal::Says::Assumed;
use crate::refusal::{
    self, Asked, Broken, ProviderRefusal, Rule, broken, items, text, twice, unknown_member,
};
use serde_json::{Value, json};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a batch has requests", says: Assumed, check: some_request },
    Rule { name: "no unknown members in a batch", says: Assumed, check: known },
    Rule { name: "ids of requests are well formed", says: Assumed, check: ids },
    Rule { name: "ids of requests are unique", says: Assumed, check: unique },
    Rule { name: "no stream in a batch", says: Assumed, check: whole },
];

/// Refuses a batch if one of its requests would be refused. Anthropic says so later, in the results: who tests wants to
/// hear it at once.
pub(super) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(&[RULES], asked)?;
    for (number, request) in items(&asked.body["requests"]).iter().enumerate() {
        let asked = Asked { body: &request["params"], ..*asked };
        let question = refusal::check(QUESTION, &asked).and_then(|()| unaltered::check(&asked));
        question.map_err(|refused| {
            let message = format!("requests.{number}.params.{}", refused.broken.message);
            ProviderRefusal { broken: Broken { message, ..refused.broken }, ..refused }
        })?;
    }
    Ok(())
}

/// The batch as it is told of at first.
pub(crate) fn batch(turn: &Turn<'_>) -> Value {
    let processing = items(&turn.body["requests"]).len();
    json!({
        "id": format!("msgbatch_mk{:016x}", turn.serial),
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": {
            "processing": processing, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0,
        },
        "created_at": "2026-11-19T00:00:00Z",
        "expires_at": "2026-11-20T00:00:00Z",
        "ended_at": null,
        "archived_at": null,
        "cancel_initiated_at": null,
        "results_url": null,
    })
}

fn requests<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(&asked.body["requests"])
}

fn some_request(asked: &Asked<'_>) -> Result<(), Broken> {
    if requests(asked).is_empty() {
        broken("requests: at least one request is required")
    } else {
        Ok(())
    }
}

fn known(asked: &Asked<'_>) -> Result<(), Broken> {
    let of_request = |request| unknown_member(request, &["custom_id", "params"]);
    let unknown = unknown_member(asked.body, &["requests"]);
    match unknown.or_else(|| requests(asked).iter().find_map(of_request)) {
        Some(name) => broken(format!("{name}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

fn ids(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_good = |id: &str| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    match requests(asked).iter().find(|request| !is_good(text(&request["custom_id"]))) {
        Some(request) => broken(format!("custom_id: {} is not well formed", request["custom_id"])),
        None => Ok(()),
    }
}

fn unique(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(requests(asked).iter().map(|request| text(&request["custom_id"]))) {
        Some(id) => broken(format!("custom_id: '{id}' must be unique")),
        None => Ok(()),
    }
}

fn whole(asked: &Asked<'_>) -> Result<(), Broken> {
    if requests(asked).iter().any(|request| request["params"]["stream"] == true) {
        broken("params.stream: a batch does not stream")
    } else {
        Ok(())
    }
}

#[cfg(test)]
pub(super) const EXAMPLES: &[(&str, &str, &str)] = &[
    ("a batch has requests", r#"R[{"custom_id":"a","params":{}}]"#, "R[]"),
    (
        "no unknown members in a batch",
        r#"R[{"custom_id":"a","params":{"x":1}}]"#,
        r#"R[{"custom_id":"a","params":{},"_forge":{}}]"#,
    ),
    (
        "ids of requests are well formed",
        r#"R[{"custom_id":"a-B_9","params":{}}]"#,
        r#"R[{"custom_id":"a b","params":{}}]"#,
    ),
    (
        "ids of requests are unique",
        r#"R[{"custom_id":"a","params":{}},{"custom_id":"b","params":{}}]"#,
        r#"R[{"custom_id":"a","params":{}},{"custom_id":"a","params":{}}]"#,
    ),
    (
        "no stream in a batch",
        r#"R[{"custom_id":"a","params":{"stream":false}}]"#,
        r#"R[{"custom_id":"a","params":{"stream":true}}]"#,
    ),
];
