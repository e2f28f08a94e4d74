//! Entries added up. Pure: the same entries and prices are the same sums.

use crate::account::{Account, signed};
use crate::day::rfc3339;
use crate::gain::{Cost, Gain, Repeated, Row, Tokens};
use crate::share::{Of, Share, rounded};
use crate::{Day, Entry, Name, Outcome, Prices, Reading};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Names beyond this many are added up together: clients choose them.
const NAMES: usize = 1000;
const OTHERS: &str = "(others)";

/// By what entries are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum By {
    /// The tool whose result it is.
    #[default]
    Tool,
    /// The agent.
    Client,
    /// The project.
    Project,
    /// The day, in UTC.
    Day,
    /// The stages whose text was taken, together.
    Stage,
}

impl By {
    /// Every way.
    pub const ALL: &'static [Self] =
        &[Self::Tool, Self::Client, Self::Project, Self::Day, Self::Stage];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            By::Tool => "tool",
            By::Client => "client",
            By::Project => "project",
            By::Day => "day",
            By::Stage => "stage",
        }
    }

    /// The name of the row that results belong to.
    fn row(self, entry: &Entry, outcome: &Outcome) -> String {
        let or_none = |name: Option<&Name>, none: &str| name.map_or(none, Name::as_str).to_owned();
        match self {
            By::Tool if outcome.tool == *"" => "(unknown)".to_owned(),
            By::Tool => outcome.tool.to_string(),
            By::Client => or_none(entry.client.as_ref(), "(unknown)"),
            By::Project => or_none(entry.project.as_ref(), "(none)"),
            By::Day => Day::of(entry.time).to_string(),
            By::Stage if !outcome.is_touched() => "(untouched)".to_owned(),
            By::Stage => {
                let stages: Vec<&str> = outcome.stages.iter().map(Name::as_str).collect();
                stages.join(" + ")
            }
        }
    }
}

/// No such way to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownGrouping;

impl fmt::Display for UnknownGrouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected tool, client, project, day or stage")
    }
}

impl std::error::Error for UnknownGrouping {}

impl FromStr for By {
    type Err = UnknownGrouping;

    fn from_str(name: &str) -> Result<Self, UnknownGrouping> {
        Self::ALL.iter().copied().find(|by| by.name() == name).ok_or(UnknownGrouping)
    }
}

impl Serialize for By {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The sums so far.
#[derive(Debug)]
pub struct Summary<'p> {
    by: By,
    prices: &'p Prices,
    requests: u64,
    period: Option<(u64, u64)>,
    total: Sums,
    touched_before: u64,
    observed: Repeated,
    context: Context,
    bill: Bill,
    rows: BTreeMap<String, Sums>,
    skipped_lines: u64,
}

/// What is added up for the whole and for each row.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    fresh: Repeated,
    repeated: Repeated,
    expanded: u64,
    dollars: Option<f64>,
}

/// Requests of which all input is known.
#[derive(Debug, Clone, Copy, Default)]
struct Context {
    counted: u64,
    estimated: u64,
    after: u64,
    saved: i64,
}

/// Requests of which the provider's charge is known, and the saving in the others.
#[derive(Debug, Clone, Copy, Default)]
struct Bill {
    requests: u64,
    after: f64,
    saved: f64,
    priced_elsewhere: u64,
    saved_elsewhere: f64,
}

impl<'p> Summary<'p> {
    /// Nothing yet.
    #[must_use]
    pub fn new(by: By, prices: &'p Prices) -> Self {
        Summary {
            by,
            prices,
            requests: 0,
            period: None,
            total: Sums::default(),
            touched_before: 0,
            observed: Repeated::default(),
            context: Context::default(),
            bill: Bill::default(),
            rows: BTreeMap::new(),
            skipped_lines: 0,
        }
    }

    /// All entries that are read, added up.
    #[must_use]
    pub fn of(mut reading: Reading, by: By, prices: &'p Prices) -> Gain {
        let mut summary = Summary::new(by, prices);
        for entry in reading.by_ref() {
            summary.add(&entry);
        }
        summary.skipped_lines = reading.skipped();
        summary.gain()
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: &Entry) {
        self.requests += 1;
        let (first, last) = self.period.unwrap_or((entry.time, entry.time));
        self.period = Some((first.min(entry.time), last.max(entry.time)));
        let account = Account::new(entry, self.prices);
        self.context.add(entry, &account);
        self.bill.add(&account);
        for outcome in &entry.results {
            if entry.observed {
                add(&mut self.observed, outcome, outcome.after);
            } else if outcome.is_touched() && !outcome.repeated {
                self.touched_before = self.touched_before.saturating_add(outcome.before);
            }
            self.total.add(outcome, &account);
            let row = self.by.row(entry, outcome);
            self.row(row).add(outcome, &account);
        }
    }

    fn row(&mut self, name: String) -> &mut Sums {
        let is_known = self.rows.len() < NAMES || self.rows.contains_key(&name);
        self.rows.entry(if is_known { name } else { OTHERS.to_owned() }).or_default()
    }

    /// What was gained.
    #[must_use]
    pub fn gain(&self) -> Gain {
        let mut rows: Vec<Row> = self.rows.iter().map(|(name, sums)| sums.row(name)).collect();
        if self.by != By::Day {
            rows.sort_by_key(|row| (std::cmp::Reverse(row.net), row.name.clone()));
        }
        Gain {
            since: self.period.map(|(first, _)| rfc3339(first)),
            until: self.period.map(|(_, last)| rfc3339(last)),
            requests: self.requests,
            results: self.total.fresh.results,
            tokens: self.total.tokens(),
            repeated: self.total.repeated,
            shares: self.shares(),
            cost: self.bill.cost(),
            observed: self.observed,
            by: self.by,
            rows,
            skipped_lines: self.skipped_lines,
        }
    }

    fn shares(&self) -> Vec<Share> {
        let tokens = self.total.tokens();
        let net = tokens.net as f64;
        let once = "each output counted when it first appears, less what the model fetched back";
        let touched =
            (self.touched_before as f64, format!("{once}; outputs that were made smaller"));
        let all = (tokens.before as f64, format!("{once}; all outputs, made smaller or not"));
        let share = |of, (before, note): (f64, String), saved, requests| {
            let note = if before > 0.0 { note } else { "no such output was seen yet".to_owned() };
            Share::new(of, before, saved, requests, note)
        };
        vec![
            share(Of::OutputsTouched, touched, net, self.requests),
            share(Of::AllToolOutput, all, net, self.requests),
            self.context.share(self.requests),
            self.bill.share(self.requests),
        ]
    }
}

impl Sums {
    fn add(&mut self, outcome: &Outcome, account: &Account<'_>) {
        let part = if outcome.repeated { &mut self.repeated } else { &mut self.fresh };
        add(part, outcome, account.after(outcome));
        self.expanded = self.expanded.saturating_add(outcome.expanded);
        if let Some(dollars) = account.dollars_saved(outcome) {
            self.dollars = Some(self.dollars.unwrap_or(0.0) + dollars);
        }
    }

    fn tokens(&self) -> Tokens {
        let Repeated { before, after, .. } = self.fresh;
        let saved = signed(before).saturating_sub(signed(after));
        let expanded = self.expanded;
        Tokens { before, after, saved, expanded, net: saved.saturating_sub(signed(expanded)) }
    }

    fn row(&self, name: &str) -> Row {
        let Tokens { before, after, saved, expanded, net } = self.tokens();
        Row {
            name: name.to_owned(),
            results: self.fresh.results,
            before,
            after,
            saved,
            expanded,
            net,
            repeated: self.repeated,
            cost_saved: self.dollars.map(|dollars| rounded(dollars, 1e6)),
        }
    }
}

impl Context {
    fn add(&mut self, entry: &Entry, account: &Account<'_>) {
        let Some((tokens, is_counted)) = entry.context() else { return };
        *if is_counted { &mut self.counted } else { &mut self.estimated } += 1;
        self.after = self.after.saturating_add(tokens);
        self.saved = self.saved.saturating_add(account.context_saved());
    }

    fn share(&self, requests: u64) -> Share {
        let known = self.counted + self.estimated;
        let note = match known {
            0 => "not known: nobody told how much the requests had beside the outputs".to_owned(),
            _ => format!(
                "all input of {known} of {requests} requests, sent again or new; counted by the provider in {}, \
                 estimated from bytes in {}",
                self.counted, self.estimated
            ),
        };
        let saved = self.saved as f64;
        let before = if known == 0 { 0.0 } else { self.after as f64 + saved };
        Share::new(Of::WholeContext, before, saved, known, note)
    }
}

impl Bill {
    fn add(&mut self, account: &Account<'_>) {
        let Some(saved) = account.all_dollars_saved() else { return };
        match account.billed() {
            Some(billed) => {
                self.requests += 1;
                self.after += billed;
                self.saved += saved;
            }
            None => {
                self.priced_elsewhere += 1;
                self.saved_elsewhere += saved;
            }
        }
    }

    fn cost(&self) -> Option<Cost> {
        if self.requests + self.priced_elsewhere == 0 {
            return None;
        }
        Some(Cost {
            currency: "USD",
            before: rounded(self.after + self.saved, 1e6),
            after: rounded(self.after, 1e6),
            saved: rounded(self.saved, 1e6),
            requests: self.requests,
            saved_elsewhere: rounded(self.saved_elsewhere, 1e6),
        })
    }

    fn share(&self, requests: u64) -> Share {
        let note = match self.requests {
            0 => "not known: it takes the provider's count of tokens and the price of the model; \
                  see `prices` in the settings"
                .to_owned(),
            known => format!(
                "list prices of {known} of {requests} requests: output included, what is new at the price of input or \
                 of writing to the cache, what is repeated at that of reading from it"
            ),
        };
        Share::new(Of::Bill, self.after + self.saved, self.saved, self.requests, note)
    }
}

fn add(to: &mut Repeated, outcome: &Outcome, after: u64) {
    to.results = to.results.saturating_add(outcome.results);
    to.before = to.before.saturating_add(outcome.before);
    to.after = to.after.saturating_add(after);
}
