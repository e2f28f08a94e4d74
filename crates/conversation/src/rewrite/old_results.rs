//! Old results: which of a request are left out because the provider's cache was cold once.

use super::plan::RewritePlan;
use super::{OriginalsReader, RewriteInput};
use crate::cold_cache::{ConversationTurn, LeftOutResults};
use crate::memo::{ConversationKey, KnownSpans};
use std::time::Duration;
use tokenforge_config::OldResults;
use tokenforge_engine::old_results::STAGE;
use tokenforge_providers::RequestPurpose;

/// Which results are left out, if that is known without asking the store.
pub(super) fn known_left_out(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
) -> Option<LeftOutResults> {
    let Some(lifetime) = cache_lifetime(input, plan) else {
        return Some(LeftOutResults::default());
    };
    let keys = conversation_keys(input, plan, spans);
    input.shared.conversations.known_left_out(&turn(input, plan, lifetime, &keys))
}

/// Which results are left out. Blocks.
pub(super) fn left_out(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
) -> LeftOutResults {
    let Some(lifetime) = cache_lifetime(input, plan) else { return LeftOutResults::default() };
    let keys = conversation_keys(input, plan, spans);
    input.shared.conversations.left_out(&turn(input, plan, lifetime, &keys))
}

fn turn<'r>(
    input: &'r RewriteInput,
    plan: &'r RewritePlan<'_>,
    lifetime: Duration,
    keys: &'r [ConversationKey],
) -> ConversationTurn<'r> {
    ConversationTurn {
        request: &plan.request,
        body: &input.body,
        keys,
        lifetime,
        is_model_request: input.kind.purpose == RequestPurpose::Generate,
        is_offered: plan.can_fetch_old(),
    }
}

/// How long the provider's cache lives, if old results of this request may be left out when it is cold.
fn cache_lifetime(input: &RewriteInput, plan: &RewritePlan<'_>) -> Option<Duration> {
    let is_asked_for = input.rules.settings.tool_output.old_results == OldResults::WhenCold
        && !input.holds.has_stage(STAGE)
        && input.originals_reader == OriginalsReader::Model
        && input.shared.conversations.is_durable();
    // What goes on from a stored response has only its new results.
    let is_whole = !plan.request.head.has_previous_response;
    let is_long = || LeftOutResults::may_decide(plan.request.turn_count(), 0);
    if is_asked_for && plan.may_leave_out_old() && is_whole && is_long() {
        input.kind.dialect.cache_lifetime(&input.body)
    } else {
        None
    }
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
