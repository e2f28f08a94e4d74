//! The time series and tables of the past, from one pass over the entries: so the parts of a page always agree.

use crate::account::EntryAccount;
use crate::cold_cache::ColdCacheSummary;
use crate::{
    CostSaving, EntryFilter, GainReport, GainRow, GroupBy, LedgerEntry, LedgerReader,
    LedgerSummary, ModelPrices, ShareDenominator, TokenSums,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many rows of each table are told.
const ROWS: usize = 200;

/// By what a page adds up.
const TABLES: [GroupBy; 6] = [
    GroupBy::Tool,
    GroupBy::Project,
    GroupBy::Model,
    GroupBy::Client,
    GroupBy::Stage,
    GroupBy::Reason,
];

/// The past: the sums, the same by name, and the same over time.
#[derive(Debug, Serialize)]
pub struct LedgerHistory {
    /// The sums; its rows are in `rows`.
    pub gain: GainReport,
    /// The rows by tool, project, model, client, stage and reason.
    pub rows: BTreeMap<&'static str, GainTable>,
    /// The sums between each edge and the next.
    pub series: Vec<TimeBucket>,
}

/// The rows by one thing.
#[derive(Debug, Serialize)]
pub struct GainTable {
    /// Those with the largest savings.
    pub rows: Vec<GainRow>,
    /// How many more there are.
    pub left_out: usize,
}

/// The sums of a stretch of time.
#[derive(Debug, Serialize)]
pub struct TimeBucket {
    /// Its first second.
    pub start: u64,
    /// The first second after it.
    pub end: u64,
    /// Requests and calls.
    pub requests: u64,
    /// Tool results, each counted when it first appears.
    pub results: u64,
    /// Their tokens.
    pub tokens: TokenSums,
    /// All input of all requests: what it would have been, and how much less it was.
    pub context: SavedAmount,
    /// The money, if any price is known.
    pub cost: Option<CostSaving>,
}

/// Something that was made smaller.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct SavedAmount {
    /// How much it would have been.
    pub before: f64,
    /// How much less it was.
    pub saved: f64,
}

impl LedgerHistory {
    /// The past between the first edge and the last, which rise; without edges, all of it and no series.
    #[must_use]
    pub fn of(
        mut reading: LedgerReader,
        filter: &EntryFilter,
        edges: &[u64],
        prices: &ModelPrices,
    ) -> Self {
        let whole = EntryFilter {
            since: edges.first().copied().or(filter.since),
            until: edges.last().copied().or(filter.until),
            ..filter.clone()
        };
        let summary = |by| LedgerSummary::new(by, prices).about(&whole);
        let mut tables = TABLES.map(summary);
        tables[0] = summary(TABLES[0]).with_declarations();
        let mut series: Vec<LedgerSummary<'_>> = Vec::new();
        series.resize_with(edges.len().saturating_sub(1), || summary(GroupBy::Day));
        let mut cold_caches = ColdCacheSummary::default();
        for entry in reading.by_ref() {
            tables[0].learn(&entry);
            if !whole.is_about(&entry) {
                continue;
            }
            let account = EntryAccount::new(&entry, prices);
            if !whole.is_partial() {
                cold_caches.take(&entry, &account);
            }
            let bucket = bucket_of(&entry, edges).and_then(|at| series.get_mut(at));
            tables.iter_mut().chain(bucket).for_each(|sums| sums.count(&entry, &account));
        }
        let skipped_lines = reading.skipped_lines();
        let [tools, others @ ..] = tables.map(|table| table.gain());
        let rows = others.into_iter().map(|gain| (gain.by.name(), GainTable::of(gain.rows)));
        let mut rows: BTreeMap<_, _> = rows.collect();
        rows.insert(GroupBy::Tool.name(), GainTable::of(tools.rows.clone()));
        let spans = edges.windows(2).map(|pair| (pair[0], pair[1]));
        let series =
            spans.zip(&series).map(|(span, sums)| TimeBucket::of(span, sums.gain())).collect();
        LedgerHistory {
            gain: GainReport {
                skipped_lines,
                cold_caches: cold_caches.report(),
                rows: Vec::new(),
                ..tools
            },
            rows,
            series,
        }
    }
}

/// The bucket that an entry belongs to.
fn bucket_of(entry: &LedgerEntry, edges: &[u64]) -> Option<usize> {
    edges.partition_point(|edge| *edge <= entry.time).checked_sub(1)
}

impl GainTable {
    fn of(mut rows: Vec<GainRow>) -> Self {
        let left_out = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        GainTable { rows, left_out }
    }
}

impl TimeBucket {
    fn of((start, end): (u64, u64), gain: GainReport) -> Self {
        let context = gain.shares.iter().find(|share| share.of == ShareDenominator::WholeContext);
        let context = context.map(|share| SavedAmount { before: share.before, saved: share.saved });
        let GainReport { requests, results, tokens, cost, .. } = gain;
        TimeBucket {
            start,
            end,
            requests,
            results,
            tokens,
            context: context.unwrap_or_default(),
            cost,
        }
    }
}
