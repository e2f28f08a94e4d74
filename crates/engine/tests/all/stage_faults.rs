//! L7: a defect or the end of time at any stage costs the saving and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{
    Deadline, Engine, History, KeptReason, Mode, Output, Settings, Vault, Verdict,
};

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
fn at_every_moment(each: impl Fn(&Engine<'_>, &Output<'_>, usize)) {
    let key = ReferenceSecret::from_secret("for the test");
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
            let moments = Arc::new(AtomicUsize::new(0));
            let count = each_asked(&moments, |_| false);
            let _ = engine.with_deadline(&count).compress(&output, &History::default());
            let moments = moments.load(Ordering::SeqCst);
            assert!(moments > 0, "{mode}: there is a moment before every stage");
            for moment in 0..moments {
                each(&engine, &output, moment);
            }
        }
    }
}

/// A deadline that is told how often it was asked before.
fn each_asked(
    asked: &Arc<AtomicUsize>,
    has_passed: impl Fn(usize) -> bool + Send + Sync + 'static,
) -> Deadline {
    let asked = asked.clone();
    Deadline::new(move || has_passed(asked.fetch_add(1, Ordering::SeqCst)))
}

#[test]
fn l7_a_defect_at_any_stage_leaves_the_original() {
    at_every_moment(|engine, output, moment| {
        let fails = each_asked(&Arc::default(), move |call| {
            assert!(call != moment, "a defect");
            false
        });
        let compressed = engine.with_deadline(&fails).compress(output, &History::default());
        assert_eq!(compressed.verdict, Verdict::Kept(KeptReason::Panicked));
        assert_eq!(compressed.text(output.text), output.text);
    });
}

#[test]
fn l7_no_time_from_any_stage_on_is_never_worse_and_never_without_a_way_back() {
    at_every_moment(|engine, output, moment| {
        let expires = each_asked(&Arc::default(), move |call| call >= moment);
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

/// Large enough for the deadline to be asked inside of stages, too.
fn large() -> Vec<String> {
    let row =
        |n: usize| serde_json::json!({"id": n, "name": format!("row {}", n % 7), "tags": [n]});
    let rows: Vec<_> = (0..6_000).map(row).collect();
    let logged = |n: usize| {
        format!(
            "2026-01-01T00:{:02}:{:02}Z INFO worker-{} took {n} ms   \n",
            n / 60 % 60,
            n % 60,
            n % 9
        )
    };
    let path =
        |n: usize| format!("src/deep/folder/of/module_{}/file_{}.rs:{n}: found\n", n / 40, n % 4);
    vec![
        serde_json::to_string_pretty(&rows).expect("it is JSON"),
        (0..6_000).map(logged).collect(),
        (0..6_000).map(path).collect(),
        "the same line again and again\n".repeat(20_000),
        "| a cell         | another     |\n".repeat(10_000),
    ]
}

#[test]
fn d64_a_stage_is_stopped_inside_and_the_original_goes_on() {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let engine = Engine::new(&settings);
    for text in large() {
        let output =
            Output { text: &text, tool: "run", arguments: "{}", call: None, is_error: false };
        let asked = Arc::new(AtomicUsize::new(0));
        let never = each_asked(&asked, |_| false);
        let whole = engine.with_deadline(&never).compress(&output, &History::default());
        let moments = asked.load(Ordering::SeqCst);
        assert!(moments > whole.steps.len() + 2, "{moments} moments in {:?}", whole.steps.len());
        for moment in (0..moments).step_by(moments.div_ceil(40)) {
            let expires = each_asked(&Arc::default(), move |call| call >= moment);
            let late = engine.with_deadline(&expires).compress(&output, &History::default());
            let counter = settings.counter;
            assert!(counter.count(late.text(&text)) <= counter.count(&text));
            let fails = each_asked(&Arc::default(), move |call| {
                assert!(call != moment, "a defect");
                false
            });
            let broken = engine.with_deadline(&fails).compress(&output, &History::default());
            assert!(counter.count(broken.text(&text)) <= counter.count(&text));
        }
        let passed = Deadline::new(|| true);
        let late = engine.with_deadline(&passed).compress(&output, &History::default());
        assert_eq!(late.text(&text), text);
    }
}
