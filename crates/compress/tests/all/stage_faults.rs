//! L7: a defect or the end of time at any stage costs the saving and nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};
use tokenforge_compress::reference::Key;
use tokenforge_compress::{Engine, History, Mode, Output, Reason, Settings, Vault, Verdict};

/// Outputs with work for most stages.
fn texts() -> Vec<(&'static str, String)> {
    let rows: Vec<_> =
        (0..80).map(|n| serde_json::json!({"id": n, "name": format!("row {n}")})).collect();
    let passed: String = (0..200).map(|n| format!("test suite::case_{n} ... ok\n")).collect();
    let logged: String = (0..200)
        .map(|n| {
            format!("2026-01-01T00:00:{:02}Z \u{1b}[32mINFO\u{1b}[0m worker-{n} done   \n", n % 60)
        })
        .collect();
    vec![
        ("cat rows.json", serde_json::to_string_pretty(&rows).expect("it is JSON")),
        ("cargo test", format!("running 201 tests\n{passed}test suite::bad ... FAILED\n")),
        ("tail -f log", logged),
    ]
}

/// Calls `each` with every moment between two stages, and the engine's chance to be interrupted there.
fn at_every_moment(each: impl Fn(&Engine<'_>, &Output<'_>, &AtomicUsize, usize)) {
    let key = Key::from_secret("for the test");
    for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let settings = Settings { mode, ..Settings::default() };
        let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
        for (command, text) in texts() {
            let arguments = serde_json::json!({ "command": command }).to_string();
            let output = Output {
                text: &text,
                tool: "Bash",
                arguments: &arguments,
                call: None,
                is_error: false,
            };
            let moments = AtomicUsize::new(0);
            let count = || {
                moments.fetch_add(1, Ordering::SeqCst);
                false
            };
            let _ = engine.with_deadline(&count).compress(&output, &History::default());
            let moments = moments.into_inner();
            assert!(moments > 0, "{mode}: there is a moment before every stage");
            for moment in 0..moments {
                each(&engine, &output, &AtomicUsize::new(0), moment);
            }
        }
    }
}

#[test]
fn l7_a_defect_at_any_stage_leaves_the_original() {
    at_every_moment(|engine, output, calls, moment| {
        let fails = || {
            assert!(calls.fetch_add(1, Ordering::SeqCst) != moment, "a defect");
            false
        };
        let compressed = engine.with_deadline(&fails).compress(output, &History::default());
        assert_eq!(compressed.verdict, Verdict::Kept(Reason::Panicked));
        assert_eq!(compressed.text(output.text), output.text);
    });
}

#[test]
fn l7_no_time_from_any_stage_on_is_never_worse_and_never_without_a_way_back() {
    at_every_moment(|engine, output, calls, moment| {
        let expires = || calls.fetch_add(1, Ordering::SeqCst) >= moment;
        let compressed = engine.with_deadline(&expires).compress(output, &History::default());
        let text = compressed.text(output.text);
        let counter = engine.settings().counter;
        assert!(counter.count(text) <= counter.count(output.text));
        if text.contains("[Forge left out") {
            let original = compressed.original.as_ref().expect("a way back");
            assert!(text.starts_with(&original.reference.marker()));
        }
    });
}
