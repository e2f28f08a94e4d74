//! What the gateway spent by itself on shadow requests: under a name of its own, and in no other sum.

use crate::account::EntryAccount;
use crate::share::round_to;
use crate::{LedgerEntry, ModelPrices};
use serde::{Deserialize, Serialize};

/// What shadow requests cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ShadowCost {
    /// How many there were.
    pub requests: u64,
    /// Their input tokens as the provider counted them, cached or not.
    pub input: u64,
    /// What the model wrote.
    pub output: u64,
    /// What they cost, in dollars: of those whose model has a price.
    pub cost: f64,
}

impl ShadowCost {
    pub(crate) fn add(&mut self, entry: &LedgerEntry, prices: &ModelPrices) {
        let usage = entry.usage.unwrap_or_default();
        self.requests += 1;
        self.input = self.input.saturating_add(usage.all_input());
        self.output = self.output.saturating_add(usage.output);
        self.cost += EntryAccount::new(entry, prices).dollars_billed().unwrap_or(0.0);
    }

    /// Nothing if there were none.
    pub(crate) fn report(self) -> Option<Self> {
        (self.requests > 0).then(|| ShadowCost { cost: round_to(self.cost, 1e6), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EntryFilter, EntrySource, GroupBy, Ledger, LedgerSummary, SessionList, TokenUsage,
    };

    fn entry(source: EntrySource) -> LedgerEntry {
        let mut entry = LedgerEntry::new(source, 1_794_744_000);
        entry.model = Some("claude-sonnet-4-5".into());
        entry.client = Some("claude-cli".into());
        entry.usage = Some(TokenUsage { input: 1_000_000, output: 10, ..TokenUsage::default() });
        entry
    }

    #[test]
    fn v13_shadow_requests_are_in_their_own_sum_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        let prices = ModelPrices::default();
        let read = || Ledger::read(folder.path(), None).unwrap();
        let gain = || LedgerSummary::of(read(), GroupBy::Model, &prices);
        ledger.append(&entry(EntrySource::Gateway)).unwrap();
        let before = gain();
        assert_eq!(before.shadow, None);
        ledger.append_all(&vec![entry(EntrySource::Shadow); 3]).unwrap();
        let after = gain();
        let shadow = after.shadow.unwrap();
        assert_eq!((shadow.requests, shadow.input, shadow.output), (3, 3_000_000, 30));
        assert!((shadow.cost - 9.00045).abs() < 1e-6, "{shadow:?}");
        assert_eq!(crate::GainReport { shadow: None, ..after }, before);
        let sessions = SessionList::of(read(), &EntryFilter::default(), &prices, 10).sessions;
        assert_eq!(sessions.iter().map(|session| session.requests).sum::<u64>(), 1);
        let others = EntryFilter { client: Some("codex".into()), ..EntryFilter::default() };
        let summary = LedgerSummary::new(GroupBy::Model, &prices).about(&others);
        assert_eq!(summary.sum_all(read()).shadow, None);
    }
}
