//! The engine's half of the contracts about JSON in prompt context.

use proptest::prelude::*;
use tokenforge_engine::prompt::{
    PromptOutcome, PromptReason, PromptSettings, PromptStats, convert,
};
use tokenforge_formats::{Form, Json, MAX_OUTPUT};
use tokenforge_tokens::Counter;

const ON: PromptSettings =
    PromptSettings { enabled: true, min_bytes: 256, fail_open: true, log_stats: true };

/// What a search tool would return: one object per match.
fn matches(count: usize) -> String {
    let items = (1..=count).map(|index| {
        format!(
            r#"{{"file": "src/part{index}.rs", "line": {}, "match": "let value_{index} = read()?;"}}"#,
            index * 13
        )
    });
    format!(r#"{{"matches": [{}]}}"#, items.collect::<Vec<_>>().join(", "))
}

fn outcome(text: &str) -> PromptOutcome {
    convert(text, &ON, Counter::default()).unwrap()
}

fn convert_whole(text: &str) -> (String, PromptStats) {
    match outcome(text) {
        PromptOutcome::Converted { text, stats } => (text, stats),
        PromptOutcome::Kept(reason) => panic!("kept: {reason:?}"),
    }
}

#[test]
fn t1_the_defaults_are_safe() {
    let settings = PromptSettings::default();
    let expected =
        PromptSettings { enabled: false, min_bytes: 4096, fail_open: true, log_stats: true };
    assert_eq!(settings, expected);
}

#[test]
fn t2_only_a_whole_json_object_or_array_is_eligible() {
    let json = matches(60);
    assert!(matches!(outcome(&json), PromptOutcome::Converted { .. }));
    let array = &json[json.find('[').unwrap()..json.len() - 1];
    assert!(matches!(outcome(&format!("\n {array} \n")), PromptOutcome::Converted { .. }));
    let long = "x".repeat(5000);
    for text in [
        format!("Here it is: {json}"),
        format!("{json} and more"),
        format!("```json\n{json}\n```"),
        format!("\"{long}\""),
        json.replacen('}', "", 1),
        long,
    ] {
        assert_eq!(outcome(&text), PromptOutcome::Kept(PromptReason::NotJson), "{text}");
    }
}

#[test]
fn t3_what_was_converted_still_holds_the_original() {
    let json = matches(60);
    let (text, _) = convert_whole(&json);
    let decoded = Form::Toon.decode(&text, MAX_OUTPUT).unwrap();
    assert_eq!(decoded, Json::parse(&json).unwrap().minify());
}

#[test]
fn t4_an_error_keeps_the_json_or_is_one() {
    let twice = format!(r#"{{"a": 1, "a": {}}}"#, matches(60));
    assert_eq!(outcome(&twice), PromptOutcome::Kept(PromptReason::Failure));
    let closed = PromptSettings { fail_open: false, ..ON };
    let error = convert(&twice, &closed, Counter::default()).unwrap_err().to_string();
    assert!(error.contains("the key at byte 9 twice"), "{error}");
}

#[test]
fn t5_an_object_no_longer_starts_like_json_and_its_figures_are_known() {
    let json = matches(60);
    let (text, stats) = convert_whole(&json);
    assert!(!text.starts_with(['{', '[']));
    let counter = Counter::default();
    let expected = PromptStats {
        original_bytes: json.len(),
        compressed_bytes: text.len(),
        original_tokens: counter.count(&json),
        compressed_tokens: counter.count(&text),
    };
    assert_eq!(stats, expected);
    assert!(stats.compressed_bytes < stats.original_bytes);
    assert!(stats.compressed_tokens < stats.original_tokens);
}

#[test]
fn p1_disabled_changes_nothing() {
    let settings = PromptSettings { min_bytes: 0, ..PromptSettings::default() };
    let outcome = convert(&matches(60), &settings, Counter::default()).unwrap();
    assert_eq!(outcome, PromptOutcome::Kept(PromptReason::Disabled));
}

#[test]
fn p2_at_the_threshold_nothing_changes_and_above_it_does() {
    let json = matches(60);
    let at = PromptSettings { min_bytes: json.len(), ..ON };
    let below = PromptSettings { min_bytes: json.len() - 1, ..ON };
    let outcome = convert(&json, &at, Counter::default()).unwrap();
    assert_eq!(outcome, PromptOutcome::Kept(PromptReason::SkippedBySize));
    assert_eq!(PromptReason::SkippedBySize.name(), "skippedBySize");
    let outcome = convert(&json, &below, Counter::default()).unwrap();
    assert!(matches!(outcome, PromptOutcome::Converted { .. }));
}

#[test]
fn p3_what_toon_cannot_hold_is_a_counted_failure() {
    let surrogate = format!(r#"{{"a": "\ud800", "b": {}}}"#, matches(60));
    assert_eq!(outcome(&surrogate), PromptOutcome::Kept(PromptReason::Failure));
    assert_eq!(PromptReason::Failure.name(), "failure");
}

#[test]
fn p6_every_file_line_and_match_is_still_readable() {
    let (text, _) = convert_whole(&matches(60));
    for index in 1..=60 {
        let row = [
            format!("src/part{index}.rs"),
            (index * 13).to_string(),
            format!("let value_{index} = read()?;"),
        ];
        let line = text.lines().find(|line| line.contains(&row[2])).unwrap();
        assert!(row.iter().all(|cell| line.contains(cell)), "{line}");
    }
}

#[test]
fn p7_growth_keeps_the_json() {
    // Deep nesting: indentation costs more than braces.
    let nested = format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60));
    assert_eq!(outcome(&nested), PromptOutcome::Kept(PromptReason::SkippedByGrowth));
    assert_eq!(PromptReason::SkippedByGrowth.name(), "skippedByGrowth");
}

#[test]
fn p8_what_would_not_come_back_byte_for_byte_keeps_the_json() {
    let json = matches(60).replacen("src/part1.rs", r"src\/part1.rs", 1);
    assert_eq!(outcome(&json), PromptOutcome::Kept(PromptReason::Mismatch));
}

#[test]
fn p9_the_same_text_gives_the_same_bytes() {
    let json = matches(60);
    assert_eq!(outcome(&json), outcome(&json));
    assert_eq!(outcome(&convert_whole(&json).0), PromptOutcome::Kept(PromptReason::NotJson));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// L2 and L3 whatever the text is.
    #[test]
    fn l2_what_is_converted_is_smaller_by_every_measure(seed in any::<u64>()) {
        let text = tokenforge_samples::nasty(seed, tokenforge_samples::Nasty::default());
        let settings = PromptSettings { min_bytes: 0, ..ON };
        let counter = Counter::Estimate;
        if let PromptOutcome::Converted { text: toon, .. } = convert(&text, &settings, counter).unwrap() {
            let minified = Json::parse(&text).unwrap().minify().into_owned();
            prop_assert_eq!(Form::Toon.decode(&toon, MAX_OUTPUT).unwrap(), minified.as_str());
            prop_assert!(toon.len() <= text.len());
            prop_assert!(counter.count(&toon) < counter.count(&text));
            prop_assert!(counter.count(&toon) <= counter.count(&minified));
        }
    }
}
