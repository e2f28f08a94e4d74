//! What models fetched back.

use crate::session::id;
use crate::{Entry, Fetch, Filter, Name, Part, Reading};
use serde::Serialize;
use std::collections::VecDeque;

/// What models fetched back, the latest first.
#[derive(Debug, Serialize)]
pub struct Fetches {
    /// Each call.
    pub fetches: Vec<Fetched>,
    /// How many earlier ones there are.
    pub left_out: u64,
}

/// A call with which a model fetched something back, and where.
#[derive(Debug, Serialize)]
pub struct Fetched {
    /// When, in seconds since 1970.
    pub time: u64,
    /// The session.
    pub session: String,
    /// The agent.
    pub client: Option<Name>,
    /// The project.
    pub project: Option<Name>,
    /// The model.
    pub model: Option<Name>,
    /// What was fetched.
    #[serde(flatten)]
    pub fetch: Fetch,
}

impl Fetches {
    /// What was fetched back of what is meant, so many calls at most.
    #[must_use]
    pub fn of(reading: Reading, filter: &Filter, most: usize) -> Self {
        // Chosen by what was fetched, not by what else the request holds.
        let of_requests = Filter { tool: None, text: None, reason: None, ..filter.clone() };
        let (mut latest_last, mut left_out) = (VecDeque::new(), 0);
        for entry in reading.filter(|entry| of_requests.is_about(entry)) {
            for fetch in of_entry(&entry, filter) {
                if latest_last.len() == most {
                    latest_last.pop_front();
                    left_out += 1;
                }
                latest_last.push_back(Fetched {
                    time: entry.time,
                    session: id(&entry),
                    client: entry.client.clone(),
                    project: entry.project.clone(),
                    model: entry.model.clone(),
                    fetch,
                });
            }
        }
        Fetches { fetches: latest_last.into_iter().rev().collect(), left_out }
    }
}

/// What was fetched back in an entry, of the results that are meant. Older entries do not say how often: once for each
/// kind of result, then.
pub(crate) fn of_entry<'e>(
    entry: &'e Entry,
    filter: &'e Filter,
) -> impl Iterator<Item = Fetch> + 'e {
    let is_old = entry.fetches.is_empty();
    let older = entry.results.iter().filter(move |outcome| is_old && outcome.expanded > 0);
    let older = older.map(|outcome| Fetch {
        tool: outcome.tool.clone(),
        program: outcome.program.clone(),
        part: Part::Other,
        tokens: outcome.expanded,
    });
    let is_meant = move |fetch: &Fetch| filter.names(&fetch.tool, fetch.program.as_ref());
    entry.fetches.iter().cloned().chain(older).filter(is_meant)
}
