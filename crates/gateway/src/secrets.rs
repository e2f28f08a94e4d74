//! Secret redaction of a whole request body, on threads for work, fail closed: what cannot be checked is a problem.

use crate::answer::{Problem, unchecked_problem};
use crate::workers::{QUEUE_PATIENCE, Undone, WorkFailure, WorkPatience, WorkerPool};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_conversation::{BodyKind, redact};

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 16 << 10;

/// How long the longest body may take to be checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);

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
    let redacted = if body.len() <= SHORT {
        redact(&body, kind).map_err(Undone::Refused)
    } else {
        let patience = WorkPatience { queue: QUEUE_PATIENCE, work: CHECK_PATIENCE };
        workers.try_run(tenant, patience, move || redact(&body, kind)).await
    };
    let redacted = redacted.map_err(|undone| match undone {
        Undone::NotDone(WorkFailure::Busy) => Problem::busy(),
        Undone::NotDone(WorkFailure::Failed) => {
            unchecked_problem("the check took too long, or failed itself")
        }
        Undone::Refused(error) => unchecked_problem(&error.to_string()),
    })?;
    Ok(redacted.map(Bytes::from))
}
