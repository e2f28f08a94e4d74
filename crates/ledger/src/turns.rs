//! The timeline of one session: what happened, turn by turn.

use crate::account::EntryAccount;
use crate::cold_cache::SessionCache;
use crate::fetches::of_entry;
use crate::group_by::reason;
use crate::session::{OpenSession, is_of};
use crate::share::round_to;
use crate::{
    BoundedName, CacheRewrite, EntryFilter, GroupBy, LedgerEntry, LedgerReader, LedgerSummary,
    ModelPrices, OriginalFetch, RepeatedResults, ResultOutcome, SessionSummary, TokenUsage,
};
use serde::Serialize;
use std::collections::VecDeque;

/// How many of the latest turns of a session are told.
const TURNS: usize = 1000;

/// A session, turn by turn.
#[derive(Debug, Serialize)]
pub struct SessionTurns {
    /// Its sums.
    #[serde(flatten)]
    pub session: SessionSummary,
    /// Its turns in their order.
    pub turns: Vec<SessionTurn>,
    /// How many earlier ones there are.
    pub left_out: u64,
}

/// One request, or one call.
#[derive(Debug, Serialize)]
pub struct SessionTurn {
    /// Which of the session's it is, from 1.
    pub number: u64,
    /// When, in seconds since 1970.
    pub time: u64,
    /// The model that was asked.
    pub model: Option<BoundedName>,
    /// It was only measured.
    pub observed: bool,
    /// A subscription paid for it.
    pub subscription: bool,
    /// What became of the results that are new.
    pub results: Vec<TurnResult>,
    /// Those that were sent again, as they went on.
    pub repeated: RepeatedResults,
    /// What the model fetched back.
    pub fetches: Vec<OriginalFetch>,
    /// What the provider counted.
    pub usage: Option<TokenUsage>,
    /// What was written to the provider's cache again, since it had gone cold in a pause.
    pub cold_cache: Option<CacheRewrite>,
    /// All input as it went on, and how much less that is.
    pub context: Option<TurnContext>,
    /// What it cost, if that is known.
    pub cost: Option<TurnCost>,
}

/// New results of a turn to which the same was done.
#[derive(Debug, Serialize)]
pub struct TurnResult {
    #[serde(flatten)]
    outcome: ResultOutcome,
    /// Why they went on as they came, or that they did not.
    reason: String,
}

/// The input of a turn.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TurnContext {
    /// All of it, as it went on.
    pub after: u64,
    /// How much less that is.
    pub saved: i64,
    /// The provider counted it.
    pub is_counted: bool,
}

/// What a turn cost, in dollars.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TurnCost {
    /// What it would have cost; none where the bill is not known.
    pub before: Option<f64>,
    /// What it cost.
    pub after: Option<f64>,
    /// What was saved, at list prices.
    pub saved: f64,
}

impl SessionTurns {
    /// The session of this id, turn by turn. Nothing if there is none.
    #[must_use]
    pub fn of(reading: LedgerReader, id: &str, prices: &ModelPrices) -> Option<Self> {
        let all = EntryFilter::default();
        let mut open: Option<OpenSession<'_>> = None;
        let mut turns = VecDeque::new();
        let (mut number, mut cache) = (0, SessionCache::default());
        for entry in reading.filter(|entry| is_of(entry, id)) {
            number += 1;
            let begin = || OpenSession::new(id, &entry, LedgerSummary::new(GroupBy::Day, prices));
            open.get_or_insert_with(begin).add(&entry, &all);
            if turns.len() == TURNS {
                turns.pop_front();
            }
            turns.push_back(SessionTurn::of(number, entry, &mut cache, prices));
        }
        let left_out = number - turns.len() as u64;
        Some(SessionTurns { session: open?.close(), turns: turns.into(), left_out })
    }
}

impl SessionTurn {
    fn of(number: u64, entry: LedgerEntry, cache: &mut SessionCache, prices: &ModelPrices) -> Self {
        let account = EntryAccount::new(&entry, prices);
        let cost = account.all_dollars_saved().map(|saved| {
            let after = account.dollars_billed();
            TurnCost {
                before: after.map(|after| round_to(after + saved, 1e6)),
                after: after.map(|after| round_to(after, 1e6)),
                saved: round_to(saved, 1e6),
            }
        });
        let context = entry.context().map(|(after, is_counted)| TurnContext {
            after,
            saved: account.context_saved(),
            is_counted,
        });
        let mut repeated = RepeatedResults::default();
        for outcome in entry.results.iter().filter(|outcome| outcome.repeated) {
            repeated.results = repeated.results.saturating_add(outcome.results);
            repeated.before = repeated.before.saturating_add(outcome.before);
            repeated.after = repeated.after.saturating_add(account.after(outcome));
        }
        let fresh = entry.results.iter().filter(|outcome| !outcome.repeated && outcome.results > 0);
        let fresh = fresh.map(|outcome| TurnResult {
            reason: reason(&entry, outcome).to_owned(),
            outcome: outcome.clone(),
        });
        SessionTurn {
            number,
            time: entry.time,
            model: entry.model.clone(),
            observed: entry.observed,
            subscription: entry.subscription,
            results: fresh.collect(),
            repeated,
            fetches: of_entry(&entry, &EntryFilter::default()).collect(),
            usage: entry.usage,
            cold_cache: cache.take(&entry, &account),
            context,
            cost,
        }
    }
}
