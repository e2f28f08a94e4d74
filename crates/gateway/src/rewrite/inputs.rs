//! JSON in prompt context as TOON; and tool results without secrets where the operator asked for it and no stage does it.

use super::{Order, Scope};
use crate::answer::Problem;
use crate::report::Report;
use http::StatusCode;
use std::panic::catch_unwind;
use tokenforge_compress::prompt::{self, Outcome};
use tokenforge_dialects::{Known, Purpose, Refusal, Request, Role, Splice, Texts};
use tokenforge_redact::redact_text;

/// Are texts or results looked at that stages leave alone?
pub(super) fn are_wanted(order: &Order) -> bool {
    order.state.settings.redact_secrets || converts(order)
}

/// Reads the body, with these texts only where they are looked at.
pub(super) fn read<'o>(order: &'o Order, known: &'o dyn Known) -> Result<Request<'o>, Refusal> {
    let texts = if converts(order) { Texts::Wanted } else { Texts::Unwanted };
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
    let spoken = scope.request.texts.iter().filter(|message| message.role == Role::User);
    for message in spoken.filter(|_| converts(order)) {
        let Some(text) = message.text(&order.body) else { continue };
        if let Some(text) = converted(order, scope, &text)? {
            report.changes.push("prompt_converted");
            splices.push(message.replaced_by(&text));
        }
    }
    if order.state.settings.redact_secrets {
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
        let text =
            result.text(&order.body).ok_or_else(|| unchecked("a result in it is no text"))?;
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
    let scanned =
        catch_unwind(|| redact_text(text)).map_err(|_| unchecked("the check itself failed"));
    scanned?.map_err(|error| unchecked(&error.to_string()))
}

/// A request in which nobody can look for secrets, and why.
pub(crate) fn unchecked(why: &str) -> Problem {
    let message = format!("the request could not be checked for secrets, and was not sent: {why}");
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
