//! Everything that a page about the past shows, from one pass over the entries: so its parts always agree.

use crate::account::Account;
use crate::{By, Cost, Entry, Filter, Gain, Of, Prices, Reading, Row, Summary, Tokens};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many rows of each table are told.
const ROWS: usize = 200;

/// By what a page adds up.
const TABLES: [By; 6] = [By::Tool, By::Project, By::Model, By::Client, By::Stage, By::Reason];

/// The past: the sums, the same by name, and the same over time.
#[derive(Debug, Serialize)]
pub struct History {
    /// The sums; its rows are in `rows`.
    pub gain: Gain,
    /// The rows by tool, project, model, client, stage and reason.
    pub rows: BTreeMap<&'static str, Table>,
    /// The sums between each edge and the next.
    pub series: Vec<Bucket>,
}

/// The rows by one thing.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Those with the largest savings.
    pub rows: Vec<Row>,
    /// How many more there are.
    pub left_out: usize,
}

/// The sums of a stretch of time.
#[derive(Debug, Serialize)]
pub struct Bucket {
    /// Its first second.
    pub start: u64,
    /// The first second after it.
    pub end: u64,
    /// Requests and calls.
    pub requests: u64,
    /// Tool results, each counted when it first appears.
    pub results: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// All input of all requests: what it would have been, and how much less it was.
    pub context: Amount,
    /// The money, if any price is known.
    pub cost: Option<Cost>,
}

/// Something that was made smaller.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Amount {
    /// How much it would have been.
    pub before: f64,
    /// How much less it was.
    pub saved: f64,
}

impl History {
    /// The past between the first edge and the last, which rise; without edges, all of it and no series.
    #[must_use]
    pub fn of(mut reading: Reading, filter: &Filter, edges: &[u64], prices: &Prices) -> Self {
        let whole = Filter {
            since: edges.first().copied().or(filter.since),
            until: edges.last().copied().or(filter.until),
            ..filter.clone()
        };
        let summary = |by| Summary::new(by, prices).about(&whole);
        let mut tables = TABLES.map(summary);
        let mut series: Vec<Summary<'_>> = Vec::new();
        series.resize_with(edges.len().saturating_sub(1), || summary(By::Day));
        for entry in reading.by_ref() {
            if !whole.is_about(&entry) {
                continue;
            }
            let account = Account::new(&entry, prices);
            let bucket = bucket_of(&entry, edges).and_then(|at| series.get_mut(at));
            tables.iter_mut().chain(bucket).for_each(|sums| sums.count(&entry, &account));
        }
        let skipped_lines = reading.skipped();
        let [tools, others @ ..] = tables.map(|table| table.gain());
        let rows = others.into_iter().map(|gain| (gain.by.name(), Table::of(gain.rows)));
        let mut rows: BTreeMap<_, _> = rows.collect();
        rows.insert(By::Tool.name(), Table::of(tools.rows.clone()));
        let spans = edges.windows(2).map(|pair| (pair[0], pair[1]));
        let series = spans.zip(&series).map(|(span, sums)| Bucket::of(span, sums.gain())).collect();
        History { gain: Gain { skipped_lines, rows: Vec::new(), ..tools }, rows, series }
    }
}

/// The bucket that an entry belongs to.
fn bucket_of(entry: &Entry, edges: &[u64]) -> Option<usize> {
    edges.partition_point(|edge| *edge <= entry.time).checked_sub(1)
}

impl Table {
    fn of(mut rows: Vec<Row>) -> Self {
        let left_out = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        Table { rows, left_out }
    }
}

impl Bucket {
    fn of((start, end): (u64, u64), gain: Gain) -> Self {
        let context = gain.shares.iter().find(|share| share.of == Of::WholeContext);
        let context = context.map(|share| Amount { before: share.before, saved: share.saved });
        let Gain { requests, results, tokens, cost, .. } = gain;
        Bucket { start, end, requests, results, tokens, context: context.unwrap_or_default(), cost }
    }
}
