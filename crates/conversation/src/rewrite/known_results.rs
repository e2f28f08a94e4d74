//! Tool results that are known: what became of each when it was sent before.

use super::RewriteInput;
use super::plan::RewritePlan;
pub(super) use super::rewritten_results::ResultHit;
use super::rewritten_results::{ResultOutcome, ResultWalk, RewrittenResults};
use crate::memo::KnownSpans;
use crate::report::RequestReport;
use tokenforge_engine::Mode;

/// Looks up what became of each tool result.
///
/// # Errors
/// One is not known: what became of the results before it.
pub(super) fn look_up_results(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
    report: &mut RequestReport,
) -> Result<RewrittenResults, Vec<ResultHit>> {
    let engine = plan.engine();
    if engine.settings().mode == Mode::Disabled {
        return Ok(RewrittenResults::default());
    }
    // The memory of a session is not this one.
    if plan.options.compression.session_id.is_some() {
        return Err(Vec::new());
    }
    let mut walk = ResultWalk::begin(input, plan, &engine);
    let (memo, body) = (&input.shared.memo, &input.body);
    let (now, count) = (input.shared.clock.instant(), plan.request.results.len());
    let mut results = RewrittenResults::with_capacity(count, report);
    let mut hits = Vec::with_capacity(count);
    for (index, result) in plan.request.results.iter().enumerate() {
        let same = spans.at(&result.span);
        let same = same.as_deref();
        let conversation = walk.next(index, result, same);
        let Some(entry) = memo.find(conversation, result, body, same, now) else {
            return Err(hits);
        };
        if same.is_none() {
            spans.learn(&entry, result, body);
        }
        let done = ResultOutcome::from_memo(entry);
        results.add(index, result, &done, report);
        hits.push((conversation, done.entry));
    }
    spans.learn_turns(&plan.request, body);
    Ok(results)
}
