//! Decision 38 in replays: what is left out is fetched with a command in the agent's shell.

use crate::kit::{ReplayOptions, SessionLog, TurnText};
use serde_json::json;
use std::fmt::Write;
use tokenforge_replay::ExpansionOffer;
use tokenforge_replay::account::ReplayAccount;

/// A run of tests, of which those that passed are left out; the path of one of them stands only there.
fn test_run(name: &str) -> String {
    let mut text = String::from("running 200 tests\n");
    for number in 0..200 {
        let _ = writeln!(text, "test {name}::tests::case_{number}_of_many ... ok");
    }
    text + "\ntest result: ok. 200 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
}

fn session(results: &[&str], answer: &str, later: usize) -> SessionLog {
    let mut log = SessionLog::untimed();
    for result in results {
        let arguments = json!({"command": "cargo test"});
        log.turn(&TurnText { tool: "Bash", arguments, result }, None);
    }
    log.say(answer);
    for _ in 0..later {
        log.ask("Go on.");
        log.say("Done.");
    }
    log
}

fn replayed(log: &SessionLog, expansion: ExpansionOffer) -> ReplayAccount {
    log.replay(&ReplayOptions { expansion, ..ReplayOptions::default() })
}

#[test]
fn decision_38_l11_a_session_without_references_costs_nothing_by_shell() {
    let log = session(&["ok", "nothing to do"], "Done.", 5);
    let account = replayed(&log, ExpansionOffer::ByShell);
    assert_eq!(account.before, account.after);
    assert!(replayed(&log, ExpansionOffer::FromStart).cost_saved() < 0.0, "the tool costs");
}

#[test]
fn decision_38_a_small_prompt_saves_by_shell_and_a_large_one_keeps_the_tool() {
    let run = test_run("cart");
    let log = session(&[&run], "Done.", 3);
    let small = |expansion| replayed(&log, expansion);
    assert_eq!(small(ExpansionOffer::WhenItPays).expansions.references, 0);
    let auto = small(ExpansionOffer::WhenItPaysElseByShell);
    assert_eq!(auto.expansions.references, 1);
    assert!(auto.cost_saved() > 0.0);
    assert_eq!(auto.after, small(ExpansionOffer::ByShell).after);
    let mut log = SessionLog::untimed();
    let usage = json!({"input_tokens": 30_000, "output_tokens": 9});
    let turn = TurnText { tool: "Bash", arguments: json!({"command": "cargo test"}), result: &run };
    log.turn(&turn, Some(usage));
    log.say("Done.");
    let large = |expansion| replayed(&log, expansion).after;
    assert_eq!(large(ExpansionOffer::WhenItPaysElseByShell), large(ExpansionOffer::WhenItPays));
    assert_ne!(large(ExpansionOffer::ByShell), large(ExpansionOffer::WhenItPays));
}

#[test]
fn decision_38_what_is_fetched_in_a_shell_stays_in_the_conversation() {
    let run = test_run("cart");
    // What it costs that the answer needs something of the run that only the original has.
    let fetch = |expansion, later| {
        let bill = |answer: &str| replayed(&session(&[&run], answer, later), expansion);
        let (needed, other) = (
            bill("It was cart::tests::case_77_of_many."),
            bill("It was kart::tests::case_zz_of_many."),
        );
        assert_eq!((needed.expansions.fetched, other.expansions.fetched), (1, 0));
        other.cost_saved() - needed.cost_saved()
    };
    let by_tool = [1, 11].map(|later| fetch(ExpansionOffer::FromStart, later));
    let by_shell = [1, 11].map(|later| fetch(ExpansionOffer::ByShell, later));
    assert!((by_tool[1] - by_tool[0]).abs() < 1e-4, "{by_tool:?}");
    assert!(by_shell[1] - by_shell[0] > 1e-3, "{by_shell:?}");
}
