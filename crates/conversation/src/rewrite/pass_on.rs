//! Passing a body on: only what must be done to it, where the rest took too long.

use super::assembly::{RewriteParts, RewrittenBody, assemble, begin_report};
use super::plan::{HiddenCalls, RewritePlan};
use super::plan_draft::{NoPlan, PlanDraft};
use super::rewritten_results::RewrittenResults;
use super::{RewriteInput, prompt_json};
use crate::deferral::TurnSource;
use crate::memo::SpanHits;
use crate::problem::RewriteProblem;
use tokenforge_providers::Splice;

/// Passes a body on with its tool results as they came: what was meant for us is cut out, and turns without which no provider
/// goes on are put back. Blocks.
///
/// # Errors
/// The request asks for something that does not exist, or what must be done to it cannot.
pub fn pass_on(input: &RewriteInput) -> Result<RewrittenBody, RewriteProblem> {
    let spans = input.shared.memo.known_spans(input.owner(), SpanHits::new());
    let draft = match PlanDraft::of(input, prompt_json::read(input, &spans)) {
        Ok(draft) => draft,
        Err(NoPlan::Problem(problem)) => return Err(problem),
        Err(NoPlan::Untouched) => return RewrittenBody::without_forge(input),
    };
    let plan = draft.finish(input, None);
    let mut report = begin_report(input, &plan);
    let prompt = prompt_json::rewrite(input, &plan, &mut report)?;
    let hidden_turns = needed_turns(input, &plan);
    let results = RewrittenResults::default();
    assemble(input, plan, RewriteParts { report, prompt, results, hidden_turns })
}

/// Turns that the client never saw, as far as a provider does not go on without them.
fn needed_turns(input: &RewriteInput, plan: &RewritePlan<'_>) -> Vec<Splice<'static>> {
    let (deferred, conversation) = (&input.shared.deferred, plan.conversation(input));
    // Not worth a wait for a store that may be what took too long; but no provider goes on without the answers.
    let source = if plan.request.head.has_previous_response {
        TurnSource::Store
    } else {
        TurnSource::Memory
    };
    let turns = match plan.hidden_calls(input) {
        HiddenCalls::All => deferred.rejoin(&conversation, source),
        HiddenCalls::AtProvider => deferred.continue_stored(&conversation, TurnSource::Store),
        HiddenCalls::None => None,
    };
    turns.unwrap_or_default()
}
