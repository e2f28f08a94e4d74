//! Cost accounting: what one entry comes to, in tokens, and in money where the price is known.
//!
//! A saving counts at what the tokens would have cost. New ones are written to the provider's cache or are plain input;
//! repeated ones are read from the cache, unless the provider says that nothing was. What the model fetched back is
//! taken off, and so is what the provider charged for the replies in which it did, or asked in vain, and what the
//! definition of our own tool costs. A provider whose vocabulary is not public bills more tokens than we count: money is
//! by its tokens, as in a replay.

use crate::prices::charge;
use crate::{LedgerEntry, ModelPrices, ResultOutcome, TokenUsage};
use tokenforge_config::Price;
use tokenforge_tokens::for_model;

/// What an entry comes to.
#[derive(Debug, Clone, Copy)]
pub struct EntryAccount<'e> {
    entry: &'e LedgerEntry,
    price: Option<Price>,
    /// What other models charged; none where the price of one is not known.
    advisors: Option<f64>,
    /// Tokens that the provider bills for each one counted.
    factor: f64,
    /// What all its results together were fetched back.
    expanded: u64,
    /// The tokens of all its results as they came.
    before: u64,
}

impl<'e> EntryAccount<'e> {
    /// The account of an entry at these prices. Nothing has a price in a subscription.
    #[must_use]
    pub fn new(entry: &'e LedgerEntry, prices: &ModelPrices) -> Self {
        let model = entry.model.as_ref();
        let price = model.and_then(|model| prices.of(model.as_str()));
        let advisor = |usage: &crate::ModelUsage| {
            prices.of(usage.model.as_str()).map(|price| charge(&price, &usage.usage))
        };
        let sum = |part: fn(&ResultOutcome) -> u64| {
            entry.results.iter().map(part).fold(0, u64::saturating_add)
        };
        let price = price.map(|price| if entry.batch { in_batch(&price) } else { price });
        EntryAccount {
            entry,
            price: price.filter(|_| !entry.subscription),
            advisors: entry.advisors.iter().map(advisor).sum(),
            factor: model.map_or(1.0, |model| for_model(model.as_str()).cost_factor),
            expanded: sum(|outcome| outcome.expanded),
            before: sum(|outcome| outcome.before),
        }
    }

    /// The tokens of results as they really went on.
    #[must_use]
    pub fn after(&self, outcome: &ResultOutcome) -> u64 {
        if self.entry.observed { outcome.before } else { outcome.after }
    }

    /// The tokens that results have less, or more if it is negative.
    #[must_use]
    pub fn tokens_saved(&self, outcome: &ResultOutcome) -> i64 {
        difference(outcome.before, self.after(outcome))
    }

    /// What the request would have cost more without us, in tokens of input: savings on new and repeated results, less
    /// what was fetched back, what was sent again for that, and what we added. In the provider's tokens if it counted.
    #[must_use]
    pub fn context_saved(&self) -> i64 {
        let saved = self.entry.results.iter().map(|outcome| self.tokens_saved(outcome));
        let saved = saved.fold(0, i64::saturating_add);
        let spent = to_signed(self.expanded).saturating_add(to_signed(self.entry.added));
        let factor = if self.entry.usage.is_some() { self.factor } else { 1.0 };
        let counted = (saved.saturating_sub(spent) as f64 * factor).round() as i64;
        counted
            .saturating_sub(to_signed(self.entry.extra.as_ref().map_or(0, TokenUsage::all_input)))
    }

    /// What the provider charged, if it counted and the price is known.
    #[must_use]
    pub fn dollars_billed(&self) -> Option<f64> {
        Some(charge(&self.price?, self.entry.usage.as_ref()?) + self.advisors?)
    }

    /// What these results would have cost more without us, in dollars.
    #[must_use]
    pub fn dollars_saved(&self, outcome: &ResultOutcome) -> Option<f64> {
        let price = self.price?;
        let (fresh, repeated) = self.rates(&price);
        let rate = if outcome.repeated { repeated } else { fresh };
        let saved = self.tokens_saved(outcome) as f64 * rate - outcome.expanded as f64 * fresh;
        let added = self.dollars_added(&price) * part(outcome.before, self.before, self.entry);
        Some(saved - self.share_of_extra(outcome, &price) - added)
    }

    /// What all results would have cost more without us, in dollars.
    #[must_use]
    pub fn all_dollars_saved(&self) -> Option<f64> {
        let price = self.price?;
        if self.entry.results.is_empty() {
            return Some(-self.dollars_added(&price));
        }
        let saved = self.entry.results.iter().filter_map(|outcome| self.dollars_saved(outcome));
        Some(saved.sum())
    }

    /// Of [`all_dollars_saved`](Self::all_dollars_saved), what was taken off since the model fetched something back, or
    /// tried to.
    #[must_use]
    pub fn dollars_expanded(&self) -> Option<f64> {
        let price = self.price?;
        let (fresh, _) = self.rates(&price);
        let extra = self.entry.extra.as_ref().map_or(0.0, |extra| charge(&price, extra));
        Some(self.expanded as f64 * fresh + extra)
    }

    /// What it costs to write so many of the provider's tokens to its cache again, beyond reading them from it, in dollars.
    pub(crate) fn dollars_to_rewrite(&self, tokens: u64) -> Option<f64> {
        let price = self.price?;
        let (fresh, _) = self.rates(&price);
        Some(tokens as f64 * (fresh / self.factor - price.cache_read / 1e6))
    }

    /// What was fetched back pays for the replies in which it was, each result by its tokens. Where the model asked and
    /// got nothing, all pay alike.
    fn share_of_extra(&self, outcome: &ResultOutcome, price: &Price) -> f64 {
        let Some(extra) = &self.entry.extra else { return 0.0 };
        charge(price, extra) * part(outcome.expanded, self.expanded, self.entry)
    }

    /// What so many tokens of tool declarations cost, in dollars.
    #[must_use]
    pub fn dollars_declared(&self, tokens: u64) -> Option<f64> {
        Some(tokens as f64 * self.declaration_rate(&self.price?))
    }

    fn dollars_added(&self, price: &Price) -> f64 {
        self.entry.added as f64 * self.declaration_rate(price)
    }

    /// Dollars for a token of a tool's declaration. It is in every request of a conversation, in front of all else, so that
    /// it is cached where anything is.
    fn declaration_rate(&self, price: &Price) -> f64 {
        let (fresh, repeated) = self.rates(price);
        let is_cached = self.entry.usage.is_some_and(|usage| usage.cache_read > Some(0));
        if is_cached { repeated } else { fresh }
    }

    /// Dollars for a token as we count it: one that is new, and one that was sent before.
    fn rates(&self, price: &Price) -> (f64, f64) {
        let usage = self.entry.usage.unwrap_or_default();
        let written = usage.cache_write.unwrap_or(0);
        let fresh = match written {
            0 => price.input,
            written => {
                let hour = usage.cache_write_1h.unwrap_or(0).min(written) as f64 / written as f64;
                price.cache_write + hour * (price.cache_write_1h - price.cache_write)
            }
        };
        let repeated = if usage.cache_read == Some(0) { fresh } else { price.cache_read };
        (fresh * self.factor / 1e6, repeated * self.factor / 1e6)
    }
}

/// What a batch is charged: Anthropic, the only one whose batches come this way, takes half of each price.
fn in_batch(price: &Price) -> Price {
    let half = |price: f64| price / 2.0;
    Price {
        input: half(price.input),
        output: half(price.output),
        cache_read: half(price.cache_read),
        cache_write: half(price.cache_write),
        cache_write_1h: half(price.cache_write_1h),
    }
}

/// The part that results have of a sum; if it is nothing, each kind of them has the same.
fn part(own: u64, all: u64, entry: &LedgerEntry) -> f64 {
    match all {
        0 => 1.0 / entry.results.len().max(1) as f64,
        all => own as f64 / all as f64,
    }
}

fn difference(before: u64, after: u64) -> i64 {
    to_signed(before).saturating_sub(to_signed(after))
}

pub(crate) fn to_signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntrySource;

    /// Claude Sonnet: input 3, output 15, cache read 0.30, cache write 3.75 dollars per million.
    fn entry(usage: Option<TokenUsage>) -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        entry.model = Some("claude-sonnet-4-5".into());
        entry.usage = usage;
        entry.add(ResultOutcome::fresh("Bash", ["clean"], 2_000_000, 1_000_000));
        let again = ResultOutcome::fresh("Bash", ["clean"], 3_000_000, 1_000_000);
        entry.add(ResultOutcome { repeated: true, ..again });
        entry
    }

    fn saved(entry: &LedgerEntry) -> f64 {
        let saved = EntryAccount::new(entry, &ModelPrices::default()).all_dollars_saved().unwrap();
        (saved * 1e9).round() / 1e9
    }

    /// A million of Claude's tokens at so many dollars are these, for a million that we count.
    fn million(dollars: f64) -> f64 {
        (dollars * for_model("claude-sonnet-4-5").cost_factor * 1e9).round() / 1e9
    }

    fn usage(cache_read: Option<u64>, cache_write: Option<u64>) -> Option<TokenUsage> {
        Some(TokenUsage { input: 1, cache_read, cache_write, output: 1, ..TokenUsage::default() })
    }

    #[test]
    fn a_saving_counts_at_what_its_tokens_would_have_cost() {
        // New at the price of input, repeated at that of the cache.
        assert_eq!(saved(&entry(None)), million(3.0 + 2.0 * 0.3));
        assert_eq!(saved(&entry(usage(Some(9), None))), million(3.0 + 2.0 * 0.3));
        // New ones were written to the cache.
        assert_eq!(saved(&entry(usage(Some(9), Some(9)))), million(3.75 + 2.0 * 0.3));
        // Nothing came out of the cache: what is repeated was paid in full.
        assert_eq!(saved(&entry(usage(Some(0), Some(9)))), million(3.75 + 2.0 * 3.75));
        assert_eq!(saved(&entry(usage(Some(0), Some(0)))), million(3.0 + 2.0 * 3.0));
    }

    #[test]
    fn what_is_saved_in_a_batch_counts_at_half_the_price() {
        let mut entry = entry(None);
        let alone = saved(&entry);
        entry.batch = true;
        assert_eq!(saved(&entry), alone / 2.0);
    }

    #[test]
    fn what_was_fetched_back_is_taken_off_with_the_replies_that_it_took() {
        let mut entry = entry(usage(Some(9), None));
        entry.add(ResultOutcome::of_expansion("Bash", ["clean"], 500_000));
        entry.extra = Some(TokenUsage { cache_read: Some(1_000_000), ..TokenUsage::default() });
        assert!((saved(&entry) - (million(3.0 + 0.6 - 1.5) - 0.3)).abs() < 1e-9);
        let account = EntryAccount::new(&entry, &ModelPrices::default());
        assert_eq!(account.context_saved(), million(2_500_000.0) as i64 - 1_000_000);
    }

    #[test]
    fn a_reply_that_asked_in_vain_is_taken_off_too() {
        let mut entry = entry(usage(Some(9), None));
        entry.extra = Some(TokenUsage { cache_read: Some(1_000_000), ..TokenUsage::default() });
        assert!((saved(&entry) - (million(3.0 + 0.6) - 0.3)).abs() < 1e-9);
        let account = EntryAccount::new(&entry, &ModelPrices::default());
        assert_eq!(account.dollars_expanded(), Some(0.3));
    }

    #[test]
    fn what_was_only_measured_saved_nothing() {
        let mut entry = entry(None);
        entry.observed = true;
        assert_eq!(saved(&entry), 0.0);
        assert_eq!(EntryAccount::new(&entry, &ModelPrices::default()).context_saved(), 0);
    }

    #[test]
    fn without_a_price_there_is_no_money() {
        let mut entry = entry(usage(None, None));
        for model in [None, Some("llama-4".into())] {
            entry.model = model;
            let account = EntryAccount::new(&entry, &ModelPrices::default());
            assert_eq!((account.dollars_billed(), account.all_dollars_saved()), (None, None));
        }
    }

    #[test]
    fn d30_new_tokens_are_saved_at_the_price_of_the_hour_they_would_be_kept() {
        let mut entry = entry(usage(Some(9), Some(100)));
        let written = |entry: &mut LedgerEntry, hour| {
            let usage = entry.usage.take().unwrap_or_default();
            entry.usage = Some(TokenUsage { cache_write_1h: Some(hour), ..usage });
            saved(entry)
        };
        assert_eq!(written(&mut entry, 100), million(6.0 + 2.0 * 0.3));
        assert_eq!(written(&mut entry, 50), million((6.0 + 3.75) / 2.0 + 2.0 * 0.3));
    }

    #[test]
    fn d30_an_advisor_is_charged_at_its_own_price_or_the_bill_is_not_known() {
        let mut entry = entry(Some(TokenUsage { input: 1_000_000, ..TokenUsage::default() }));
        let usage = TokenUsage { input: 1_000_000, ..TokenUsage::default() };
        let advisor = |model: &str| crate::ModelUsage { model: model.into(), usage };
        entry.advisors = vec![advisor("claude-opus-4-6")];
        assert_eq!(
            EntryAccount::new(&entry, &ModelPrices::default()).dollars_billed(),
            Some(3.0 + 5.0)
        );
        entry.advisors.push(advisor("unknown-model"));
        assert_eq!(EntryAccount::new(&entry, &ModelPrices::default()).dollars_billed(), None);
    }

    #[test]
    fn what_we_added_is_taken_off_and_is_cached_where_anything_is() {
        let mut entry = entry(usage(Some(9), Some(9)));
        let without = saved(&entry);
        entry.added = 1_000_000;
        assert!((without - saved(&entry) - million(0.3)).abs() < 1e-9);
        entry.usage = usage(Some(0), Some(9));
        entry.results.clear();
        assert!((saved(&entry) + million(3.75)).abs() < 1e-9);
    }

    #[test]
    fn a_subscription_has_tokens_and_no_money() {
        let mut entry = entry(usage(Some(9), None));
        entry.subscription = true;
        let account = EntryAccount::new(&entry, &ModelPrices::default());
        assert_eq!((account.dollars_billed(), account.all_dollars_saved()), (None, None));
        assert!(account.context_saved() > 0);
    }
}
