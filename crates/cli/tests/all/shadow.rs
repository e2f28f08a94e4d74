//! `tokenforge shadow`: what was measured, and releasing what is held, from a shell.

use crate::kit::{Folder, Run, run_in};
use crate::serve::{Serving, question};
use serde_json::Value;
use std::time::Instant;
use tokenforge_mock::Mock;
use tokenforge_mock::client::PATIENCE;
use tokenforge_shadow::{Difference, PairedOutcome, SampleLabels, ShadowFile};

fn shadow(folder: &Folder, arguments: &[&str]) -> Run {
    let arguments = [&["shadow"], arguments].concat();
    run_in(&folder.path(""), &[("FORGE_DATA_DIR", "data")], &arguments, "")
}

fn report(folder: &Folder) -> Value {
    let run = shadow(folder, &["--json"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

/// A state in which the stage `family` is held.
fn hold(folder: &Folder) {
    let file = ShadowFile::in_folder(&folder.path("data").join("savings"));
    let labels = SampleLabels {
        mode: "standard".to_owned(),
        client: "claude-cli".to_owned(),
        tools: vec!["Bash".to_owned()],
        stages: vec!["family".to_owned()],
        tenant: "alice".to_owned(),
    };
    let changed = Difference { tool: true, ..Difference::default() };
    let outcome = PairedOutcome { changed, ..PairedOutcome::default() };
    for n in 0..100 {
        let held = file.update(n, |state| state.record(&labels, &outcome, 0.01, n, |_, _| true));
        if !held.unwrap().is_empty() {
            return;
        }
    }
    panic!("nothing is held");
}

#[test]
fn v7_the_report_is_printed_and_what_is_held_is_released() {
    let folder = Folder::new();
    let none = shadow(&folder, &[]);
    assert_eq!((none.code, &*none.stderr), (0, ""));
    assert!(
        none.stdout.contains("Off.") && none.stdout.contains("No samples yet"),
        "{}",
        none.stdout
    );
    let wrong = shadow(&folder, &["release", "family"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("nothing is held"), "{}", wrong.stderr);

    hold(&folder);
    let page = shadow(&folder, &[]).stdout;
    assert!(
        page.contains("Once it is on again, held for alice since 1970-01-01: the stage family."),
        "{page}"
    );
    assert_eq!(report(&folder)["holds"][0]["name"], "family");
    let wrong = shadow(&folder, &["release", "json"]);
    assert!(wrong.stderr.contains("json is not held; held: family"), "{}", wrong.stderr);
    let released = shadow(&folder, &["release", "family", "--json"]);
    assert_eq!((released.code, released.stdout.trim()), (0, r#"{"released":["family"]}"#));
    assert_eq!(report(&folder)["holds"], serde_json::json!([]));
}

#[test]
fn v12_a_gateway_that_runs_measures_within_its_settings_and_the_report_says_so() {
    let (mock, folder) = (Mock::start(), Folder::new());
    let data = folder.path("data").display().to_string();
    std::fs::write(folder.path("gateway.yaml"), "shadow:\n  share: 1\n  budget_usd: 5\n").unwrap();
    let config = folder.path("gateway.yaml").display().to_string();
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url(), "--config", &config];
    let serving = Serving::with(&arguments, &[("FORGE_DATA_DIR", &data)]);
    serving.send(&question(false));
    let started = Instant::now();
    let report = loop {
        let report = report(&folder);
        if report["all"][0]["samples"] == 1 {
            break report;
        }
        assert!(started.elapsed() < PATIENCE, "{report}");
        std::thread::yield_now();
    };
    assert_eq!((mock.requests().len(), &report["requests"]), (4, &3.into()));
    assert!(report["spent_today"].as_f64().unwrap() > 0.0, "{report}");
    let page = shadow(&folder, &["--config", &config]).stdout;
    assert!(page.contains("On: 100.0 % of requests") && page.contains("$5.00 a day"), "{page}");
}
