//! Texts of people and systems: secrets removed where the operator asked for it, JSON in prompt context as TOON.

use super::Job;
use crate::answer::Problem;
use crate::report::Report;
use bytes::Bytes;
use http::StatusCode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenforge_compress::Settings;
use tokenforge_compress::prompt::{self, Outcome};
use tokenforge_dialects::{Purpose, Refusal, Request, Role, Splice, Texts};
use tokenforge_secrets::Scanner;

/// Are these texts looked at?
pub(super) fn are_wanted(job: &Job<'_>) -> bool {
    job.state.settings.redact_secrets || converts(job)
}

/// Reads the body, with these texts only where they are looked at.
pub(super) fn read<'b>(job: &Job<'_>, body: &'b Bytes) -> Result<Request<'b>, Refusal> {
    let texts = if are_wanted(job) { Texts::Wanted } else { Texts::Unwanted };
    Request::read_with(body, job.dialect, texts)
}

/// What stands in the place of these texts.
///
/// # Errors
/// Secrets cannot be looked for, or a JSON text cannot be converted and must not go on as it is.
pub(super) fn rewrite(
    job: &Job<'_>,
    request: &Request<'_>,
    body: &Bytes,
    settings: &Settings,
    report: &mut Report,
) -> Result<Vec<Splice<'static>>, Problem> {
    let mut splices = Vec::new();
    for message in &request.texts {
        let Some(text) = message.text(body) else { continue };
        let redacted = if job.state.settings.redact_secrets { redacted(&text)? } else { None };
        let text = redacted.as_deref().unwrap_or(&text);
        let converted = match message.role {
            Role::User if converts(job) => converted(job, text, settings)?,
            _ => None,
        };
        if redacted.is_some() {
            report.changes.push("input_redacted");
        }
        if converted.is_some() {
            report.changes.push("prompt_converted");
        }
        if let Some(text) = converted.or(redacted) {
            splices.push(message.replaced_by(&text));
        }
    }
    Ok(splices)
}

/// User text is never converted for a count: the client counts what it will show, not what we will send.
fn converts(job: &Job<'_>) -> bool {
    job.state.settings.toon.enabled && job.purpose == Purpose::Generate
}

/// The text without its secrets. Whoever asked for that wants no request to go out unchecked.
fn redacted(text: &str) -> Result<Option<String>, Problem> {
    let scan = || Scanner::builtin().redact(text).map(|redacted| redacted.text);
    catch_unwind(AssertUnwindSafe(scan)).map_err(|_| {
        let message = "the request could not be checked for secrets, and was not sent";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
    })
}

fn converted(job: &Job<'_>, text: &str, settings: &Settings) -> Result<Option<String>, Problem> {
    let toon = &job.state.settings.toon;
    let outcome = prompt::convert(text, toon, settings.counter)
        .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    job.gateway.telemetry.prompt(&outcome, toon.log_stats);
    Ok(match outcome {
        Outcome::Converted { text, .. } => Some(text),
        Outcome::Kept(_) => None,
    })
}
