//! Old results at cold caches, in sums.

use super::TokenBill;
use serde::Serialize;

/// What became of old results where the provider's cache was cold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OldResultSums {
    /// Requests of which the log tells, by time or by usage, whether the cache was cold.
    pub known: usize,
    /// Those of them in which it was.
    pub cold: usize,
    /// Results that became references there, and stay so.
    pub left_out: usize,
    /// How many tokens fewer they have.
    pub tokens: usize,
    /// What that saves on the bill, what had to be fetched taken off: the bill without it less the bill with it.
    pub saved: TokenBill,
}

impl OldResultSums {
    pub(super) fn add(&mut self, other: &OldResultSums) {
        self.known += other.known;
        self.cold += other.cold;
        self.left_out += other.left_out;
        self.tokens += other.tokens;
        self.saved.add(&other.saved);
    }

    /// Does it make anything dearer? A rounding error does not count.
    #[must_use]
    pub fn is_dearer(&self) -> bool {
        self.saved.cost.total() < -1e-9
    }
}
