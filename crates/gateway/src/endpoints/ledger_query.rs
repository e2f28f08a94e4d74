//! A query of the ledger, as it is written in the query of an address.

use crate::answer::Problem;
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_ledger::{BoundedName, EntryFilter, GroupBy, UtcDay};

/// How many columns a chart may have.
const MOST_EDGES: usize = 1001;

/// How many sessions or calls an answer lists, unless the query gives another number, and at most.
const USUAL: usize = 200;
const MOST: usize = 1000;

/// What is asked.
#[derive(Debug)]
pub(super) struct LedgerQuery {
    pub(super) filter: EntryFilter,
    pub(super) by: GroupBy,
    /// Moments in seconds since 1970, rising: what lies between two of them is added up.
    pub(super) edges: Vec<u64>,
    pub(super) most: usize,
}

impl LedgerQuery {
    /// Reads a query that may have these names, and those of a [`EntryFilter`].
    pub(super) fn read(query: Option<&str>, names: &[&str]) -> Result<Self, Problem> {
        let filter = EntryFilter::default();
        let mut asked =
            LedgerQuery { filter, by: GroupBy::default(), edges: Vec::new(), most: USUAL };
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if !asked.choose(&name, &value)? {
                match &*name {
                    "by" if names.contains(&"by") => {
                        let read = value.parse();
                        asked.by = read.map_err(|error| wrong(&format!("by: {error}")))?;
                    }
                    "edges" if names.contains(&"edges") => asked.edges = edges(&value)?,
                    "limit" if names.contains(&"limit") => {
                        let most = whole("limit", &value)?;
                        asked.most = usize::try_from(most).unwrap_or(MOST).min(MOST);
                    }
                    _ => return Err(unknown(names)),
                }
            }
        }
        Ok(asked)
    }

    /// Is it one of the names by which entries are chosen?
    fn choose(&mut self, name: &str, value: &str) -> Result<bool, Problem> {
        let filter = &mut self.filter;
        let named = Some(BoundedName::from(value));
        match name {
            "since" => filter.since = Some(whole(name, value)?),
            "until" => filter.until = Some(whole(name, value)?),
            "days" => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let first = UtcDay::of(now.as_secs()).first_of(whole(name, value)?);
                filter.since = Some(first.start());
            }
            "client" => filter.client = named,
            "project" => filter.project = named,
            "model" => filter.model = named,
            "tool" => filter.tool = named,
            "reason" => filter.reason = named,
            "text" => filter.text = Some(value.to_lowercase()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The first moment of interest.
    pub(super) fn start(&self) -> Option<u64> {
        self.edges.first().copied().or(self.filter.since)
    }
}

fn whole(name: &str, value: &str) -> Result<u64, Problem> {
    let read = value.parse().ok().filter(|number| *number > 0);
    read.ok_or_else(|| wrong(&format!("{name}: expected a whole number from 1 on")))
}

fn edges(value: &str) -> Result<Vec<u64>, Problem> {
    let edges: Result<Vec<u64>, Problem> =
        value.split(',').take(MOST_EDGES + 1).map(|edge| whole("edges", edge)).collect();
    let edges = edges?;
    let is_good =
        (2..=MOST_EDGES).contains(&edges.len()) && edges.windows(2).all(|pair| pair[0] < pair[1]);
    if is_good {
        Ok(edges)
    } else {
        Err(wrong(&format!(
            "edges: expected 2 to {MOST_EDGES} moments in seconds since 1970, each after the one before"
        )))
    }
}

fn unknown(names: &[&str]) -> Problem {
    let all = names
        .iter()
        .chain(&["days", "since", "until", "client", "project", "model", "tool", "reason", "text"]);
    let all: Vec<&str> = all.copied().collect();
    wrong(&format!("expected any of {}", all.join(", ")))
}

fn wrong(message: &str) -> Problem {
    Problem::bad_request(message.to_owned())
}
