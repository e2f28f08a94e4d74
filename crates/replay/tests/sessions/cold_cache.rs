//! Old results at cold caches: what a log tells of them, what is decided, and what it costs.

use crate::kit::{ReplayOptions, SessionLog, TurnText, old_results};
use serde_json::{Value, json};
use tokenforge_config::OldResults;
use tokenforge_engine::Mode;
use tokenforge_replay::ExpansionOffer;
use tokenforge_replay::account::OldResultSums;
use tokenforge_replay::probes::Probe;

/// Text of which no two lines are alike, of which nothing can be made smaller, and which has a name that no other has.
fn prose(number: usize) -> String {
    let line = |at: usize| {
        let word = |salt: usize| format!("{:x}", (number * 7919 + at * 104_729 + salt) % 65_537);
        format!("{} {} {} {}", word(1), word(2), word(3), word(4))
    };
    let lines: Vec<String> = (0..60).map(line).collect();
    format!("only_in_result_{number}\n{}\n", lines.join("\n"))
}

fn turn(log: &mut SessionLog, number: usize, usage: Option<Value>) {
    let arguments = json!({"query": format!("page {number}")});
    log.turn(&TurnText { tool: "lookup", arguments, result: &prose(number) }, usage);
}

/// Forty turns, with a pause of so many minutes before those with these numbers.
fn session(mut log: SessionLog, minutes: u64, pauses: &[usize]) -> SessionLog {
    for number in 0..40 {
        // The pause is before the result, so the next request comes after it.
        log.pause(if pauses.contains(&(number + 1)) { minutes } else { 1 });
        turn(&mut log, number, None);
    }
    log.say("Done.");
    log
}

fn replay_sums(log: &SessionLog) -> OldResultSums {
    let account = log.replay(&ReplayOptions::default());
    assert_eq!(account.prefix_stability, 1.0);
    old_results(&account)
}

#[test]
fn decision_33_after_a_pause_old_results_are_left_out_and_stay_so() {
    let log = session(SessionLog::timed(), 10, &[30]);
    let account = log.replay(&ReplayOptions::default());
    let sums = old_results(&account);
    // The request after thirty results: those of the first nine are more than twenty turns old.
    assert_eq!((sums.known, sums.cold, sums.left_out), (40, 1, 9));
    assert!(sums.tokens > 9 * 150, "{sums:?}");
    assert_eq!(account.prefix_stability, 1.0);
    assert_eq!(account.stages["old_result"].results, 9);

    let never = ReplayOptions { old_results: OldResults::Never, ..ReplayOptions::default() };
    let without = log.replay(&never);
    assert_eq!((without.old_results, without.expansions.references), (None, 0));
    let saved = without.after.cost.total() - account.after.cost.total();
    assert!((sums.saved.cost.total() - saved).abs() < 1e-12);
    // Written once less, and then read less in the ten requests after it.
    let dollars = sums.tokens as f64 * 1.18 * (6.25 + 10.0 * 0.5) / 1e6;
    assert!((saved - dollars).abs() < 1e-9, "{saved} {dollars}");
}

/// The second read is a pointer to the first. Without the first it would be shown whole, and references come on top.
#[test]
fn l11_decision_33_a_file_that_was_read_again_unchanged_stays() {
    let mut log = SessionLog::timed();
    for number in 0..12 {
        match number {
            // There is a shell to fetch with.
            0 => {
                let arguments = json!({"command": "ls"});
                log.turn(&TurnText { tool: "Bash", arguments, result: "words.txt\n" }, None);
            }
            1 | 9 => {
                let arguments = json!({"file_path": "/srv/app/words.txt"});
                let result = prose(100) + &prose(101);
                log.turn(&TurnText { tool: "Read", arguments, result: &result }, None);
            }
            _ => turn(&mut log, number, None),
        }
        log.pause(if number >= 9 { 10 } else { 1 });
    }
    log.say("Done.");
    let by_shell = ReplayOptions { expansion: ExpansionOffer::ByShell, ..ReplayOptions::default() };
    let sums = old_results(&log.replay(&by_shell));
    assert_eq!((sums.cold, sums.left_out), (2, 0));
    assert!(!sums.is_dearer(), "{sums:?}");
}

#[test]
fn decision_33_what_got_old_since_is_left_out_at_the_next_pause() {
    let sums = replay_sums(&session(SessionLog::timed(), 10, &[25, 30, 40]));
    assert_eq!((sums.cold, sums.left_out), (3, 19));
    let short = replay_sums(&session(SessionLog::timed(), 6, &[25, 30, 40]));
    assert_eq!(
        (short.known, short.cold, short.left_out),
        (40, 0, 0),
        "the cache may still be there"
    );
}

#[test]
fn decision_33_without_times_and_usage_nothing_is_known_and_nothing_is_done() {
    let log = session(SessionLog::untimed(), 10, &[30]);
    let account = log.replay(&ReplayOptions::default());
    assert_eq!(account.old_results, Some(OldResultSums::default()));
    let never = ReplayOptions { old_results: OldResults::Never, ..ReplayOptions::default() };
    assert_eq!(account.after, log.replay(&never).after);
}

#[test]
fn decision_33_usage_that_reads_nothing_is_a_cold_cache_too() {
    let (mut log, mut cached) = (SessionLog::untimed(), 20_000);
    for number in 0..40 {
        let (read, new) = if number == 30 { (0, cached + 500) } else { (cached, 500) };
        cached += 500;
        let usage = json!({"input_tokens": 3, "output_tokens": 9,
            "cache_read_input_tokens": read, "cache_creation_input_tokens": new});
        turn(&mut log, number, Some(usage));
    }
    let sums = replay_sums(&log);
    assert_eq!((sums.known, sums.cold, sums.left_out), (39, 1, 9));
    assert!(sums.saved.cost.total() > 0.0);
}

#[test]
fn decision_33_other_modes_and_a_model_that_cannot_fetch_keep_all() {
    let log = session(SessionLog::timed(), 10, &[30]);
    for mode in [Mode::Disabled, Mode::Safe, Mode::Lossless] {
        let account = log.replay(&ReplayOptions { mode, ..ReplayOptions::default() });
        assert_eq!(account.old_results, None, "{mode:?}");
    }
    let expansion = ExpansionOffer::Never;
    let account = log.replay(&ReplayOptions { expansion, ..ReplayOptions::default() });
    assert_eq!(account.old_results, None);
}

#[test]
fn decision_33_a_model_that_was_not_told_of_the_tool_is_told_at_the_cold_cache() {
    let log = session(SessionLog::timed(), 10, &[30]);
    let expansion = ExpansionOffer::WhenItPays;
    let account = log.replay(&ReplayOptions { expansion, ..ReplayOptions::default() });
    let sums = old_results(&account);
    let offered = replay_sums(&log);
    assert_eq!((sums.left_out, sums.tokens), (offered.left_out, offered.tokens));
    let definition = offered.saved.cost.total() - sums.saved.cost.total();
    // Written once, read in ten requests.
    let tokens = definition * 1e6 / 1.18 / (6.25 + 10.0 * 0.5);
    assert!((40.0..=60.0).contains(&tokens), "{tokens}");
}

#[test]
fn decision_33_what_a_later_turn_needs_is_fetched_and_charged() {
    let with = |text: &str| {
        let mut log = session(SessionLog::timed(), 10, &[30]);
        log.ask("And what was in the first one?");
        log.say(text);
        log.replay(&ReplayOptions::default())
    };
    let (plain, visible, needed) =
        (with("It was a text."), with("only_in_result_20"), with("only_in_result_3"));
    assert_eq!((plain.expansions.fetched, visible.expansions.fetched), (0, 0));
    assert_eq!(needed.expansions.fetched, 1);
    let cost = needed.expansions.cost_of_fetched;
    // At least the whole context once more at the price of a read, and the result at that of a write.
    assert!(cost > 0.01, "{cost}");
    let dearer = old_results(&plain).saved.cost.total() - old_results(&needed).saved.cost.total();
    assert!((dearer - cost).abs() < 1e-9, "{dearer} {cost}");
}

#[test]
fn decision_33_what_probes_find_behind_a_reference_is_fetched_and_not_lost() {
    let mut log = session(SessionLog::timed(), 10, &[30]);
    log.say("What only the probes know.");
    let probe = |number: usize| Probe {
        needle: format!("only_in_result_{number}"),
        // A prompt, forty calls with their results, and the last words.
        used_at_msg: 82,
    };
    // No other result's name begins with one of these.
    let probes = vec![probe(5), probe(5), probe(7), probe(25)];
    let account = log.replay(&ReplayOptions { probes, ..ReplayOptions::default() });
    let found = account.probes.unwrap();
    assert_eq!((found.total, found.visible, found.retrievable, found.lost), (4, 1, 3, 0));
    assert_eq!(account.expansions.fetched, 2, "each result once for an answer");
}

#[test]
fn decision_33_who_goes_back_before_the_decision_has_the_originals_again() {
    let mut log = SessionLog::timed();
    let mut early = String::new();
    for number in 0..40 {
        if number == 5 {
            early = log.last_entry();
        }
        log.pause(if number == 29 { 10 } else { 1 });
        turn(&mut log, number, None);
    }
    log.say("Done.");
    log.ask_after(&early, "Try something else.");
    log.say("only_in_result_3");
    let account = log.replay(&ReplayOptions::default());
    assert_eq!((old_results(&account).left_out, account.prefix_stability), (9, 1.0));
    assert_eq!(account.expansions.fetched, 0, "it is in the request");
}
