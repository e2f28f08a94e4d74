//! Aggregation: entries added up. Pure: the same entries and prices are the same sums.

use crate::account::{EntryAccount, to_signed};
use crate::calibration::CalibrationSums;
use crate::cold_cache::ColdCacheSummary;
use crate::day::rfc3339;
use crate::declarations::DeclarationSums;
use crate::gain::{GainReport, GainRow, RepeatedResults, TokenSums};
use crate::group_by::GroupBy;
use crate::measure::{BillSums, ContextSums};
use crate::shadow_cost::ShadowCost;
use crate::share::{SavingShare, ShareDenominator, round_to};
use crate::{EntryFilter, LedgerEntry, LedgerReader, ModelPrices, ResultOutcome};
use std::collections::BTreeMap;

/// Names beyond this many are added up together: clients choose them.
const NAMES: usize = 1000;
const OTHERS: &str = "(others)";

/// The sums so far.
#[derive(Debug)]
pub struct LedgerSummary<'p> {
    by: GroupBy,
    prices: &'p ModelPrices,
    filter: Option<&'p EntryFilter>,
    requests: u64,
    subscription_requests: u64,
    period: Option<(u64, u64)>,
    total: Sums,
    touched_before: u64,
    observed: RepeatedResults,
    context: ContextSums,
    bill: BillSums,
    cold_caches: ColdCacheSummary,
    rows: BTreeMap<String, Sums>,
    /// Tool declarations, where they are asked for: there are many summaries of one reading.
    declarations: Option<DeclarationSums>,
    calibration: CalibrationSums,
    shadow: ShadowCost,
    skipped_lines: u64,
}

/// What is added up for the whole and for each row.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    fresh: RepeatedResults,
    repeated: RepeatedResults,
    expanded: u64,
    dollars: Option<f64>,
}

impl<'p> LedgerSummary<'p> {
    /// Nothing yet.
    #[must_use]
    pub fn new(by: GroupBy, prices: &'p ModelPrices) -> Self {
        LedgerSummary {
            by,
            prices,
            filter: None,
            requests: 0,
            subscription_requests: 0,
            period: None,
            total: Sums::default(),
            touched_before: 0,
            observed: RepeatedResults::default(),
            context: ContextSums::default(),
            bill: BillSums::default(),
            cold_caches: ColdCacheSummary::default(),
            rows: BTreeMap::new(),
            declarations: None,
            calibration: CalibrationSums::default(),
            shadow: ShadowCost::default(),
            skipped_lines: 0,
        }
    }

    /// The same, of those entries and results that are meant.
    #[must_use]
    pub fn about(self, filter: &'p EntryFilter) -> Self {
        LedgerSummary { filter: Some(filter), ..self }
    }

    /// The same, with what tool declarations cost.
    #[must_use]
    pub fn with_declarations(self) -> Self {
        LedgerSummary { declarations: Some(DeclarationSums::default()), ..self }
    }

    /// All entries that are read, added up.
    #[must_use]
    pub fn of(reading: LedgerReader, by: GroupBy, prices: &'p ModelPrices) -> GainReport {
        Self::new(by, prices).with_declarations().sum_all(reading)
    }

    /// All entries that are read, added up.
    #[must_use]
    pub fn sum_all(mut self, mut reading: LedgerReader) -> GainReport {
        reading.keep_shadow();
        while let Some(entry) = reading.next() {
            self.add_shadow(reading.take_shadow());
            self.add(&entry);
        }
        self.add_shadow(reading.take_shadow());
        self.skipped_lines = reading.skipped_lines();
        self.gain()
    }

    /// Adds an entry, if it is meant.
    pub fn add(&mut self, entry: &LedgerEntry) {
        self.learn(entry);
        if self.filter.is_none_or(|filter| filter.is_about(entry)) {
            let account = EntryAccount::new(entry, self.prices);
            // Some results of a request say nothing of its cache.
            if !self.is_partial() {
                self.cold_caches.take(entry, &account);
            }
            self.count(entry, &account);
        }
    }

    /// Adds what the gateway asked by itself: its cost, and nothing else.
    fn add_shadow(&mut self, entries: Vec<LedgerEntry>) {
        let is_about = |entry: &LedgerEntry| {
            self.filter.is_none_or(|filter| filter.is_about(entry) && !filter.is_partial())
        };
        let meant = entries.iter().filter(|entry| is_about(entry));
        meant.for_each(|entry| self.shadow.add(entry, self.prices));
    }

    /// Remembers what one entry says for others, whether it is meant or not.
    pub(crate) fn learn(&mut self, entry: &LedgerEntry) {
        if let Some(declarations) = &mut self.declarations {
            declarations.learn(entry);
        }
    }

    /// Adds an entry that is meant, of which this is the account.
    pub(crate) fn count(&mut self, entry: &LedgerEntry, account: &EntryAccount<'_>) {
        let part = self.filter.filter(|filter| filter.is_partial());
        self.requests += 1;
        self.subscription_requests += u64::from(entry.subscription);
        let (first, last) = self.period.unwrap_or((entry.time, entry.time));
        self.period = Some((first.min(entry.time), last.max(entry.time)));
        if let Some(declarations) = &mut self.declarations {
            declarations.add(entry, account);
        }
        if part.is_none() {
            self.context.add(entry, account);
            self.calibration.add(entry);
            self.bill.add(account);
        }
        for outcome in &entry.results {
            if let Some(part) = part {
                if !part.fits(entry, outcome) {
                    continue;
                }
                self.bill.add_part(account.dollars_saved(outcome));
            }
            if entry.observed {
                add(&mut self.observed, outcome, outcome.after);
            } else if outcome.is_touched() && !outcome.repeated {
                self.touched_before = self.touched_before.saturating_add(outcome.before);
            }
            self.total.add(outcome, account);
            let row = self.by.row(entry, outcome);
            self.row(row).add(outcome, account);
        }
    }

    fn row(&mut self, name: String) -> &mut Sums {
        let is_known = self.rows.len() < NAMES || self.rows.contains_key(&name);
        self.rows.entry(if is_known { name } else { OTHERS.to_owned() }).or_default()
    }

    /// What was gained.
    #[must_use]
    pub fn gain(&self) -> GainReport {
        let mut rows: Vec<GainRow> = self.rows.iter().map(|(name, sums)| sums.row(name)).collect();
        if self.by != GroupBy::Day {
            rows.sort_by_key(|row| (std::cmp::Reverse(row.net), row.name.clone()));
        }
        GainReport {
            since: self.period.map(|(first, _)| rfc3339(first)),
            until: self.period.map(|(_, last)| rfc3339(last)),
            requests: self.requests,
            subscription_requests: self.subscription_requests,
            results: self.total.fresh.results,
            tokens: self.total.tokens(),
            repeated: self.total.repeated,
            shares: self.shares(),
            cost: self.bill.cost(),
            observed: self.observed,
            cold_caches: self.cold_caches.report(),
            declarations: self.declarations.as_ref().and_then(DeclarationSums::report),
            by: self.by,
            rows,
            calibration: self.calibration.report(),
            shadow: self.shadow.report(),
            skipped_lines: self.skipped_lines,
        }
    }

    fn is_partial(&self) -> bool {
        self.filter.is_some_and(EntryFilter::is_partial)
    }

    fn shares(&self) -> Vec<SavingShare> {
        let tokens = self.total.tokens();
        let net = tokens.net as f64;
        let once = "each output counted when it first appears, less what the model fetched back";
        let touched =
            (self.touched_before as f64, format!("{once}; outputs that were made smaller"));
        let all = (tokens.before as f64, format!("{once}; all outputs, made smaller or not"));
        let share = |of, (before, note): (f64, String), saved, requests| {
            let note = if before > 0.0 { note } else { "no such output was seen yet".to_owned() };
            SavingShare::new(of, before, saved, requests, note)
        };
        vec![
            share(ShareDenominator::OutputsTouched, touched, net, self.requests),
            share(ShareDenominator::AllToolOutput, all, net, self.requests),
            self.context.share(self.requests, self.is_partial()),
            self.bill.share(self.requests, self.subscription_requests, self.is_partial()),
        ]
    }
}

impl Sums {
    fn add(&mut self, outcome: &ResultOutcome, account: &EntryAccount<'_>) {
        let part = if outcome.repeated { &mut self.repeated } else { &mut self.fresh };
        add(part, outcome, account.after(outcome));
        self.expanded = self.expanded.saturating_add(outcome.expanded);
        if let Some(dollars) = account.dollars_saved(outcome) {
            self.dollars = Some(self.dollars.unwrap_or(0.0) + dollars);
        }
    }

    fn tokens(&self) -> TokenSums {
        let RepeatedResults { before, after, .. } = self.fresh;
        let saved = to_signed(before).saturating_sub(to_signed(after));
        let expanded = self.expanded;
        TokenSums { before, after, saved, expanded, net: saved.saturating_sub(to_signed(expanded)) }
    }

    fn row(&self, name: &str) -> GainRow {
        let TokenSums { before, after, saved, expanded, net } = self.tokens();
        GainRow {
            name: name.to_owned(),
            results: self.fresh.results,
            before,
            after,
            saved,
            expanded,
            net,
            repeated: self.repeated,
            cost_saved: self.dollars.map(|dollars| round_to(dollars, 1e6)),
        }
    }
}

fn add(to: &mut RepeatedResults, outcome: &ResultOutcome, after: u64) {
    to.results = to.results.saturating_add(outcome.results);
    to.before = to.before.saturating_add(outcome.before);
    to.after = to.after.saturating_add(after);
}
