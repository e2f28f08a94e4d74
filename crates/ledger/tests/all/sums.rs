//! Entries added up.

use crate::kit::{NOON, entries, gain, hook};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_ledger::{
    EntrySource, GainRow, GroupBy, LedgerEntry, ResultOutcome, ShareDenominator, TokenUsage,
};

/// Claude's tokens for each one that we count.
const FACTOR: f64 = 1.18;

/// A request to Claude Sonnet: 3 dollars per million of input, 15 of output, 0.30 read from the cache, 3.75 written.
fn request() -> LedgerEntry {
    let mut entry = LedgerEntry::new(EntrySource::Gateway, NOON);
    entry.client = Some("claude-cli".into());
    entry.model = Some("claude-sonnet-4-5".into());
    entry.add(ResultOutcome::fresh("Bash", ["clean"], 1_000, 400));
    entry.add(ResultOutcome::fresh("Read", [], 500, 500));
    entry.add(ResultOutcome {
        repeated: true,
        ..ResultOutcome::fresh("Bash", ["clean"], 8_000, 3_000)
    });
    entry.usage = Some(TokenUsage {
        input: 100,
        cache_read: Some(10_000),
        cache_write: Some(1_000),
        cache_write_1h: None,
        output: 200,
    });
    entry
}

fn share(of: ShareDenominator, entries: &[LedgerEntry]) -> (f64, f64, Option<f64>) {
    let gain = gain(GroupBy::Tool, entries);
    let share = gain.shares.into_iter().find(|share| share.of == of).unwrap();
    (share.before, share.saved, share.share)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn sums_by_any_grouping_equal_the_total(entries in entries()) {
        for by in GroupBy::ALL {
            let gain = gain(*by, &entries);
            let sum = |part: fn(&GainRow) -> i64| gain.rows.iter().map(part).sum::<i64>();
            prop_assert_eq!(sum(|row| row.results as i64), gain.results as i64);
            prop_assert_eq!(sum(|row| row.before as i64), gain.tokens.before as i64);
            prop_assert_eq!(sum(|row| row.after as i64), gain.tokens.after as i64);
            prop_assert_eq!(sum(|row| row.expanded as i64), gain.tokens.expanded as i64);
            prop_assert_eq!(sum(|row| row.saved), gain.tokens.saved);
            prop_assert_eq!(sum(|row| row.net), gain.tokens.net);
            prop_assert_eq!(sum(|row| row.repeated.before as i64), gain.repeated.before as i64);
            prop_assert_eq!(sum(|row| row.repeated.after as i64), gain.repeated.after as i64);
            let dollars: f64 = gain.rows.iter().filter_map(|row| row.cost_saved).sum();
            let cost = gain.cost.map_or(0.0, |cost| cost.saved + cost.saved_elsewhere);
            prop_assert!((dollars - cost).abs() < 1e-3, "{dollars} {cost}");
        }
    }

    #[test]
    fn the_order_of_entries_does_not_matter(entries in entries()) {
        let reversed: Vec<LedgerEntry> = entries.iter().rev().cloned().collect();
        for by in GroupBy::ALL {
            let (one, other) = (gain(*by, &entries), gain(*by, &reversed));
            prop_assert_eq!(one.tokens, other.tokens);
            prop_assert_eq!(one.since, other.since);
            let names = |rows: &[GainRow]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&one.rows), names(&other.rows));
        }
    }
}

#[test]
fn each_denominator_counts_what_its_name_says() {
    let entries = [request()];
    assert_eq!(share(ShareDenominator::OutputsTouched, &entries), (1_000.0, 600.0, Some(0.6)));
    assert_eq!(share(ShareDenominator::AllToolOutput, &entries), (1_500.0, 600.0, Some(0.4)));
    // 11,100 tokens went out; 600 new and 5,000 repeated ones did not, which Claude counts as 1.18 times as many.
    assert_eq!(share(ShareDenominator::WholeContext, &entries), (17_708.0, 6_608.0, Some(0.3732)));
    let paid = (100.0 * 3.0 + 10_000.0 * 0.3 + 1_000.0 * 3.75 + 200.0 * 15.0) / 1e6;
    let saved = FACTOR * (600.0 * 3.75 + 5_000.0 * 0.3) / 1e6;
    let (before, less, part) = share(ShareDenominator::Bill, &entries);
    assert!((before - paid - saved).abs() < 1e-9 && (less - saved).abs() < 1e-9, "{before} {less}");
    assert_eq!(part, Some(0.3057));
}

#[test]
fn what_the_model_fetched_back_is_taken_off_everywhere() {
    let mut entry = request();
    entry.add(ResultOutcome::of_expansion("Bash", ["clean"], 300));
    entry.extra = Some(TokenUsage { cache_read: Some(4_000), output: 10, ..TokenUsage::default() });
    let entries = [entry];
    let gain = gain(GroupBy::Tool, &entries);
    assert_eq!((gain.tokens.saved, gain.tokens.expanded, gain.tokens.net), (600, 300, 300));
    assert_eq!(gain.rows[0].net, 300);
    assert_eq!(share(ShareDenominator::AllToolOutput, &entries).1, 300.0);
    // The context was sent once more for it.
    assert_eq!(share(ShareDenominator::WholeContext, &entries).1, FACTOR * 5_300.0 - 4_000.0);
    let extra = (4_000.0 * 0.3 + 10.0 * 15.0) / 1e6;
    let expected = FACTOR * (600.0 * 3.75 + 5_000.0 * 0.3 - 300.0 * 3.75) / 1e6 - extra;
    assert!((share(ShareDenominator::Bill, &entries).1 - expected).abs() < 1e-6);
}

#[test]
fn more_spent_than_saved_is_said_plainly() {
    let mut entry = hook(NOON);
    entry.add(ResultOutcome::of_expansion("Bash", ["clean"], 200));
    let gain = gain(GroupBy::Tool, &[entry]);
    assert_eq!(gain.tokens.net, -140);
    assert_eq!(gain.shares[0].share, Some(-1.4));
}

#[test]
fn what_is_not_known_is_null_and_says_why() {
    let gain = gain(GroupBy::Tool, &[hook(NOON)]);
    assert_eq!(gain.cost, None);
    assert_eq!(gain.rows[0].cost_saved, None);
    for of in [ShareDenominator::WholeContext, ShareDenominator::Bill] {
        let share = gain.shares.iter().find(|share| share.of == of).unwrap();
        assert_eq!((share.share, share.requests), (None, 0));
        assert!(share.note.starts_with("not known"), "{}", share.note);
    }
}

#[test]
fn a_saving_whose_bill_is_not_known_is_no_part_of_the_bill() {
    let mut without = request();
    without.usage = None;
    let gain = gain(GroupBy::Tool, &[request(), without]);
    let cost = gain.cost.unwrap();
    assert_eq!(cost.requests, 1);
    assert_eq!(share(ShareDenominator::Bill, &[request()]).1, cost.saved);
    // New at the price of input: the usage does not say that it was written to a cache.
    let elsewhere = FACTOR * (600.0 * 3.0 + 5_000.0 * 0.3) / 1e6;
    assert!((cost.saved_elsewhere - elsewhere).abs() < 1e-9);
}

#[test]
fn what_was_only_measured_is_counted_apart() {
    let mut entry = request();
    entry.observed = true;
    let gain = gain(GroupBy::Tool, &[entry]);
    assert_eq!((gain.tokens.before, gain.tokens.saved), (1_500, 0));
    assert_eq!((gain.observed.before, gain.observed.after), (9_500, 3_900));
    assert_eq!(gain.shares[3].saved, 0.0);
}

#[test]
fn a_subscription_is_told_in_tokens_and_says_why_there_is_no_money() {
    let mut entry = request();
    entry.subscription = true;
    let gain = gain(GroupBy::Tool, &[entry]);
    assert_eq!((gain.subscription_requests, gain.cost), (1, None));
    assert!(gain.shares[2].share.unwrap() > 0.3);
    assert_eq!(gain.shares[3].share, None);
    assert!(gain.shares[3].note.contains("subscription"), "{}", gain.shares[3].note);
}

#[test]
fn what_a_gateway_tells_is_read_back_as_it_was() {
    let gain = gain(GroupBy::Project, &[request(), hook(NOON)]);
    let text = serde_json::to_string(&gain).unwrap();
    assert_eq!(serde_json::from_str::<tokenforge_ledger::GainReport>(&text).unwrap(), gain);
}

#[test]
fn rows_have_the_names_that_were_asked_for() {
    let mut other = hook(NOON + 86_400);
    other.project = Some("web".into());
    other.add(ResultOutcome::fresh("Read", ["clean", "compact"], 10, 5));
    let entries = [request(), other];
    let names = |by| gain(by, &entries).rows.into_iter().map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names(GroupBy::Tool), ["Bash", "Read"]);
    assert_eq!(names(GroupBy::Client), ["claude-cli", "(unknown)"]);
    assert_eq!(names(GroupBy::Project), ["(none)", "web"]);
    assert_eq!(names(GroupBy::Day), ["2026-11-15", "2026-11-16"]);
    assert_eq!(names(GroupBy::Stage), ["clean", "clean + compact", "(untouched)"]);
    for by in GroupBy::ALL {
        assert_eq!(by.name().parse(), Ok(*by));
    }
    assert_eq!(
        "week".parse::<GroupBy>().unwrap_err().to_string(),
        "expected tool, client, project, day, stage, model or reason"
    );
}

#[test]
fn names_without_end_are_added_up_together() {
    let entries: Vec<LedgerEntry> = (0..1200)
        .map(|n| {
            let mut entry = hook(NOON);
            entry.project = Some(format!("project {n}").as_str().into());
            entry
        })
        .collect();
    let gain = gain(GroupBy::Project, &entries);
    assert_eq!(gain.rows.len(), 1001);
    assert_eq!(gain.rows[0].name, "(others)");
    assert_eq!(gain.rows.iter().map(|row| row.results).sum::<u64>(), 1200);
}

#[test]
fn the_document_has_the_members_that_were_agreed_on() {
    let document = serde_json::to_value(gain(GroupBy::Tool, &[request()])).unwrap();
    let has = |value: &Value, members: &[&str]| {
        members.iter().for_each(|member| assert!(value.get(member).is_some(), "{member}: {value}"));
    };
    has(
        &document,
        &["since", "until", "requests", "results", "tokens", "shares", "cost", "by", "rows"],
    );
    has(&document["tokens"], &["before", "after", "saved", "expanded", "net"]);
    has(&document["shares"][0], &["of", "before", "saved", "share"]);
    has(&document["cost"], &["currency", "before", "after", "saved"]);
    has(
        &document["rows"][0],
        &["name", "results", "before", "after", "saved", "expanded", "net", "cost_saved"],
    );
    assert_eq!(document["since"], "2026-11-15T12:00:00Z");
    let names: Vec<&Value> =
        document["shares"].as_array().unwrap().iter().map(|share| &share["of"]).collect();
    assert_eq!(
        json!(names),
        json!(["outputs touched", "all tool output", "whole context", "bill"])
    );
    let nothing = serde_json::to_value(gain(GroupBy::Day, &[])).unwrap();
    assert_eq!(
        (&nothing["since"], &nothing["cost"], &nothing["rows"]),
        (&json!(null), &json!(null), &json!([]))
    );
}
