//! What was gained, from the ledger: the document that `tokenforge gain --json` prints.

use crate::answer::{self, Problem};
use crate::blocking::blocking;
use crate::gateway::Gateway;
use crate::http::body::Body;
use crate::telemetry::GainQuery;
use http::{Response, StatusCode};
use std::sync::Arc;
use tokenforge_plugin::Exchange;

/// `?by=tool|client|project|day|stage`, and `days=N` for the last so many of them; `project=NAME` and `since=SECONDS` (of
/// 1970) for what one project did from then on.
pub(super) async fn answer(gateway: &Arc<Gateway>, exchange: &Exchange) -> Response<Body> {
    let query = exchange.request().uri.query().unwrap_or_default();
    match gain(gateway, query).await {
        Ok(answer) => answer,
        Err(problem) => problem.answer(None),
    }
}

async fn gain(gateway: &Arc<Gateway>, query: &str) -> Result<Response<Body>, Problem> {
    let asked = read(query)?;
    let gateway = gateway.clone();
    let summing = blocking(move || gateway.telemetry.gain(&asked));
    let slow = || Problem::new(StatusCode::GATEWAY_TIMEOUT, "the ledger cannot be read in time");
    let gain = summing.await.ok_or_else(slow)?.ok_or_else(|| {
        let message = "there is no ledger; see `ledger` in the settings";
        Problem::new(StatusCode::NOT_FOUND, message)
    })?;
    let gain = gain.map_err(|error| {
        let message = format!("the ledger cannot be read: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    })?;
    let document = serde_json::to_value(gain).unwrap_or_default();
    Ok(answer::json(StatusCode::OK, &document))
}

fn read(query: &str) -> Result<GainQuery, Problem> {
    let mut asked = GainQuery::default();
    let whole = |name: &str, value: &str| {
        let read = value.parse().ok().filter(|number: &u64| *number > 0);
        let wrong = || Problem::bad_request(format!("{name}: expected a whole number from 1 on"));
        read.ok_or_else(wrong)
    };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "by" => {
                let read = value.parse();
                asked.by = read.map_err(|error| Problem::bad_request(format!("by: {error}")))?;
            }
            "days" => asked.days = Some(whole("days", &value)?),
            "since" => asked.since = Some(whole("since", &value)?),
            "project" => asked.project = Some(value.into_owned()),
            _ => return Err(Problem::bad_request("expected by, days, project or since")),
        }
    }
    Ok(asked)
}
