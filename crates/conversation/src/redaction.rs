//! Secret redaction of a whole request body, fail closed: what cannot be checked is a problem.

use std::ops::Range;
use tokenforge_providers::{
    Dialect, Refusal, Request, RequestPurpose, ResultShape, batched_requests,
};
use tokenforge_redact::{BodyShape, Unscannable, redact_body};

/// The dialect of a body, and what it asks for.
pub type BodyKind = (Dialect, RequestPurpose);

/// A body without its secrets; nothing if it has none. Results of tools too, whatever the engine would do about them: it is
/// not asked in every mode, nor about a signed body. In no dialect that we know, every string of it counts.
///
/// # Errors
/// It cannot be checked, or holds a secret that cannot be taken out.
pub fn redact(body: &[u8], kind: Option<BodyKind>) -> Result<Option<Vec<u8>>, Unscannable> {
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
