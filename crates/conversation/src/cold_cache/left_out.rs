//! Left-out results: which results of a conversation are left out, by all that was decided at its cold caches.

use std::collections::BTreeSet;
use tokenforge_engine::old_results::{AgedResult, FEWEST_TURNS, MOST_CHOICES, OldResultChoice};

/// Which results of a conversation are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOutResults {
    indices: BTreeSet<usize>,
    /// The model is told of the tool that fetches them.
    pub offers_tool: bool,
}

impl LeftOutResults {
    /// By all decisions about a conversation: the results that each leaves out, and whether the model is told of the tool.
    pub fn by<'d>(decisions: impl IntoIterator<Item = (&'d [usize], bool)>) -> Self {
        let mut all = LeftOutResults::default();
        for (left_out, offers_tool) in decisions {
            all.indices.extend(left_out);
            all.offers_tool |= offers_tool;
        }
        all
    }

    /// Is the result with this index left out?
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.indices.contains(&index)
    }

    /// May something be decided about a conversation with so many turns, about which so much was decided before?
    #[must_use]
    pub fn may_decide(turns: usize, decisions: usize) -> bool {
        turns >= FEWEST_TURNS && decisions < MOST_CHOICES
    }

    /// What there is to leave out beyond these now that the cache is cold. `is_offered`: the model is told how to fetch it.
    #[must_use]
    pub fn choose_more(
        &self,
        results: &[AgedResult<'_>],
        is_offered: bool,
    ) -> Option<OldResultChoice> {
        OldResultChoice::new(results, is_offered || self.offers_tool)
    }
}
