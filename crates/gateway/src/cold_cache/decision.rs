//! A decision: which results are left out from now on.

use super::result_chain::ResultChain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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

/// Which results of a request are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LeftOutResults {
    indices: BTreeSet<usize>,
    /// The model is told of the tool that fetches them.
    pub(crate) offers_tool: bool,
}

impl LeftOutResults {
    /// By all decisions about a conversation.
    pub(super) fn by<'d>(decisions: impl IntoIterator<Item = &'d ColdDecision>) -> Self {
        let mut all = LeftOutResults::default();
        for decision in decisions {
            all.indices.extend(&decision.left_out);
            all.offers_tool |= decision.offers_tool;
        }
        all
    }

    pub(crate) fn contains(&self, index: usize) -> bool {
        self.indices.contains(&index)
    }
}

impl ColdDecision {
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
        let is_offered = is_offered || before.offers_tool;
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
    OldResultChoice::new(&aged, is_offered)
}
