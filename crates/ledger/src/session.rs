//! Sessions, summed up: which there were.

use crate::fetches::of_entry;
use crate::{
    BoundedName, CacheRewriteSums, CostSaving, EntryFilter, EntrySource, GroupBy, LedgerEntry,
    LedgerReader, LedgerSummary, ModelPrices, TokenSums, UtcDay,
};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// Beyond so many sessions the oldest are forgotten while the ledger is read.
const SESSIONS: usize = 4000;

/// What the requests of a session have in common.
///
/// A client that names its session is taken at its word. Others are told apart by how their conversation begins. Calls of
/// hooks and tool servers, and requests before the first tool result, may have neither: those of one client, project and
/// day are put together.
pub(crate) fn id(entry: &LedgerEntry) -> String {
    if let Some(session) = &entry.session {
        return session.to_string();
    }
    let name =
        |name: &Option<BoundedName>| name.as_ref().map_or("", BoundedName::as_str).to_owned();
    let (client, project) = (name(&entry.client), name(&entry.project));
    let mut id = format!("{}-{:?}-", UtcDay::of(entry.time), entry.source).to_lowercase();
    // Clients choose their names; an id is part of an address.
    for byte in client.bytes().chain([0]).chain(project.bytes()) {
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// Is this an entry of that session?
pub(crate) fn is_of(entry: &LedgerEntry, session: &str) -> bool {
    match &entry.session {
        Some(name) => *name == *session,
        None => id(entry) == session,
    }
}

/// A session, in sums.
#[derive(Debug, Clone, Serialize)]
pub struct SessionSummary {
    /// What it is asked for by.
    pub id: String,
    /// Did its requests have something that tells them from others?
    pub is_known: bool,
    /// The time of its first entry, in seconds since 1970.
    pub started: u64,
    /// The time of its last entry.
    pub ended: u64,
    /// Who wrote it down.
    pub source: EntrySource,
    /// The agent.
    pub client: Option<BoundedName>,
    /// The project.
    pub project: Option<BoundedName>,
    /// The model that was asked most recently.
    pub model: Option<BoundedName>,
    /// Requests and calls.
    pub requests: u64,
    /// Those of them that a subscription paid for.
    pub subscription_requests: u64,
    /// Tool results, each counted when it first appears.
    pub results: u64,
    /// Their tokens.
    pub tokens: TokenSums,
    /// How often the model fetched something back.
    pub fetches: u64,
    /// The money, if any price is known.
    pub cost: Option<CostSaving>,
    /// What it costs that the provider's cache was cold after pauses.
    pub cold_caches: CacheRewriteSums,
}

/// The latest sessions.
#[derive(Debug, Serialize)]
pub struct SessionList {
    /// The latest first.
    pub sessions: Vec<SessionSummary>,
    /// How many more there are.
    pub left_out: usize,
}

/// A session that is being added up.
pub(crate) struct OpenSession<'p> {
    session: SessionSummary,
    sums: LedgerSummary<'p>,
}

impl SessionList {
    /// The latest sessions about which there is something that is meant, so many at most.
    #[must_use]
    pub fn of(
        reading: LedgerReader,
        filter: &EntryFilter,
        prices: &ModelPrices,
        most: usize,
    ) -> Self {
        let mut open: HashMap<String, OpenSession<'_>> = HashMap::new();
        let mut forgotten = 0;
        for entry in reading.filter(|entry| filter.is_about(entry)) {
            let id = id(&entry);
            if open.len() >= SESSIONS && !open.contains_key(&id) {
                forgotten += forget(&mut open);
            }
            let begin = || {
                OpenSession::new(
                    &id,
                    &entry,
                    LedgerSummary::new(GroupBy::Day, prices).about(filter),
                )
            };
            open.entry(id.clone()).or_insert_with(begin).add(&entry, filter);
        }
        let mut sessions: Vec<SessionSummary> =
            open.into_values().map(OpenSession::close).collect();
        sessions.sort_by(|one, other| {
            other
                .ended
                .cmp(&one.ended)
                .then(other.started.cmp(&one.started))
                .then(one.id.cmp(&other.id))
        });
        let left_out = sessions.len().saturating_sub(most) + forgotten;
        sessions.truncate(most);
        SessionList { sessions, left_out }
    }
}

/// Forgets the older half.
fn forget(open: &mut HashMap<String, OpenSession<'_>>) -> usize {
    let mut ended: Vec<u64> = open.values().map(|open| open.session.ended).collect();
    ended.sort_unstable();
    let middle = ended.get(ended.len() / 2).copied().unwrap_or(0);
    let before = open.len();
    open.retain(|_, open| open.session.ended > middle);
    before - open.len()
}

impl<'p> OpenSession<'p> {
    pub(crate) fn new(id: &str, entry: &LedgerEntry, sums: LedgerSummary<'p>) -> Self {
        let session = SessionSummary {
            id: id.to_owned(),
            is_known: entry.session.is_some(),
            started: entry.time,
            ended: entry.time,
            source: entry.source,
            client: None,
            project: None,
            model: None,
            requests: 0,
            subscription_requests: 0,
            results: 0,
            tokens: TokenSums::default(),
            fetches: 0,
            cost: None,
            cold_caches: CacheRewriteSums::default(),
        };
        OpenSession { session, sums }
    }

    pub(crate) fn add(&mut self, entry: &LedgerEntry, filter: &EntryFilter) {
        let session = &mut self.session;
        session.started = session.started.min(entry.time);
        session.ended = session.ended.max(entry.time);
        for (have, new) in [
            (&mut session.client, &entry.client),
            (&mut session.project, &entry.project),
            (&mut session.model, &entry.model),
        ] {
            if new.is_some() {
                have.clone_from(new);
            }
        }
        session.fetches += of_entry(entry, filter).count() as u64;
        self.sums.add(entry);
    }

    pub(crate) fn close(self) -> SessionSummary {
        let gain = self.sums.gain();
        SessionSummary {
            requests: gain.requests,
            subscription_requests: gain.subscription_requests,
            results: gain.results,
            tokens: gain.tokens,
            cost: gain.cost,
            cold_caches: gain.cold_caches.sums,
            ..self.session
        }
    }
}
