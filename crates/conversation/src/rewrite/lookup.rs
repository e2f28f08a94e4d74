//! The lookup of a rewrite: what is known of it without asking the store and without work.

use super::assembly::{RewriteParts, RewrittenBody, assemble, begin_report};
use super::known_results::{ResultHit, look_up_results};
use super::plan::{HiddenCalls, RewritePlan};
use super::plan_draft::{NoPlan, PlanDraft};
use super::rewritten_results::RewrittenResults;
use super::{RewriteInput, old_results, prompt_json};
use crate::cold_cache::LeftOutResults;
use crate::deferral::TurnSource;
use crate::memo::{KnownSpans, SpanHits};
use crate::problem::RewriteProblem;
use crate::report::RequestReport;
use tokenforge_providers::{Request, Splice};

/// What is known of the rewrite of a body.
pub enum CachedRewrite {
    /// All of it.
    Complete(RewrittenBody),
    /// Not all: this need not be found again.
    Incomplete(FoundParts),
}

/// What a body says, which of its texts were sent before, and what became of its first results.
#[derive(Default)]
pub struct FoundParts {
    pub(super) request: Option<Request<'static>>,
    pub(super) spans: SpanHits,
    pub(super) results: FirstResults,
}

/// What became of the first results of a body.
#[derive(Default)]
pub(super) struct FirstResults {
    hits: Vec<ResultHit>,
    /// Under this decision. Until the rest is computed another one may be made.
    left_out: LeftOutResults,
}

impl FirstResults {
    /// What became of them, if the same results are left out.
    pub(super) fn under(&self, left_out: &LeftOutResults) -> &[ResultHit] {
        if self.left_out == *left_out { &self.hits } else { &[] }
    }
}

/// Looks up what is known of the rewrite of a body. Takes no longer than to find that out: the store is not asked, and nothing
/// is compressed.
///
/// # Errors
/// The request asks for something that does not exist, or what must be done to it cannot.
pub fn lookup(input: &RewriteInput) -> Result<CachedRewrite, RewriteProblem> {
    let spans = input.shared.memo.known_spans(input.owner(), SpanHits::new());
    let draft = match PlanDraft::of(input, prompt_json::read(input, &spans)) {
        Ok(draft) => draft,
        Err(NoPlan::Problem(problem)) => return Err(problem),
        Err(NoPlan::Untouched) => {
            return Ok(CachedRewrite::Complete(RewrittenBody::without_forge(input)?));
        }
    };
    let Some(mut plan) = draft.finish_with_known_key(input) else {
        return Ok(CachedRewrite::Incomplete(FoundParts::default()));
    };
    let mut first = FirstResults::default();
    if let Some(parts) = known_parts(input, &mut plan, &spans, &mut first) {
        return Ok(CachedRewrite::Complete(assemble(input, plan, parts)?));
    }
    let request = Some(plan.request.into_owned());
    Ok(CachedRewrite::Incomplete(FoundParts { request, spans: spans.into_hits(), results: first }))
}

/// All parts of the rewrite, if all are known. If not, what became of the first results is kept.
fn known_parts(
    input: &RewriteInput,
    plan: &mut RewritePlan<'_>,
    spans: &KnownSpans<'_>,
    first: &mut FirstResults,
) -> Option<RewriteParts> {
    if prompt_json::is_converted(input) {
        return None;
    }
    plan.leave_out(input, old_results::known_left_out(input, plan, spans)?);
    let mut report = begin_report(input, plan);
    if plan.tools_are_wanted(input) {
        let lists = plan.declared_lists(input);
        report.tools = Some(lists.known(&input.shared.counted_lists, &input.shared.memo)?);
    }
    let results = known_results(input, plan, spans, &mut report, first)?;
    let hidden_turns = known_hidden_turns(input, plan)?;
    Some(RewriteParts { report, prompt: Vec::new(), results, hidden_turns })
}

fn known_results(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
    report: &mut RequestReport,
    first: &mut FirstResults,
) -> Option<RewrittenResults> {
    let found = look_up_results(input, plan, spans, report);
    found.map_err(|hits| *first = FirstResults { hits, left_out: plan.left_out.clone() }).ok()
}

fn known_hidden_turns(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
) -> Option<Vec<Splice<'static>>> {
    let (deferred, conversation) = (&input.shared.deferred, plan.conversation(input));
    match plan.hidden_calls(input) {
        HiddenCalls::All => deferred.rejoin(&conversation, TurnSource::Memory),
        HiddenCalls::AtProvider => deferred.continue_stored(&conversation, TurnSource::Memory),
        HiddenCalls::None => Some(Vec::new()),
    }
}
