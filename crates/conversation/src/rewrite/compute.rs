//! The computation of a rewrite: what is not known is asked of the store, or made.

use super::assembly::{RewriteParts, RewrittenBody, assemble, begin_report};
use super::lookup::FoundParts;
use super::plan::{HiddenCalls, RewritePlan};
use super::plan_draft::{NoPlan, PlanDraft};
use super::results::compute_results;
use super::{RewriteInput, old_results, prompt_json};
use crate::deferral::TurnSource;
use crate::problem::RewriteProblem;
use crate::strategy_answers::StrategyAnswers;
use std::time::Instant;
use tokenforge_providers::Splice;

/// How the missing parts of a rewrite are computed.
pub struct RewriteWork<'m> {
    /// No stage begins after this.
    pub deadline: Instant,
    /// What strategies made of results.
    pub strategy_answers: &'m StrategyAnswers,
}

/// Computes what is missing of the rewrite of a body, of which this was found already. Blocks.
///
/// # Errors
/// The request asks for something that does not exist, or what must be done to it cannot.
pub fn compute(
    input: &RewriteInput,
    found: FoundParts,
    work: &RewriteWork<'_>,
) -> Result<RewrittenBody, RewriteProblem> {
    let FoundParts { request, spans, results: first } = found;
    let spans = input.shared.memo.known_spans(input.owner(), spans);
    let read = request.map_or_else(|| prompt_json::read(input, &spans), Ok);
    let draft = match PlanDraft::of(input, read) {
        Ok(draft) => draft,
        Err(NoPlan::Problem(problem)) => return Err(problem),
        Err(NoPlan::Untouched) => return RewrittenBody::without_forge(input),
    };
    let mut plan = draft.finish_with_key(input);
    plan.leave_out(input, old_results::left_out(input, &plan, &spans));
    let mut report = begin_report(input, &plan);
    if plan.tools_are_wanted(input) {
        let (lists, shared) = (plan.declared_lists(input), &input.shared);
        report.tools = Some(lists.count(&shared.counted_lists, &shared.memo));
    }
    let prompt = prompt_json::rewrite(input, &plan, &mut report)?;
    let begun = first.under(&plan.left_out);
    let results = compute_results(input, work, &plan, &spans, begun, &mut report);
    let hidden_turns = hidden_turns(input, &plan);
    assemble(input, plan, RewriteParts { report, prompt, results, hidden_turns })
}

/// Turns that the client never saw. Blocks.
fn hidden_turns(input: &RewriteInput, plan: &RewritePlan<'_>) -> Vec<Splice<'static>> {
    let (deferred, conversation) = (&input.shared.deferred, plan.conversation(input));
    let turns = match plan.hidden_calls(input) {
        HiddenCalls::All => deferred.rejoin(&conversation, TurnSource::Store),
        HiddenCalls::AtProvider => deferred.continue_stored(&conversation, TurnSource::Store),
        HiddenCalls::None => None,
    };
    turns.unwrap_or_default()
}
