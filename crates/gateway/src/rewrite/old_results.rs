//! Old results: which of a request are left out because the provider's cache was cold once.

use super::{OriginalsReader, RewriteEffort, RewriteInput, RewritePlan};
use crate::cold_cache::{ConversationTurn, LeftOutResults};
use crate::memo::{ConversationKey, KnownSpans};
use std::time::Duration;
use tokenforge_config::OldResults;
use tokenforge_engine::old_results::{FEWEST_TURNS, STAGE};
use tokenforge_providers::RequestPurpose;

/// Which results are left out. `None`: the store has to be asked first, and that takes more effort than allowed.
pub(super) fn left_out(
    input: &RewriteInput,
    effort: RewriteEffort,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
) -> Option<LeftOutResults> {
    let Some(lifetime) = cache_lifetime(input, effort, plan) else {
        return Some(LeftOutResults::default());
    };
    let keys = conversation_keys(input, plan, spans);
    let turn = ConversationTurn {
        request: &plan.request,
        body: &input.body,
        keys: &keys,
        lifetime,
        is_model_request: input.purpose == RequestPurpose::Generate,
        is_offered: plan.can_fetch_old(),
    };
    let log = &input.shared.conversations;
    match effort {
        RewriteEffort::Remembered => log.known_left_out(&turn),
        _ => Some(log.left_out(&turn)),
    }
}

/// How long the provider's cache lives, if old results of this request may be left out when it is cold.
fn cache_lifetime(
    input: &RewriteInput,
    effort: RewriteEffort,
    plan: &RewritePlan<'_>,
) -> Option<Duration> {
    let is_asked_for = input.state.settings.tool_output.old_results == OldResults::WhenCold
        && !input.holds().has_stage(STAGE)
        && effort != RewriteEffort::Least
        && input.originals_reader == OriginalsReader::Model
        && input.shared.conversations.is_durable();
    // What goes on from a stored response has only its new results.
    let is_whole = !plan.request.head.has_previous_response;
    let is_long = || plan.request.turn_count() >= FEWEST_TURNS;
    (is_asked_for && plan.may_leave_out_old() && is_whole && is_long())
        .then(|| input.dialect.cache_lifetime(&input.body))
        .flatten()
}

/// The conversation up to each result, whatever becomes of the results.
fn conversation_keys(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
) -> Vec<ConversationKey> {
    let (memo, body) = (&input.shared.memo, &input.body);
    let mut conversation = memo.begin("", 0);
    let next = |result| {
        conversation = memo.next(conversation, result, body, spans.at(&result.span).as_deref());
        conversation
    };
    plan.request.results.iter().map(next).collect()
}
