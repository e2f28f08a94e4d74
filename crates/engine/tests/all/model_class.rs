//! What a small model is given: plain text and JSON, and every line number.

use tokenforge_engine::{Engine, History, Mode, ModelClass, Output, Settings};

fn forwarded_text(text: &str, tool: &str, arguments: &str, model_class: ModelClass) -> String {
    let settings = Settings { mode: Mode::Aggressive, model_class, ..Settings::default() };
    let output = Output { text, tool, arguments, call: None, is_error: false };
    Engine::new(&settings).compress(&output, &History::default()).text(text).to_owned()
}

#[test]
fn decision_37_a_small_model_gets_json_lines_and_numbers_as_they_are() {
    let rows: Vec<_> = (0..40).map(|n| format!("{{\"id\": {n}, \"name\": \"user{n}\"}}")).collect();
    let json = format!("[{}]", rows.join(", "));
    let log: String = (0..60)
        .map(|n| {
            format!(
                "2026-03-25 16:00:{n:02} INFO request {n} served from the cache of the worker\n"
            )
        })
        .collect();
    let files: String =
        (0..60).map(|n| format!("./crates/engine/src/part{}/file{n}.rs\n", n / 10)).collect();
    let file: String = (1..60).map(|n| format!("{n:6}\tlet value_{n} = compute({n});\n")).collect();
    for (text, tool, arguments, is_small) in [
        (&json, "list_users", "{}", Some(json.replace(": ", ":").replace(", ", ","))),
        (&log, "Bash", r#"{"command":"./run"}"#, None),
        (&files, "Bash", r#"{"command":"find ."}"#, None),
        (&file, "Read", r#"{"file_path":"a.rs"}"#, None),
    ] {
        let small = forwarded_text(text, tool, arguments, ModelClass::Small);
        assert_eq!(small, is_small.unwrap_or_else(|| text.clone()));
        assert_ne!(forwarded_text(text, tool, arguments, ModelClass::Large), small);
    }
}
