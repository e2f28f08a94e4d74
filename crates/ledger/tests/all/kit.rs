//! Entries made up at random.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use std::path::Path;
use tokenforge_ledger::{
    EntrySource, GainReport, GroupBy, Ledger, LedgerEntry, LedgerSummary, ModelPrices,
    ResultOutcome, TokenUsage,
};

/// 2026-11-15, at noon.
pub(crate) const NOON: u64 = 1_794_744_000;

/// An entry of a hook that saved something.
pub(crate) fn hook(time: u64) -> LedgerEntry {
    let mut entry = LedgerEntry::new(EntrySource::Hook, time);
    entry.add(ResultOutcome::fresh("Bash", ["clean"], 100, 40));
    entry
}

/// All entries of a folder, and how many lines were skipped.
pub(crate) fn read_ledger(folder: &Path) -> (Vec<LedgerEntry>, u64) {
    let mut reading = Ledger::read(folder, None).unwrap();
    let entries = reading.by_ref().collect();
    (entries, reading.skipped_lines())
}

pub(crate) fn gain(by: GroupBy, entries: &[LedgerEntry]) -> GainReport {
    let prices = ModelPrices::default();
    let mut summary = LedgerSummary::new(by, &prices);
    for entry in entries {
        summary.add(entry);
    }
    summary.gain()
}

pub(crate) fn entries() -> impl Strategy<Value = Vec<LedgerEntry>> {
    vec(entry(), 0..30)
}

fn entry() -> impl Strategy<Value = LedgerEntry> {
    let source =
        prop_oneof![Just(EntrySource::Gateway), Just(EntrySource::Hook), Just(EntrySource::Mcp)];
    let names = (of(name()), of(name()), of(model()));
    let figures = (vec(outcome(), 0..6), of(usage()), of(usage()), of(0..500_000_u64));
    let time = NOON..NOON + 5 * 86_400;
    (source, time, names, figures, prop::bool::weighted(0.1)).prop_map(
        |(source, time, (client, project, model), (results, usage, extra, estimate), observed)| {
            let mut entry = LedgerEntry::new(source, time);
            entry.client = client.as_deref().map(Into::into);
            entry.project = project.as_deref().map(Into::into);
            entry.model = model.as_deref().map(Into::into);
            results.into_iter().for_each(|outcome| entry.add(outcome));
            entry.extra = extra.filter(|_| usage.is_some());
            (entry.usage, entry.context_estimate, entry.observed) = (usage, estimate, observed);
            entry
        },
    )
}

fn outcome() -> impl Strategy<Value = ResultOutcome> {
    let stages = vec(prop::sample::select(vec!["clean", "compact", "cap"]), 0..3);
    let tokens = (0..100_000_u64, 0..100_000_u64, prop_oneof![Just(0), 0..5_000_u64]);
    (name(), stages, any::<bool>(), 0..5_u64, tokens).prop_map(
        |(tool, stages, repeated, results, (before, after, expanded))| ResultOutcome {
            repeated,
            results,
            expanded,
            ..ResultOutcome::fresh(&tool, stages, before, after)
        },
    )
}

fn usage() -> impl Strategy<Value = TokenUsage> {
    let tokens = || 0..300_000_u64;
    (tokens(), of(tokens()), of(tokens()), tokens()).prop_map(
        |(input, cache_read, cache_write, output)| TokenUsage {
            input,
            cache_read,
            cache_write,
            cache_write_1h: cache_write.map(|written| written / 3),
            output,
        },
    )
}

fn model() -> impl Strategy<Value = String> {
    let models = ["claude-sonnet-4-5", "gpt-5", "llama", "us.anthropic.claude-opus-4"];
    prop::sample::select(models.to_vec()).prop_map(str::to_owned)
}

/// Names that a line might not survive.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["Bash", "Read", "mcp__db__query", ""]).prop_map(str::to_owned),
        "\\PC{0,80}",
        Just("{\"v\":1,\"time\":1}\n\u{1b}[0m".to_owned()),
    ]
}
