//! What counts as rows: the same here and where it was measured how models read them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use tokenforge_formats::{Json, has_rows};

const CASES: &str = include_str!("../../../dev/bench/readability/tests/rows.json");

#[test]
fn decision_37_rows_are_told_as_in_the_measurement() {
    let file: Value = serde_json::from_str(CASES).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let text = case["json"].as_str().unwrap();
        assert_eq!(has_rows(&Json::parse(text).unwrap()), case["rows"], "{text}");
    }
}
