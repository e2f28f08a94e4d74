//! Telemetry: what can be seen from outside, in metrics, events and logs. Never a text, a prompt or a key.

mod background_queue;
mod counters;
mod event;
mod ledger_writer;
mod live;
mod log;
mod metrics;
mod minutes;
mod prompt_counter;
mod recent;
mod request_account;
mod savings;
mod stats;
mod tables;

use crate::answer::Problem;
use counters::MetricCounters;
use ledger_writer::LedgerWriter;
use live::LiveEvents;
use log::EventLog;
pub(crate) use prompt_counter::PromptCount;
use prompt_counter::PromptCounter;
use recent::RecentReports;
pub(crate) use request_account::{RequestAccount, ledger_usage};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;
use tables::FigureTables;
use tokenforge_config::Settings;
use tokenforge_conversation::SplicedBody;
use tokenforge_conversation::report::RequestReport;
use tokenforge_engine::prompt;
use tokenforge_ledger::ModelPrices;
use tokenforge_plugin::PluginMetrics;
use tokenforge_providers::{Dialect, TokenCounts, TurnUsage};
use tokenforge_store::StoreStats;
use tokio::sync::broadcast;

/// Counts requests, and sends events to those who subscribed.
pub(crate) struct Telemetry {
    pub(crate) counters: MetricCounters,
    tables: Mutex<FigureTables>,
    recent: Mutex<RecentReports>,
    prices: RwLock<ModelPrices>,
    log: RwLock<Option<EventLog>>,
    ledger: Option<LedgerWriter>,
    /// Where there is a ledger.
    prompt_counter: Option<PromptCounter>,
    live: LiveEvents,
}

impl Telemetry {
    pub(crate) fn new(settings: &Settings) -> Self {
        let ledger = LedgerWriter::open(&settings.ledger);
        Telemetry {
            prompt_counter: ledger.as_ref().map(|_| PromptCounter::start()),
            counters: MetricCounters::default(),
            tables: Mutex::default(),
            recent: Mutex::default(),
            prices: RwLock::new(ModelPrices::new(&settings.prices)),
            log: RwLock::new(EventLog::open(&settings.monitoring)),
            ledger,
            live: LiveEvents::default(),
        }
    }

    pub(crate) fn reconfigure(&self, settings: &Settings) {
        *self.prices.write().unwrap_or_else(PoisonError::into_inner) =
            ModelPrices::new(&settings.prices);
        let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
        if log.as_ref().and_then(EventLog::path) != settings.monitoring.compression_log.as_deref() {
            *log = EventLog::open(&settings.monitoring);
        }
    }

    /// A request was rewritten, and is about to be sent.
    pub(crate) fn count_rewritten(&self, report: &RequestReport) {
        self.counters.requests.add(1);
        if !report.results.is_empty() || !report.changes.is_empty() {
            let now = SystemTime::now();
            self.recent.lock().unwrap_or_else(PoisonError::into_inner).add(now, report);
            self.tell(now, report);
        }
    }

    /// Events are made only if a log or a subscriber reads them.
    fn tell(&self, now: SystemTime, report: &RequestReport) {
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        if log.is_none() && !self.live.is_watched() {
            return;
        }
        for result in &report.results {
            let event = event::result_event(now, report, result);
            if let Some(log) = &*log
                && !log.write(&event)
            {
                self.counters.events_dropped.add(1);
            }
            self.live.tell(event);
        }
    }

    /// Has all text of a request counted as it goes on, of every few requests.
    pub(crate) fn count_prompt_text(
        &self,
        body: &SplicedBody,
        dialect: Dialect,
        model: Option<&str>,
    ) -> Option<PromptCount> {
        self.prompt_counter.as_ref()?.offer(body, dialect, model?)
    }

    /// The provider said what a turn cost.
    pub(crate) fn count_usage(&self, usage: &TurnUsage) {
        let TokenCounts { input, output, cache_read, cache_write, .. } = usage.billed;
        let counters = &self.counters;
        counters.input_tokens.add(input.unwrap_or(0));
        counters.output_tokens.add(output.unwrap_or(0));
        counters.cache_read_tokens.add(cache_read.unwrap_or(0));
        counters.cache_write_tokens.add(cache_write.unwrap_or(0));
    }

    /// The model asked for what was left out: it got so many tokens, or an explanation.
    pub(crate) fn count_expansion(&self, tokens: Option<usize>) {
        match tokens {
            Some(tokens) => {
                self.counters.expansions.add(1);
                self.counters.expansion_tokens.add(tokens as u64);
            }
            None => self.counters.expansions_failed.add(1),
        }
    }

    /// A text of a prompt was converted, or not.
    pub(crate) fn count_prompt(&self, outcome: &prompt::PromptOutcome, is_logged: bool) {
        match outcome {
            prompt::PromptOutcome::Converted { stats, .. } => {
                self.counters.prompts_converted.add(1);
                if is_logged {
                    tracing::info!(
                        originalBytes = stats.original_bytes,
                        compressedBytes = stats.compressed_bytes,
                        originalTokens = stats.original_tokens,
                        compressedTokens = stats.compressed_tokens,
                        "JSON in the prompt was sent as TOON"
                    );
                }
            }
            prompt::PromptOutcome::Kept(reason) => {
                self.with_tables(|tables| tables.count_prompt_kept(reason.name()))
            }
        }
    }

    /// What a strategy said before was used again.
    pub(crate) fn count_strategy_reuse(&self) {
        self.counters.strategy_remembered.add(1);
    }

    /// A strategy was asked, and had an answer or not.
    pub(crate) fn count_strategy_call(&self, is_success: bool) {
        let (successes, failures) =
            (&self.counters.strategy_successes, &self.counters.strategy_failures);
        if is_success { successes } else { failures }.add(1);
    }

    /// The stages were out of time, and the original went on: what is forwarded depended on the clock.
    pub(crate) fn deadline_passed(&self) {
        self.counters.deadlines_passed.add(1);
        tracing::warn!("a tool result took too long to compress, and went on as it came");
    }

    /// The work on a request failed or did not end, and its tool results went on as they came.
    pub(crate) fn gave_up(&self) {
        self.counters.given_up.add(1);
        tracing::warn!("a request could not be compressed, and went on as it came");
    }

    /// A client hears of a problem.
    pub(crate) fn count_problem(&self, problem: &Problem) {
        self.counters.problems.add(1);
        tracing::info!(status = problem.status.as_u16(), "a request was not served");
    }

    /// An original was not kept. The model can still fetch it back, because the request itself holds it.
    pub(crate) fn original_not_kept(&self, error: &tokenforge_store::StoreError) {
        self.counters.store_failures.add(1);
        tracing::warn!(
            %error,
            "the store did not keep an original; the model gets it from the request that holds it, and from nowhere else"
        );
    }

    /// A result could not be kept in case the client clears it.
    pub(crate) fn earlier_result_not_kept(&self, error: &tokenforge_store::StoreError) {
        self.counters.store_failures.add(1);
        tracing::warn!(%error, "the store did not keep a result; if the client clears it, the model cannot find it");
    }

    /// What was to be left out of a result could not be kept.
    pub(crate) fn nothing_left_out(&self, error: &tokenforge_store::StoreError) {
        self.counters.store_failures.add(1);
        tracing::warn!(%error, "the store did not keep an original; nothing is left out of this result");
    }

    /// There is no key for references.
    pub(crate) fn key_missing(&self, error: &tokenforge_store::StoreError) {
        self.counters.store_failures.add(1);
        tracing::warn!(%error, "no key for references; nothing is left out of tool results until there is one");
    }

    /// All figures, for people and the dashboard.
    pub(crate) fn stats(&self, store: Option<StoreStats>) -> Value {
        let has_ledger = self.has_ledger();
        self.with_tables(|tables| stats::document(&self.counters, tables, store, has_ledger))
    }

    /// All figures, for Prometheus.
    pub(crate) fn metrics(&self, plugins: impl Iterator<Item = PluginMetrics>) -> String {
        metrics::text(&self.counters, plugins)
    }

    /// The events of the latest new results.
    pub(crate) fn recent(&self) -> Vec<Value> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).events()
    }

    /// What happens from now on.
    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<str>> {
        self.live.watch()
    }

    fn with_tables<T>(&self, each: impl FnOnce(&mut FigureTables) -> T) -> T {
        each(&mut self.tables.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
