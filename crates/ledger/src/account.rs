//! What one entry comes to: tokens, and money where the price is known.
//!
//! A saving counts at what the tokens would have cost. New ones are written to the provider's cache or are plain input;
//! repeated ones are read from the cache, unless the provider says that nothing was. What the model fetched back is
//! taken off, and so is what the provider charged for the replies in which it did, or asked in vain.

use crate::prices::charge;
use crate::{Entry, Outcome, Prices, Usage};
use tokenforge_config::Price;

/// What an entry comes to.
#[derive(Debug, Clone, Copy)]
pub struct Account<'e> {
    entry: &'e Entry,
    price: Option<Price>,
    /// What all its results together were fetched back.
    expanded: u64,
}

impl<'e> Account<'e> {
    /// The account of an entry at these prices.
    #[must_use]
    pub fn new(entry: &'e Entry, prices: &Prices) -> Self {
        let price = entry.model.as_ref().and_then(|model| prices.of(model.as_str()));
        let expanded = entry.results.iter().map(|outcome| outcome.expanded);
        Account { entry, price, expanded: expanded.fold(0, u64::saturating_add) }
    }

    /// The tokens of results as they really went on.
    #[must_use]
    pub fn after(&self, outcome: &Outcome) -> u64 {
        if self.entry.observed { outcome.before } else { outcome.after }
    }

    /// The tokens that results have less, or more if it is negative.
    #[must_use]
    pub fn saved(&self, outcome: &Outcome) -> i64 {
        difference(outcome.before, self.after(outcome))
    }

    /// What the request would have cost more without us, in tokens of input: savings on new and repeated results, less
    /// what was fetched back and what was sent again for that.
    #[must_use]
    pub fn context_saved(&self) -> i64 {
        let saved = self.entry.results.iter().map(|outcome| self.saved(outcome));
        let saved = saved.fold(0, i64::saturating_add);
        let again = self.entry.extra.as_ref().map_or(0, Usage::all_input);
        saved.saturating_sub(signed(self.expanded)).saturating_sub(signed(again))
    }

    /// What the provider charged, if it counted and the price is known.
    #[must_use]
    pub fn billed(&self) -> Option<f64> {
        Some(charge(&self.price?, self.entry.usage.as_ref()?))
    }

    /// What these results would have cost more without us, in dollars.
    #[must_use]
    pub fn dollars_saved(&self, outcome: &Outcome) -> Option<f64> {
        let price = self.price?;
        let (fresh, repeated) = rates(&price, self.entry.usage.as_ref());
        let rate = if outcome.repeated { repeated } else { fresh };
        let saved = self.saved(outcome) as f64 * rate - outcome.expanded as f64 * fresh;
        Some(saved / 1e6 - self.share_of_extra(outcome, &price))
    }

    /// What all results would have cost more without us, in dollars.
    #[must_use]
    pub fn all_dollars_saved(&self) -> Option<f64> {
        self.price?;
        let saved = self.entry.results.iter().filter_map(|outcome| self.dollars_saved(outcome));
        Some(saved.sum())
    }

    /// Of [`all_dollars_saved`](Self::all_dollars_saved), what was taken off since the model fetched something back, or
    /// tried to.
    #[must_use]
    pub fn dollars_expanded(&self) -> Option<f64> {
        let price = self.price?;
        let (fresh, _) = rates(&price, self.entry.usage.as_ref());
        let extra = self.entry.extra.as_ref().map_or(0.0, |extra| charge(&price, extra));
        Some(self.expanded as f64 * fresh / 1e6 + extra)
    }

    /// What was fetched back pays for the replies in which it was, each result by its tokens. Where the model asked and
    /// got nothing, all pay alike.
    fn share_of_extra(&self, outcome: &Outcome, price: &Price) -> f64 {
        let Some(extra) = &self.entry.extra else { return 0.0 };
        let part = match self.expanded {
            0 => 1.0 / self.entry.results.len().max(1) as f64,
            all => outcome.expanded as f64 / all as f64,
        };
        charge(price, extra) * part
    }
}

/// Dollars per million for tokens that are new, and for those that were sent before.
fn rates(price: &Price, usage: Option<&Usage>) -> (f64, f64) {
    let (read, written) = usage.map_or((None, None), |usage| (usage.cache_read, usage.cache_write));
    let fresh = if written.unwrap_or(0) > 0 { price.cache_write } else { price.input };
    let repeated = if read == Some(0) { fresh } else { price.cache_read };
    (fresh, repeated)
}

fn difference(before: u64, after: u64) -> i64 {
    signed(before).saturating_sub(signed(after))
}

pub(crate) fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    /// Claude Sonnet: input 3, output 15, cache read 0.30, cache write 3.75 dollars per million.
    fn entry(usage: Option<Usage>) -> Entry {
        let mut entry = Entry::new(Source::Gateway, 0);
        entry.model = Some("claude-sonnet-4-5".into());
        entry.usage = usage;
        entry.add(Outcome::fresh("Bash", ["clean"], 2_000_000, 1_000_000));
        let again = Outcome::fresh("Bash", ["clean"], 3_000_000, 1_000_000);
        entry.add(Outcome { repeated: true, ..again });
        entry
    }

    fn saved(entry: &Entry) -> f64 {
        Account::new(entry, &Prices::default()).all_dollars_saved().unwrap()
    }

    fn usage(cache_read: Option<u64>, cache_write: Option<u64>) -> Option<Usage> {
        Some(Usage { input: 1, cache_read, cache_write, output: 1 })
    }

    #[test]
    fn a_saving_counts_at_what_its_tokens_would_have_cost() {
        // New at the price of input, repeated at that of the cache.
        assert_eq!(saved(&entry(None)), 3.0 + 2.0 * 0.3);
        assert_eq!(saved(&entry(usage(Some(9), None))), 3.0 + 2.0 * 0.3);
        // New ones were written to the cache.
        assert_eq!(saved(&entry(usage(Some(9), Some(9)))), 3.75 + 2.0 * 0.3);
        // Nothing came out of the cache: what is repeated was paid in full.
        assert_eq!(saved(&entry(usage(Some(0), Some(9)))), 3.75 + 2.0 * 3.75);
        assert_eq!(saved(&entry(usage(Some(0), Some(0)))), 3.0 + 2.0 * 3.0);
    }

    #[test]
    fn what_was_fetched_back_is_taken_off_with_the_replies_that_it_took() {
        let mut entry = entry(usage(Some(9), None));
        entry.add(Outcome::expanded("Bash", ["clean"], 500_000));
        entry.extra =
            Some(Usage { input: 0, cache_read: Some(1_000_000), cache_write: None, output: 0 });
        assert!((saved(&entry) - (3.0 + 0.6 - 1.5 - 0.3)).abs() < 1e-9);
        let account = Account::new(&entry, &Prices::default());
        assert_eq!(account.context_saved(), 1_000_000 + 2_000_000 - 500_000 - 1_000_000);
    }

    #[test]
    fn a_reply_that_asked_in_vain_is_taken_off_too() {
        let mut entry = entry(usage(Some(9), None));
        entry.extra =
            Some(Usage { input: 0, cache_read: Some(1_000_000), cache_write: None, output: 0 });
        assert!((saved(&entry) - (3.0 + 0.6 - 0.3)).abs() < 1e-9);
        let account = Account::new(&entry, &Prices::default());
        assert_eq!(account.dollars_expanded(), Some(0.3));
    }

    #[test]
    fn what_was_only_measured_saved_nothing() {
        let mut entry = entry(None);
        entry.observed = true;
        assert_eq!(saved(&entry), 0.0);
        assert_eq!(Account::new(&entry, &Prices::default()).context_saved(), 0);
    }

    #[test]
    fn without_a_price_there_is_no_money() {
        let mut entry = entry(usage(None, None));
        for model in [None, Some("llama-4".into())] {
            entry.model = model;
            let account = Account::new(&entry, &Prices::default());
            assert_eq!((account.billed(), account.all_dollars_saved()), (None, None));
        }
    }
}
