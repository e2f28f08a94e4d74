//! F25 and F6: stages run in the documented order, and secrets are removed before the first of them.

use tokenforge_engine::{
    CompressedOutput, Engine, History, Mode, Output, Settings, recorded_stage, stage_names,
};

/// The names in the first column of the table of stages in docs/stages.md.
fn documented() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stages.md");
    let docs = std::fs::read_to_string(path).unwrap();
    let (_, table) = docs.split_once("## Stages, in order").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with("| `"));
    let cells =
        rows.take_while(|line| line.starts_with("| ")).filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn compress(mode: Mode, text: &str) -> CompressedOutput {
    let settings = Settings { mode, max_output_bytes: Some(2000), ..Settings::default() };
    let arguments = r#"{"command":"make"}"#;
    let output = Output { text, tool: "Bash", arguments, call: None, is_error: false };
    Engine::new(&settings).with_trace().compress(&output, &History::default())
}

#[test]
fn f25_docs_list_the_stages_in_their_order() {
    let listed = documented();
    // Pointers to earlier results are made of the finished text, by no stage.
    let stages: Vec<&String> = listed.iter().filter(|name| *name != "earlier_results").collect();
    assert_eq!(stages, stage_names().collect::<Vec<_>>());
}

#[test]
fn f25_stages_are_applied_in_their_order() {
    let line = |n: u32| {
        let hash = n.wrapping_mul(2_654_435_761);
        format!("\u{1b}[32m{hash:x} and so on\u{1b}[0m\n")
    };
    let text = |lines: u32, repeats: usize| -> String {
        (0..lines).map(line).chain((0..repeats).map(|_| "the same\n".to_owned())).collect()
    };
    // The cap comes last: it finds nothing to do where the repeated lines were all that was too much.
    for (text, expected) in [
        (text(30, 600), ["terminal", "repeated_lines"].as_slice()),
        (text(900, 0), ["terminal", "cap"].as_slice()),
    ] {
        let compressed = compress(Mode::Standard, &text);
        let applied = compressed.steps.iter().filter(|step| step.is_applied());
        let applied: Vec<&str> = applied.map(|step| recorded_stage(step.stage)).collect();
        let position = |stage: &&str| stage_names().position(|name| name == *stage);
        assert!(applied.iter().map(position).is_sorted(), "{applied:?}");
        assert!(expected.iter().all(|stage| applied.contains(stage)), "{applied:?}");
        assert_eq!(applied.contains(&"cap"), expected.contains(&"cap"), "{applied:?}");
    }
}

#[test]
fn f6_no_stage_sees_a_secret() {
    const SECRET: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let split = format!("{}\u{1b}[0m{}", &SECRET[..9], &SECRET[9..]);
    let log: String = (0..90).map(|n| format!("step {n} with {SECRET} and {split}\n")).collect();
    let rows = (0..40).map(|n| format!(r#"{{"id": {n}, "token": "{SECRET}"}}"#));
    let json = format!("[{}]", rows.collect::<Vec<_>>().join(", "));
    for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        for text in [&log, &json] {
            let compressed = compress(mode, text);
            assert!(compressed.redacted.contains(&"github-token"), "{mode}");
            assert!(!compressed.text(text).contains(SECRET), "{mode}");
            let seen = compressed.steps.iter().filter_map(|step| step.texts.as_deref());
            for (before, after) in seen {
                assert!(!before.contains(SECRET) && !after.contains(SECRET), "{mode}: {before}");
            }
        }
    }
}
