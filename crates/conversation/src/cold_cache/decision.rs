//! A decision: which results are left out from now on.

use super::left_out::LeftOutResults;
use super::result_chain::ResultChain;
use serde::{Deserialize, Serialize};
use tokenforge_engine::ToolCall;
use tokenforge_engine::old_results::{AgedResult, OldResultChoice};
use tokenforge_providers::Request;

/// What was decided when a cache was cold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ColdDecision {
    /// The results up to the last one that is left out.
    history: String,
    /// Which are left out, in ascending order.
    pub(super) left_out: Vec<usize>,
    /// The model is told of the tool that fetches them, as it was not before.
    offers_tool: bool,
}

impl ColdDecision {
    /// The results that are left out by all of these.
    pub(super) fn sum_up<'d>(decisions: impl IntoIterator<Item = &'d Self>) -> LeftOutResults {
        let decisions = decisions.into_iter();
        LeftOutResults::by(decisions.map(|decision| (&*decision.left_out, decision.offers_tool)))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The last result that is left out.
    pub(super) fn last(&self) -> Option<usize> {
        self.left_out.last().copied()
    }

    /// Is it about these results?
    pub(super) fn is_about(&self, chain: &ResultChain) -> bool {
        self.last().and_then(|last| chain.up_to(last)).as_ref() == Some(&self.history)
    }

    /// What there is to decide now that the cache is cold, beyond what was decided before.
    pub(super) fn new(
        request: &Request<'_>,
        body: &[u8],
        chain: &ResultChain,
        before: &LeftOutResults,
        is_offered: bool,
    ) -> Option<Self> {
        let choice = choose_old_results(request, body, before, is_offered)?;
        let OldResultChoice { left_out, offers_tool } = choice;
        let history = chain.up_to(*left_out.last()?)?;
        Some(ColdDecision { history, left_out, offers_tool })
    }
}

fn choose_old_results(
    request: &Request<'_>,
    body: &[u8],
    before: &LeftOutResults,
    is_offered: bool,
) -> Option<OldResultChoice> {
    let calls: Vec<_> = request
        .results
        .iter()
        .map(|result| {
            let arguments = result.arguments.as_ref().and_then(|found| found.text(body));
            (
                result.tool(body),
                arguments.unwrap_or_default(),
                result.text(body).unwrap_or_default(),
            )
        })
        .collect();
    let results = request.results.iter().zip(&calls).zip(request.turns_since_results());
    let aged: Vec<AgedResult<'_>> = results
        .enumerate()
        .map(|(index, ((result, (tool, arguments, text)), turns_since))| AgedResult {
            call: ToolCall { id: None, tool, arguments },
            is_error: result.is_error,
            turns_since,
            text,
            is_left_out: before.contains(index),
        })
        .collect();
    before.choose_more(&aged, is_offered)
}
