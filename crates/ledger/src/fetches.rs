//! Expansions in the ledger: what models fetched back.

use crate::session::id;
use crate::{BoundedName, EntryFilter, LedgerEntry, LedgerReader, OriginalFetch};
use serde::Serialize;
use std::collections::VecDeque;

/// What models fetched back, the latest first.
#[derive(Debug, Serialize)]
pub struct FetchList {
    /// Each call.
    pub fetches: Vec<SessionFetch>,
    /// How many earlier ones there are.
    pub left_out: u64,
}

/// A call with which a model fetched something back, and where.
#[derive(Debug, Serialize)]
pub struct SessionFetch {
    /// When, in seconds since 1970.
    pub time: u64,
    /// The session.
    pub session: String,
    /// The agent.
    pub client: Option<BoundedName>,
    /// The project.
    pub project: Option<BoundedName>,
    /// The model.
    pub model: Option<BoundedName>,
    /// What was fetched.
    #[serde(flatten)]
    pub fetch: OriginalFetch,
}

impl FetchList {
    /// What was fetched back of what is meant, so many calls at most.
    #[must_use]
    pub fn of(reading: LedgerReader, filter: &EntryFilter, most: usize) -> Self {
        // Chosen by what was fetched, not by what else the request holds.
        let of_requests = EntryFilter { tool: None, text: None, reason: None, ..filter.clone() };
        let (mut latest_last, mut left_out) = (VecDeque::new(), 0);
        for entry in reading.filter(|entry| of_requests.is_about(entry)) {
            for fetch in of_entry(&entry, filter) {
                if latest_last.len() == most {
                    latest_last.pop_front();
                    left_out += 1;
                }
                latest_last.push_back(SessionFetch {
                    time: entry.time,
                    session: id(&entry),
                    client: entry.client.clone(),
                    project: entry.project.clone(),
                    model: entry.model.clone(),
                    fetch,
                });
            }
        }
        FetchList { fetches: latest_last.into_iter().rev().collect(), left_out }
    }
}

/// What was fetched back in an entry, of the results that are meant.
pub(crate) fn of_entry<'e>(
    entry: &'e LedgerEntry,
    filter: &'e EntryFilter,
) -> impl Iterator<Item = OriginalFetch> + 'e {
    let fetches = entry.fetches.iter();
    fetches.filter(|fetch| filter.names(&fetch.tool, fetch.program.as_ref())).cloned()
}
