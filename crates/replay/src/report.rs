//! The report of a measurement, by mode.

use crate::account::{OldResultSums, ReplayAccount};
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
    /// What became of old results at cold caches; none where they were to be left alone.
    pub old_results: Option<OldResultReport>,
    /// The tools that were declared, where that was recorded.
    pub declarations: DeclarationShares,
}

/// What became of old results at cold caches, and what it is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OldResultReport {
    /// In sums.
    #[serde(flatten)]
    pub sums: OldResultSums,
    /// Results that had to be fetched, since a later answer used what only they have.
    pub fetched: usize,
    /// The input bill over the one that was, without it.
    pub cost_ratio_without: f64,
    /// The whole bill over the one that was, without it.
    pub bill_ratio_without: f64,
    /// Sessions that it makes dearer.
    pub dearer: usize,
}

/// The tool declarations of a set: tokens, each list once, and parts of the whole bill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DeclarationShares {
    /// Sessions whose recording has a list of tools.
    pub recorded: usize,
    /// Tokens of all declarations.
    pub tokens: usize,
    /// Those of tools that their session never called.
    pub unused_tokens: usize,
    /// The part of the bill that all of them are.
    pub of_bill: f64,
    /// The part that those are which were never called.
    pub unused_of_bill: f64,
    /// Tokens that `schema_compression: minify` would take away.
    pub minify: usize,
    /// Tokens that `schema_compression: compact` would.
    pub compact: usize,
    /// The part of the bill that these are.
    pub compact_of_bill: f64,
}

impl DeclarationShares {
    pub(crate) fn of(account: &ReplayAccount) -> Self {
        let sums = &account.declarations;
        let bill = account.before.cost.total().max(f64::MIN_POSITIVE);
        DeclarationShares {
            recorded: sums.sessions,
            tokens: sums.tokens,
            unused_tokens: sums.unused_tokens,
            of_bill: sums.cost / bill,
            unused_of_bill: sums.unused_cost / bill,
            minify: sums.minify.tokens,
            compact: sums.compact.tokens,
            compact_of_bill: sums.compact.cost / bill,
        }
    }
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
        let (old, declarations) = (self.old_results(), self.declarations());
        let tables = [self.kinds(), self.savings(), old, self.probes(), declarations];
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

    /// What old results at cold caches come to. Where no log tells when a cache was cold, nothing was done.
    fn old_results(&self) -> TextTable {
        let mut table = TextTable::new([
            TextColumn::text("old results"),
            TextColumn::number("requests"),
            TextColumn::number("cold"),
            TextColumn::number("left out"),
            TextColumn::number("tokens"),
            TextColumn::number("fetched"),
            TextColumn::number("cost ratio without"),
            TextColumn::number("with"),
            TextColumn::number("bill ratio without"),
            TextColumn::number("with"),
            TextColumn::number("made dearer"),
        ]);
        for (name, set) in &self.sessions {
            let Some(old) = &set.old_results else { continue };
            let OldResultSums { known, cold, left_out, tokens, .. } = old.sums;
            let is_cold = if known > 0 { number(cold) } else { "not known".to_owned() };
            let counts = [left_out, tokens, old.fetched].map(number);
            let ratios =
                [old.cost_ratio_without, set.cost_ratio, old.bill_ratio_without, set.bill_ratio];
            let cells = [name.clone(), number(set.requests), is_cold].into_iter().chain(counts);
            let cells = cells.chain(ratios.map(|ratio| format!("{ratio:.3}")));
            table.row(cells.chain([number(old.dearer)]));
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

impl ModeReport {
    /// The declared tools, those never called, and the savings of schema compression; the same in every mode.
    fn declarations(&self) -> TextTable {
        let numbers = ["recorded", "tokens", "unused", "of the bill", "minify", "compact"];
        let texts = [TextColumn::text("declared tools")].into_iter();
        let mut table = TextTable::new(texts.chain(numbers.map(TextColumn::number)));
        for (name, set) in &self.sessions {
            let shares = set.declarations;
            let recorded = format!("{} of {}", number(shares.recorded), number(set.sessions));
            let rest = match shares.tokens {
                // The declared tools are unknown.
                0 => ["-"; 5].map(str::to_owned),
                tokens => [
                    number(tokens),
                    number(shares.unused_tokens),
                    format!("{:.1} %", 100.0 * shares.unused_of_bill),
                    percent_saved(tokens, tokens.saturating_sub(shares.minify)),
                    percent_saved(tokens, tokens.saturating_sub(shares.compact)),
                ],
            };
            table.row([name.clone(), recorded].into_iter().chain(rest));
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
