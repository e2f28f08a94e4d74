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
