//! The report of a measurement, by mode.

use crate::columns::{TextColumn, TextTable};
use crate::probes::Probes;
use crate::words::group_digits;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use tokenforge_tokens::Counter;

/// What was measured, by mode.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReplayReport {
    /// The vocabulary that counted the tokens.
    pub vocabulary: String,
    /// What each mode made of the recordings.
    pub modes: BTreeMap<String, ModeReport>,
}

/// What a mode made of the recordings.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModeReport {
    /// Single outputs, by kind.
    pub kinds: BTreeMap<String, KindReport>,
    /// Whole sessions, by set.
    pub sessions: BTreeMap<String, SetReport>,
}

/// What became of the outputs of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct KindReport {
    /// How many there are.
    pub outputs: usize,
    /// Their tokens.
    pub tokens_in: usize,
    /// The tokens of what was made of them.
    pub tokens_out: usize,
    /// How many have more tokens than before.
    pub larger: usize,
    /// In how many a lossless stage's text does not decode to what it was made from.
    pub roundtrip_failures: usize,
    /// How fast, on one core.
    pub mb_per_s: f64,
}

/// What became of the sessions of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SetReport {
    /// How many there are.
    pub sessions: usize,
    /// Those of them that cost more than without us.
    pub dearer: usize,
    /// The tokens of all tool results, each once.
    pub tool_tokens_in: usize,
    /// The tokens of what was made of them.
    pub tool_tokens_out: usize,
    /// What later turns used, and whether they could still have.
    pub probes: Probes,
    /// Our input bill over the one that was.
    pub cost_ratio: f64,
    /// Our whole bill over the one that was, output included.
    pub bill_ratio: f64,
    /// Requests to the model.
    pub requests: usize,
    /// Those of them whose usage was logged; the others are charged as a provider with a cache charges.
    pub logged: usize,
    /// How much of a request the next one left as it was, at worst.
    pub prefix_stability: f64,
}

impl ReplayReport {
    /// A report of nothing.
    pub(crate) fn new(counter: Counter) -> Self {
        let vocabulary = match counter {
            Counter::Exact(vocabulary) => vocabulary.name().trim_end_matches("_base"),
            _ => "estimate",
        };
        ReplayReport { vocabulary: vocabulary.to_owned(), modes: BTreeMap::new() }
    }
}

impl ReplayReport {
    /// As tables, in lines of at most `width` columns.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let modes = self.modes.iter().map(|(mode, found)| {
            let title = format!("Mode {mode}, tokens by {}", self.vocabulary);
            let tables = found.tables().map(|table| table.text(width));
            [title].into_iter().chain(tables).collect::<Vec<_>>().join("\n\n")
        });
        modes.collect::<Vec<_>>().join("\n\n\n")
    }
}

/// As Markdown.
impl fmt::Display for ModeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tables().try_for_each(|table| writeln!(f, "{}\n", table.markdown()))
    }
}

impl ModeReport {
    /// The tables that have rows.
    fn tables(&self) -> impl Iterator<Item = TextTable> {
        let tables = [self.kinds(), self.savings(), self.probes()];
        tables.into_iter().filter(|table| !table.is_empty())
    }

    fn kinds(&self) -> TextTable {
        let mut table = TextTable::new([
            TextColumn::text("kind"),
            TextColumn::number("outputs"),
            TextColumn::number("tokens"),
            TextColumn::number("after"),
            TextColumn::number("saved"),
            TextColumn::number("larger"),
            TextColumn::number("not restored"),
            TextColumn::number("MB/s"),
        ]);
        for (name, kind) in &self.kinds {
            let KindReport { outputs, tokens_in, tokens_out, larger, roundtrip_failures, mb_per_s } =
                kind;
            table.row([
                name.clone(),
                number(*outputs),
                number(*tokens_in),
                number(*tokens_out),
                percent_saved(*tokens_in, *tokens_out),
                number(*larger),
                number(*roundtrip_failures),
                format!("{mb_per_s:.1}"),
            ]);
        }
        table
    }

    fn savings(&self) -> TextTable {
        let mut table = TextTable::new([
            TextColumn::text("sessions"),
            TextColumn::number("count"),
            TextColumn::number("cost more"),
            TextColumn::number("tool tokens"),
            TextColumn::number("after"),
            TextColumn::number("saved"),
            TextColumn::number("cost ratio"),
            TextColumn::number("bill ratio"),
        ]);
        for (name, set) in &self.sessions {
            table.row([
                name.clone(),
                number(set.sessions),
                number(set.dearer),
                number(set.tool_tokens_in),
                number(set.tool_tokens_out),
                percent_saved(set.tool_tokens_in, set.tool_tokens_out),
                format!("{:.3}", set.cost_ratio),
                format!("{:.3}", set.bill_ratio),
            ]);
        }
        table
    }

    fn probes(&self) -> TextTable {
        let mut table = TextTable::new([
            TextColumn::text("what later turns used"),
            TextColumn::number("probes"),
            TextColumn::number("visible"),
            TextColumn::number("decoded"),
            TextColumn::number("retrievable"),
            TextColumn::number("lost"),
            TextColumn::number("requests"),
            TextColumn::number("logged"),
            TextColumn::number("prefix stability"),
        ]);
        for (name, set) in &self.sessions {
            let Probes { total, visible, decoded, retrievable, lost } = set.probes;
            let counts = [total, visible, decoded, retrievable, lost, set.requests, set.logged];
            let stability = format!("{:.3}", set.prefix_stability);
            let cells = [name.clone()].into_iter().chain(counts.map(number)).chain([stability]);
            table.row(cells);
        }
        table
    }
}

fn number(number: usize) -> String {
    group_digits(number as f64)
}

fn percent_saved(before: usize, after: usize) -> String {
    if before == 0 {
        // Nothing is no part of nothing.
        return "-".to_owned();
    }
    format!("{:.1} %", 100.0 * (1.0 - after as f64 / before as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d35_a_set_without_tool_results_saves_no_share_of_them() {
        assert_eq!(
            (percent_saved(0, 0), percent_saved(200, 150)),
            ("-".to_owned(), "25.0 %".to_owned())
        );
    }
}
