//! Sums that need more than the tool results: the whole context, and the bill.

use crate::LedgerEntry;
use crate::account::EntryAccount;
use crate::gain::{CostSaving, Currency};
use crate::share::{SavingShare, ShareDenominator, round_to};

/// Why there is no such share of some results.
const OF_WHOLE_REQUESTS: &str =
    "not known: only whole requests have one, and this is about some of their results";

/// Requests of which all input is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContextSums {
    counted: u64,
    estimated: u64,
    after: u64,
    saved: i64,
}

/// Requests of which the provider's charge is known, and the saving in the others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BillSums {
    requests: u64,
    after: f64,
    saved: f64,
    priced_elsewhere: u64,
    saved_elsewhere: f64,
}

impl ContextSums {
    pub(crate) fn add(&mut self, entry: &LedgerEntry, account: &EntryAccount<'_>) {
        let Some((tokens, is_counted)) = entry.context() else { return };
        *if is_counted { &mut self.counted } else { &mut self.estimated } += 1;
        self.after = self.after.saturating_add(tokens);
        self.saved = self.saved.saturating_add(account.context_saved());
    }

    pub(crate) fn share(&self, requests: u64, is_partial: bool) -> SavingShare {
        let known = self.counted + self.estimated;
        let note = match known {
            0 if is_partial => OF_WHOLE_REQUESTS.to_owned(),
            0 => "not known: no entry says how much the requests had beside the outputs".to_owned(),
            _ => format!(
                "all input of {known} of {requests} requests, sent again or new; counted by the provider in {}, \
                 estimated from bytes in {}",
                self.counted, self.estimated
            ),
        };
        let saved = self.saved as f64;
        let before = if known == 0 { 0.0 } else { self.after as f64 + saved };
        SavingShare::new(ShareDenominator::WholeContext, before, saved, known, note)
    }
}

impl BillSums {
    pub(crate) fn add(&mut self, account: &EntryAccount<'_>) {
        let Some(saved) = account.all_dollars_saved() else { return };
        match account.dollars_billed() {
            Some(billed) => {
                self.requests += 1;
                self.after += billed;
                self.saved += saved;
            }
            None => {
                self.priced_elsewhere += 1;
                self.saved_elsewhere += saved;
            }
        }
    }

    /// What some results of a request saved, of which the bill as a whole says nothing.
    pub(crate) fn add_part(&mut self, saved: Option<f64>) {
        let Some(saved) = saved else { return };
        self.priced_elsewhere += 1;
        self.saved_elsewhere += saved;
    }

    pub(crate) fn cost(&self) -> Option<CostSaving> {
        if self.requests + self.priced_elsewhere == 0 {
            return None;
        }
        Some(CostSaving {
            currency: Currency::Usd,
            before: round_to(self.after + self.saved, 1e6),
            after: round_to(self.after, 1e6),
            saved: round_to(self.saved, 1e6),
            requests: self.requests,
            saved_elsewhere: round_to(self.saved_elsewhere, 1e6),
        })
    }

    pub(crate) fn share(&self, requests: u64, subscription: u64, is_partial: bool) -> SavingShare {
        let note = match self.requests {
            0 if is_partial => OF_WHOLE_REQUESTS.to_owned(),
            0 if subscription > 0 => "none: with a subscription no token has a price".to_owned(),
            0 => "not known: it takes the provider's count of tokens and the price of the model; \
                  see `prices` in the settings"
                .to_owned(),
            known => format!(
                "list prices of {known} of {requests} requests: output and what was fetched back included, what is new at \
                 the price of input or of writing to the cache, what is repeated at that of reading from it"
            ),
        };
        SavingShare::new(
            ShareDenominator::Bill,
            self.after + self.saved,
            self.saved,
            self.requests,
            note,
        )
    }
}
