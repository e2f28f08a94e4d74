//! What was measured.

use crate::probes::Probes;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use tokenforge_tokens::Counter;

/// What was measured, by mode.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The vocabulary that counted the tokens.
    pub vocabulary: String,
    /// What each mode made of the recordings.
    pub modes: BTreeMap<String, ModeReport>,
}

/// What a mode made of the recordings.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModeReport {
    /// Single outputs, by kind.
    pub kinds: BTreeMap<String, Kind>,
    /// Whole sessions, by set.
    pub sessions: BTreeMap<String, Set>,
}

/// What became of the outputs of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Kind {
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
pub struct Set {
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

impl Report {
    /// A report of nothing.
    pub(crate) fn new(counter: Counter) -> Self {
        let vocabulary = match counter {
            Counter::Exact(vocabulary) => vocabulary.name().trim_end_matches("_base"),
            _ => "estimate",
        };
        Report { vocabulary: vocabulary.to_owned(), modes: BTreeMap::new() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (mode, found) in &self.modes {
            writeln!(f, "### {mode}, tokens by {}\n", self.vocabulary)?;
            write!(f, "{found}")?;
        }
        Ok(())
    }
}

/// As tables that are readable in a terminal and in Markdown.
impl fmt::Display for ModeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.kinds.is_empty() {
            writeln!(
                f,
                "| {:<18} | outputs | tokens in | tokens out |  saved | larger | not restored |    MB/s |",
                "kind"
            )?;
            writeln!(
                f,
                "|{:-<20}|--------:|----------:|-----------:|-------:|-------:|-------------:|--------:|",
                ""
            )?;
        }
        for (name, kind) in &self.kinds {
            let Kind { outputs, tokens_in, tokens_out, larger, roundtrip_failures, mb_per_s } =
                kind;
            let saved = saved(*tokens_in, *tokens_out);
            writeln!(
                f,
                "| {name:<18} | {outputs:>7} | {tokens_in:>9} | {tokens_out:>10} | {saved:>6} | {larger:>6} | {roundtrip_failures:>12} | {mb_per_s:>7.1} |"
            )?;
        }
        if !self.sessions.is_empty() {
            writeln!(
                f,
                "\n| {:<20} | sessions | dearer | tool tokens in | out     |  saved | probes | visible | decoded | retrievable | lost | requests | logged | cost ratio | bill ratio | prefix stability |",
                "sessions"
            )?;
            writeln!(
                f,
                "|{:-<22}|---------:|-------:|---------------:|--------:|-------:|-------:|--------:|--------:|------------:|-----:|---------:|-------:|-----------:|-----------:|-----------------:|",
                ""
            )?;
        }
        for (name, set) in &self.sessions {
            let Probes { total, visible, decoded, retrievable, lost } = set.probes;
            let saved = saved(set.tool_tokens_in, set.tool_tokens_out);
            writeln!(
                f,
                "| {name:<20} | {:>8} | {:>6} | {:>14} | {:>7} | {saved:>6} | {total:>6} | {visible:>7} | {decoded:>7} | {retrievable:>11} | {lost:>4} | {:>8} | {:>6} | {:>10.3} | {:>10.3} | {:>16.3} |",
                set.sessions,
                set.dearer,
                set.tool_tokens_in,
                set.tool_tokens_out,
                set.requests,
                set.logged,
                set.cost_ratio,
                set.bill_ratio,
                set.prefix_stability
            )?;
        }
        writeln!(f)
    }
}

fn saved(before: usize, after: usize) -> String {
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
        assert_eq!((saved(0, 0), saved(200, 150)), ("-".to_owned(), "25.0 %".to_owned()));
    }
}
