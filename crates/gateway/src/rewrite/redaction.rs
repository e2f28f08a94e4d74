//! Secret redaction of a whole request body, fail closed: what cannot be checked is a problem.

use crate::answer::Problem;
use crate::workers::{QUEUE_PATIENCE, WorkFailure, WorkPatience, WorkerPool};
use bytes::Bytes;
use http::StatusCode;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_providers::{
    Dialect, Refusal, Request, RequestPurpose, ResultShape, batched_requests,
};
use tokenforge_redact::{BodyShape, Unscannable, redact_body};

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 16 << 10;

/// How long the longest body may take to be checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);

/// The dialect of a body, and what it asks for.
pub(crate) type BodyKind = (Dialect, RequestPurpose);

/// A body without its secrets; nothing if it has none. In no dialect that we know, every string of it counts.
///
/// # Errors
/// It cannot be checked, or holds a secret that cannot be taken out.
pub(crate) async fn redact_request(
    workers: &WorkerPool,
    tenant: &Arc<str>,
    body: Bytes,
    kind: Option<BodyKind>,
) -> Result<Option<Bytes>, Problem> {
    if body.is_empty() {
        return Ok(None);
    }
    let redacted = match body.len() <= SHORT {
        true => Ok(redact(&body, kind)),
        false => {
            let patience = WorkPatience { queue: QUEUE_PATIENCE, work: CHECK_PATIENCE };
            workers.run(tenant, patience, move || redact(&body, kind)).await
        }
    };
    let redacted = redacted.map_err(|undone| match undone {
        WorkFailure::Busy => Problem::busy(),
        WorkFailure::Failed => unchecked_problem("the check took too long, or failed itself"),
    })?;
    Ok(redacted.map_err(|error| unchecked_problem(&error.to_string()))?.map(Bytes::from))
}

/// A request in which nobody can look for secrets, and why.
pub(crate) fn unchecked_problem(why: &str) -> Problem {
    let message = format!("the request could not be checked for secrets, and was not sent: {why}");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

/// A body without its secrets; nothing if it has none. Results of tools too, whatever the engine would do about them: it is not asked in every mode, nor about a signed body.
pub(crate) fn redact(body: &[u8], kind: Option<BodyKind>) -> Result<Option<Vec<u8>>, Unscannable> {
    let Some((dialect, purpose)) = kind else { return redact_body(body, BodyShape::Unknown, &[]) };
    let results = match purpose {
        RequestPurpose::Batch => batch_results(body, dialect),
        _ => result_texts(body, dialect),
    };
    let results = results.map_err(|_| Unscannable::NotJson)?;
    redact_body(body, BodyShape::ModelRequest, &results)
}

/// Where the texts of tool results stand in a request.
fn result_texts(body: &[u8], dialect: Dialect) -> Result<Vec<Range<usize>>, Refusal> {
    let request = Request::read(body, dialect)?;
    let results = request.results.iter().filter(|result| result.shape == ResultShape::Text);
    Ok(results.map(|result| result.span.clone()).collect())
}

/// The same in all requests of a batch.
fn batch_results(batch: &[u8], dialect: Dialect) -> Result<Vec<Range<usize>>, Refusal> {
    let mut all = Vec::new();
    for request in batched_requests(batch, dialect)? {
        let start = request.body.start;
        let body = batch.get(request.body).unwrap_or_default();
        let texts = result_texts(body, dialect)?;
        all.extend(texts.into_iter().map(|text| text.start + start..text.end + start));
    }
    Ok(all)
}
