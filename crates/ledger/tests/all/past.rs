//! What pages about the past show.

use crate::kit::{NOON, entries, gain, hook};
use proptest::prelude::*;
use tokenforge_ledger::{
    EntryFilter, EntrySource, FetchList, FetchedPart, GroupBy, Ledger, LedgerEntry, LedgerHistory,
    LedgerReader, LedgerSummary, ModelPrices, OriginalFetch, ResultOutcome, SessionList,
    SessionTurns, ShareDenominator, TokenUsage,
};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

fn written_ledger(entries: &[LedgerEntry]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    Ledger::open(folder.path()).unwrap().append_all(entries).unwrap();
    folder
}

fn reading(folder: &tempfile::TempDir) -> LedgerReader {
    Ledger::read(folder.path(), None).unwrap()
}

fn history(entries: &[LedgerEntry], filter: &EntryFilter, edges: &[u64]) -> LedgerHistory {
    LedgerHistory::of(reading(&written_ledger(entries)), filter, edges, &ModelPrices::default())
}

/// A request of a session to Claude Sonnet.
fn request(session: &str, time: u64, outcomes: &[ResultOutcome]) -> LedgerEntry {
    let mut entry = LedgerEntry::new(EntrySource::Gateway, time);
    entry.client = Some("claude-cli".into());
    entry.session = Some(session.into());
    entry.model = Some("claude-sonnet-4-5".into());
    entry.usage = Some(TokenUsage { input: 10_000, output: 100, ..TokenUsage::default() });
    outcomes.iter().for_each(|outcome| entry.add(outcome.clone()));
    entry
}

fn ran(program: &str, before: u64, after: u64) -> ResultOutcome {
    ResultOutcome {
        program: Some(program.into()),
        ..ResultOutcome::fresh("Bash", ["clean"], before, after)
    }
}

fn untouched_result(tool: &str, tokens: u64, reason: &str) -> ResultOutcome {
    ResultOutcome { kept: Some(reason.into()), ..ResultOutcome::fresh(tool, [], tokens, tokens) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_lies_between_the_edges_adds_up_to_the_whole_by_every_name(entries in entries()) {
        let edges: Vec<u64> = (0..=10).map(|step| NOON + step * 12 * HOUR).collect();
        let (folder, prices) = (written_ledger(&entries), ModelPrices::default());
        let past = LedgerHistory::of(reading(&folder), &EntryFilter::default(), &edges, &prices);
        let mut whole = LedgerSummary::of(reading(&folder), GroupBy::Tool, &prices);
        prop_assert_eq!(past.series.len(), 10);
        prop_assert_eq!(past.series.iter().map(|bucket| bucket.requests).sum::<u64>(), whole.requests);
        prop_assert_eq!(past.series.iter().map(|bucket| bucket.tokens.net).sum::<i64>(), whole.tokens.net);
        let after: f64 = past.series.iter().filter_map(|bucket| bucket.cost).map(|cost| cost.after).sum();
        prop_assert!((after - whole.cost.map_or(0.0, |cost| cost.after)).abs() < 1e-3);
        for table in past.rows.values() {
            prop_assert_eq!(table.rows.iter().map(|row| row.net).sum::<i64>(), whole.tokens.net);
        }
        whole.rows.clear();
        prop_assert_eq!(past.gain, whole);
    }

    #[test]
    fn sessions_add_up_to_the_whole(entries in entries()) {
        let folder = written_ledger(&entries);
        let found = SessionList::of(reading(&folder), &EntryFilter::default(), &ModelPrices::default(), 1000);
        let whole = gain(GroupBy::Tool, &entries);
        prop_assert_eq!(found.left_out, 0);
        prop_assert_eq!(found.sessions.iter().map(|session| session.requests).sum::<u64>(), whole.requests);
        prop_assert_eq!(found.sessions.iter().map(|session| session.tokens.net).sum::<i64>(), whole.tokens.net);
        for session in &found.sessions {
            let turns = SessionTurns::of(reading(&folder), &session.id, &ModelPrices::default()).unwrap();
            prop_assert_eq!(turns.turns.len() as u64, session.requests);
            prop_assert_eq!(turns.session.tokens, session.tokens);
        }
    }
}

#[test]
fn an_entry_belongs_to_the_stretch_that_begins_with_it() {
    let entries = [hook(NOON - 1), hook(NOON), hook(NOON + DAY - 1), hook(NOON + DAY)];
    let past = history(&entries, &EntryFilter::default(), &[NOON, NOON + HOUR, NOON + DAY]);
    assert_eq!(past.series.iter().map(|bucket| bucket.requests).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(past.gain.requests, 2, "and what lies outside to none");
}

#[test]
fn a_filter_for_requests_keeps_the_bill_and_one_for_results_does_not_make_one_up() {
    let entries = [
        request("a", NOON, &[ran("cargo", 1000, 200), ran("git", 500, 400)]),
        request("b", NOON, &[untouched_result("Read", 300, "exact_tool")]),
    ];
    let client = EntryFilter { client: Some("claude-cli".into()), ..EntryFilter::default() };
    let past = history(&entries, &client, &[]);
    assert_eq!(past.gain.cost, gain(GroupBy::Tool, &entries).cost);

    let cargo = EntryFilter { text: Some("carg".to_owned()), ..EntryFilter::default() };
    let part = history(&entries, &cargo, &[]).gain;
    assert_eq!((part.requests, part.results, part.tokens.net), (1, 1, 800));
    let cost = part.cost.unwrap();
    assert_eq!((cost.requests, cost.after), (0, 0.0));
    assert!(cost.saved_elsewhere > 0.0);
    let bill = part.shares.iter().find(|share| share.of == ShareDenominator::Bill).unwrap();
    assert!(bill.share.is_none() && bill.note.contains("whole requests"), "{}", bill.note);
}

#[test]
fn untouched_results_are_told_by_their_reason() {
    let entries = [request(
        "a",
        NOON,
        &[
            ran("cargo", 1000, 200),
            untouched_result("Bash", 40, "too_small"),
            untouched_result("Read", 300, "exact_tool"),
        ],
    )];
    let past = history(&entries, &EntryFilter::default(), &[]);
    let reasons: Vec<_> =
        past.rows["reason"].rows.iter().map(|row| (row.name.as_str(), row.before)).collect();
    assert_eq!(reasons, [("(made smaller)", 1000), ("exact_tool", 300), ("too_small", 40)]);
    let short = EntryFilter { reason: Some("too_small".into()), ..EntryFilter::default() };
    let tools = history(&entries, &short, &[]).rows.remove("tool").unwrap().rows;
    assert_eq!(tools.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["Bash"]);
}

#[test]
fn a_session_is_told_turn_by_turn_with_what_was_new_and_what_was_sent_again() {
    let again =
        ResultOutcome { repeated: true, ..ResultOutcome::fresh("Bash", ["clean"], 1000, 200) };
    let mut second = request("a", NOON + 60, &[untouched_result("Read", 300, "exact_tool"), again]);
    second.add_fetch(OriginalFetch {
        tool: "Bash".into(),
        program: Some("cargo".into()),
        part: FetchedPart::Lines,
        tokens: 50,
    });
    second.add(ResultOutcome {
        program: Some("cargo".into()),
        ..ResultOutcome::of_expansion("Bash", ["clean"], 50)
    });
    let other = request("b", NOON + 30, &[ran("git", 9, 8)]);
    let folder = written_ledger(&[request("a", NOON, &[ran("cargo", 1000, 200)]), other, second]);

    let found =
        SessionList::of(reading(&folder), &EntryFilter::default(), &ModelPrices::default(), 1);
    assert_eq!((found.sessions[0].id.as_str(), found.left_out), ("a", 1), "the latest first");
    let turns = SessionTurns::of(reading(&folder), "a", &ModelPrices::default()).unwrap();
    assert_eq!((turns.session.requests, turns.session.fetches), (2, 1));
    assert_eq!((turns.session.started, turns.session.ended), (NOON, NOON + 60));
    let document = serde_json::to_value(&turns.turns).unwrap();
    assert_eq!(document[0]["results"][0]["program"], "cargo");
    assert_eq!(document[0]["results"][0]["reason"], "(made smaller)");
    assert_eq!(document[1]["results"][0]["reason"], "exact_tool");
    assert_eq!(document[1]["repeated"]["before"], 1000);
    assert_eq!(document[1]["fetches"][0]["part"], "lines");
    let sum = |name: &str| -> f64 {
        turns
            .turns
            .iter()
            .map(|turn| serde_json::to_value(turn.cost).unwrap()[name].as_f64().unwrap())
            .sum()
    };
    let cost = turns.session.cost.unwrap();
    assert!((sum("before") - cost.before).abs() < 1e-5 && (sum("after") - cost.after).abs() < 1e-5);
    assert!(SessionTurns::of(reading(&folder), "c", &ModelPrices::default()).is_none());
}

#[test]
fn calls_that_belong_to_no_session_are_put_together_by_day_and_client() {
    let mut named = hook(NOON + 5);
    named.client = Some("claude-code".into());
    let folder = written_ledger(&[hook(NOON), hook(NOON + 1), named, hook(NOON + DAY)]);
    let found =
        SessionList::of(reading(&folder), &EntryFilter::default(), &ModelPrices::default(), 10);
    let requests: Vec<u64> = found.sessions.iter().map(|session| session.requests).collect();
    assert_eq!(requests, [1, 1, 2]);
    assert!(found.sessions.iter().all(|session| !session.is_known));
    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    assert!(found.sessions.iter().all(|session| plain(&session.id)), "fit for an address");
}

#[test]
fn what_was_fetched_back_is_told_the_latest_first() {
    let mut older = request("a", NOON, &[ResultOutcome::of_expansion("Bash", ["clean"], 70)]);
    let (tool, part) = ("Bash".into(), FetchedPart::Other);
    older.add_fetch(OriginalFetch { tool, program: None, part, tokens: 70 });
    let mut newer = request("b", NOON + 1, &[]);
    for tokens in [5, 6] {
        let (tool, part) = ("Read".into(), FetchedPart::Search);
        newer.add_fetch(OriginalFetch { tool, program: None, part, tokens });
        newer.add(ResultOutcome::of_expansion("Read", ["clean"], tokens));
    }
    let folder = written_ledger(&[older, newer]);
    let all = FetchList::of(reading(&folder), &EntryFilter::default(), 2);
    let tokens: Vec<u64> = all.fetches.iter().map(|fetched| fetched.fetch.tokens).collect();
    assert_eq!((tokens, all.left_out), (vec![6, 5], 1));
    let bash = EntryFilter { tool: Some("Bash".into()), ..EntryFilter::default() };
    let bash = FetchList::of(reading(&folder), &bash, 10).fetches;
    assert_eq!(
        (bash.len(), bash[0].session.as_str(), bash[0].fetch.part),
        (1, "a", FetchedPart::Other)
    );
}
