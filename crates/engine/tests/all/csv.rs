//! Rows of cells: one array where a query or a tool printed them, and exact where they are a file.

use serde_json::json;
use tokenforge_engine::{
    CompressedOutput, Engine, History, Mode, ModelClass, Output, Settings, restore,
};

fn rows() -> String {
    let row = |n: usize| {
        format!("{n},2026-01-{:02}T10:00:00Z,\"Cologne, Germany\",{}.5\r\n", n % 28 + 1, n % 7)
    };
    format!("id,created at,city,degrees\r\n{}", (1..60).map(row).collect::<String>())
}

fn compress(tool: &str, arguments: &str, settings: &Settings) -> CompressedOutput {
    let text = rows();
    let output = Output::new(tool, &text).with_arguments(arguments);
    Engine::new(settings).compress(&output, &History::default())
}

#[test]
fn l3_d9_rows_that_a_query_printed_are_one_array_and_come_back() {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    for (tool, arguments) in [
        ("run_query", json!({"sql": "select * from weather"})),
        ("Bash", json!({"command": "sqlite3 -header -csv weather.db 'select * from weather'"})),
    ] {
        let compressed = compress(tool, &arguments.to_string(), &settings);
        let text = compressed.text("");
        assert!(text.starts_with("[Forge CSV rows as one array, CRLF]\nstc2 "), "{text}");
        assert_eq!(restore(text).as_deref(), Ok(&*rows()));
    }
}

#[test]
fn d6_a_file_of_rows_stays() {
    for (tool, arguments) in [
        ("Read", json!({"file_path": "weather.csv"})),
        ("Bash", json!({"command": "head -60 weather.csv"})),
    ] {
        let compressed = compress(tool, &arguments.to_string(), &Settings::default());
        assert_eq!(compressed.replacement, None, "{tool}");
    }
}

#[test]
fn decision_37_small_models_get_the_rows() {
    let settings = Settings { model_class: ModelClass::Small, ..Settings::default() };
    assert_eq!(compress("run_query", "{}", &settings).replacement, None);
}
