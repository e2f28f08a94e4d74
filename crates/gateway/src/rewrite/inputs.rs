//! Texts of people and systems: secrets removed where the operator asked for it, JSON in prompt context as TOON.

use super::{Order, Scope};
use crate::answer::Problem;
use crate::report::Report;
use http::StatusCode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenforge_compress::prompt::{self, Outcome};
use tokenforge_dialects::{Known, Purpose, Refusal, Request, Role, Splice, Texts};
use tokenforge_secrets::Scanner;

/// Are these texts looked at?
pub(super) fn are_wanted(order: &Order) -> bool {
    order.state.settings.redact_secrets || converts(order)
}

/// Reads the body, with these texts only where they are looked at.
pub(super) fn read<'o>(order: &'o Order, known: &'o dyn Known) -> Result<Request<'o>, Refusal> {
    let texts = if are_wanted(order) { Texts::Wanted } else { Texts::Unwanted };
    Request::read_again(&order.body, order.dialect, texts, known)
}

/// What stands in the place of these texts.
///
/// # Errors
/// Secrets cannot be looked for, or a JSON text cannot be converted and must not go on as it is.
pub(super) fn rewrite(
    order: &Order,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Result<Vec<Splice<'static>>, Problem> {
    let mut splices = Vec::new();
    let is_redacted = order.state.settings.redact_secrets;
    for message in &scope.request.texts {
        let text = match message.text(&order.body) {
            Some(text) => text,
            None if is_redacted => return Err(unchecked()),
            None => continue,
        };
        let redacted = if is_redacted { redacted(&text)? } else { None };
        let text = redacted.as_deref().unwrap_or(&text);
        let converted = match message.role {
            Role::User if converts(order) => converted(order, scope, text)?,
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
    if is_redacted {
        splices.extend(redacted_results(order, scope, report)?);
    }
    Ok(splices)
}

/// Results without their secrets, where no stage takes them out.
fn redacted_results(
    order: &Order,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Result<Vec<Splice<'static>>, Problem> {
    let mut splices = Vec::new();
    for result in &scope.request.results {
        let text = result.text(&order.body).ok_or_else(unchecked)?;
        let redacted = redacted(&text)?.filter(|_| !scope.is_compressed());
        if let Some(text) = redacted {
            report.changes.push("input_redacted");
            splices.push(result.replaced_by(&text));
        }
    }
    Ok(splices)
}

/// User text is never converted for a count: the client counts what it will show, not what we will send.
fn converts(order: &Order) -> bool {
    order.state.settings.toon.enabled && order.purpose == Purpose::Generate
}

/// The text without its secrets. Whoever asked for that wants no request to go out unchecked.
fn redacted(text: &str) -> Result<Option<String>, Problem> {
    let scan = || Scanner::builtin().redact(text).map(|redacted| redacted.text);
    catch_unwind(AssertUnwindSafe(scan)).map_err(|_| unchecked())
}

/// A request in which nobody can look for secrets.
pub(crate) fn unchecked() -> Problem {
    let message = "the request could not be checked for secrets, and was not sent";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

fn converted(order: &Order, scope: &Scope<'_>, text: &str) -> Result<Option<String>, Problem> {
    let toon = &order.state.settings.toon;
    let outcome = prompt::convert(text, toon, scope.engine().settings().counter)
        .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    order.gateway.telemetry.prompt(&outcome, toon.log_stats);
    Ok(match outcome {
        Outcome::Converted { text, .. } => Some(text),
        Outcome::Kept(_) => None,
    })
}
