//! What was saved: counted when a provider accepted a request, priced and written down when it is over.

use super::Telemetry;
use super::ledger_writer::{LedgerItem, LedgerWriter};
use super::request_account::{self, RequestAccount};
use super::tables::SettledAccount;
use std::io;
use std::sync::{PoisonError, RwLockReadGuard};
use std::time::SystemTime;
use tokenforge_config::Price;
use tokenforge_ledger::{
    EntryAccount, EntrySource, Ledger, LedgerEntry, LedgerReader, ModelPrices, ResultOutcome,
    UtcDay,
};

impl Telemetry {
    /// A provider accepted the request.
    pub(crate) fn count_accepted(&self, record: &RequestAccount) {
        let (counters, sums) = (&self.counters, &record.sums);
        counters.results.add(sums.results);
        counters.compressed.add(sums.compressed);
        counters.bytes_before.add(sums.bytes_before);
        counters.bytes_after.add(sums.bytes_after);
        counters.cache_hits.add(sums.reused);
        counters.cache_misses.add(sums.results - sums.reused);
        counters.fresh_tokens_before.add(sums.fresh.before);
        counters.fresh_tokens_after.add(sums.fresh.after);
        counters.repeated_tokens_before.add(sums.repeated.before);
        counters.repeated_tokens_after.add(sums.repeated.after);
        counters.redacted.add(sums.redacted);
        self.with_tables(|tables| tables.add(&record.report));
    }

    /// No provider accepted the request.
    pub(crate) fn count_not_accepted(&self) {
        self.counters.requests_not_taken.add(1);
    }

    /// A request is over: what it saved is known, and is written down.
    pub(crate) fn settle(&self, record: RequestAccount) {
        let summed = record.summed_entry();
        let prices = self.prices();
        let account = EntryAccount::new(&summed, &prices);
        let settled = SettledAccount {
            saved: account.all_dollars_saved(),
            expanded: account.dollars_expanded(),
            billed: account.dollars_billed(),
            is_subscription: record.is_subscription,
        };
        drop(prices);
        self.with_tables(|tables| tables.settle(settled));
        if let Some(ledger) = &self.ledger {
            self.write(ledger, LedgerItem::Record(Box::new(record)));
        }
    }

    /// A tool server's result, as it came and as it went on.
    pub(crate) fn count_tool_call(&self, client: &str, outcome: ResultOutcome, is_observed: bool) {
        let counters = &self.counters;
        let sent = if is_observed { outcome.before } else { outcome.after };
        counters.results.add(1);
        counters.cache_misses.add(1);
        counters.fresh_tokens_before.add(outcome.before);
        counters.fresh_tokens_after.add(sent);
        self.with_tables(|tables| {
            tables.add_tool_call(outcome.tool.as_str(), outcome.before, sent)
        });
        counters.compressed.add(u64::from(outcome.is_touched() && !is_observed));
        self.enter(client, outcome, is_observed);
    }

    /// Something was fetched back through the tool of a tool server.
    pub(crate) fn count_tool_expansion(&self, tokens: Option<usize>) {
        self.count_expansion(tokens);
        if let Some(tokens) = tokens {
            self.enter(
                "",
                ResultOutcome::of_expansion("", [request_account::UNKNOWN], tokens as u64),
                false,
            );
        }
    }

    fn enter(&self, client: &str, outcome: ResultOutcome, is_observed: bool) {
        let Some(ledger) = &self.ledger else { return };
        let mut entry =
            LedgerEntry::new(EntrySource::Mcp, request_account::seconds(SystemTime::now()));
        entry.client = (!client.is_empty()).then(|| client.into());
        entry.observed = is_observed;
        entry.add(outcome);
        self.write(ledger, LedgerItem::Entry(Box::new(entry)));
    }

    /// Writes an entry that belongs to no client's request, such as a request of the gateway itself.
    pub(crate) fn write_down(&self, entry: LedgerEntry) {
        if let Some(ledger) = &self.ledger {
            self.write(ledger, LedgerItem::Entry(Box::new(entry)));
        }
    }

    /// What a model costs, if that is known.
    pub(crate) fn price_of(&self, model: &str) -> Option<Price> {
        self.prices().of(model)
    }

    fn write(&self, ledger: &LedgerWriter, page: LedgerItem) {
        self.counters.ledger_dropped.add(u64::from(!ledger.write(page)));
    }

    /// Are savings written down?
    pub(crate) fn has_ledger(&self) -> bool {
        self.ledger.is_some()
    }

    /// What the ledger says from a moment on, in seconds since 1970. Nothing if there is no ledger. Blocks.
    pub(crate) fn ledger<T>(
        &self,
        since: Option<u64>,
        ask: impl FnOnce(LedgerReader, &ModelPrices) -> T,
    ) -> Option<io::Result<T>> {
        let ledger = self.ledger.as_ref()?;
        ledger.close();
        let reading = Ledger::read(ledger.folder(), since.map(UtcDay::of));
        let prices = self.prices().clone();
        Some(reading.map(|reading| ask(reading, &prices)))
    }

    /// Writes what waits to be written. Blocks.
    pub(crate) fn close(&self) {
        if let Some(ledger) = &self.ledger {
            ledger.close();
        }
    }

    fn prices(&self) -> RwLockReadGuard<'_, ModelPrices> {
        self.prices.read().unwrap_or_else(PoisonError::into_inner)
    }
}
