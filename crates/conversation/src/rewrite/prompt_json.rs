//! JSON in prompt context as TOON.

use super::{RewriteInput, RewritePlan};
use crate::problem::RewriteProblem;
use crate::report::RequestReport;
use tokenforge_engine::prompt::{self, PromptOutcome};
use tokenforge_providers::{EarlierReading, MessageRole, MessageTexts, Refusal, Request, Splice};

/// Reads the body, with these texts only where they are looked at.
pub(super) fn read<'o>(
    input: &'o RewriteInput,
    known: &'o dyn EarlierReading,
) -> Result<Request<'o>, Refusal> {
    let texts = if is_converted(input) { MessageTexts::Wanted } else { MessageTexts::Unwanted };
    Request::read_again(&input.body, input.kind.dialect, texts, known)
}

/// What stands in the place of these texts.
///
/// # Errors
/// A JSON text cannot be converted and must not go on as it is.
pub(super) fn rewrite(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    report: &mut RequestReport,
) -> Result<Vec<Splice<'static>>, RewriteProblem> {
    let mut splices = Vec::new();
    let spoken = plan.request.texts.iter().filter(|message| message.role == MessageRole::User);
    for message in spoken.filter(|_| is_converted(input)) {
        let Some(text) = message.text(&input.body) else { continue };
        if let Some(text) = convert_text(input, plan, &text)? {
            report.changes.push("prompt_converted");
            splices.push(message.replaced_by(&text));
        }
    }
    Ok(splices)
}

/// User text is never converted for a count: the client counts what it will show, not what we will send.
pub(super) fn is_converted(input: &RewriteInput) -> bool {
    input.rules.settings.toon.enabled && input.kind.purpose.is_answered()
}

fn convert_text(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    text: &str,
) -> Result<Option<String>, RewriteProblem> {
    let toon = &input.rules.settings.toon;
    let outcome = prompt::convert(text, toon, plan.engine().settings().counter)
        .map_err(|error| RewriteProblem::Unconvertible(error.to_string()))?;
    input.shared.events.prompt_converted(&outcome, toon.log_stats);
    Ok(match outcome {
        PromptOutcome::Converted { text, .. } => Some(text),
        PromptOutcome::Kept(_) => None,
    })
}
