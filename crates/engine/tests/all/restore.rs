//! D9, F24: everything that a lossless mode writes is restored by what we ship.

use proptest::prelude::*;
use serde_json::Value;
use tokenforge_engine::internals::{json, wrapper};
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_engine::{
    EarlierResult, Engine, Fidelity, History, Mode, Output, RestoreError, Settings, restore,
};
use tokenforge_samples::recorded;

/// The vectors that the packages for Python and Node share.
const VECTORS: [&str; 3] = [
    include_str!("../../../../spec/vectors/outputs/restore.json"),
    include_str!("../../../../spec/vectors/outputs/pointers.json"),
    include_str!("../../../../spec/vectors/outputs/json.json"),
];

#[test]
fn d9_the_shared_vectors_are_restored() {
    for file in VECTORS {
        let file: Value = serde_json::from_str(file).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let restored = restore_case(case);
            match case["op"].as_str().unwrap() {
                "restore" => {
                    assert_eq!(restored.unwrap(), case["output"].as_str().unwrap(), "{case}");
                }
                "restore_error" => {
                    let error = restored.unwrap_err();
                    assert!(error.contains(case["error"].as_str().unwrap()), "{case}: {error}");
                }
                op => panic!("{op} is no operation"),
            }
        }
    }
}

/// What the input of a case stands for, or the words of the error.
fn restore_case(case: &Value) -> Result<String, String> {
    let input = case["input"].as_str().unwrap();
    let Some(results) = case.get("history") else {
        return restore(input).map_err(|error| error.to_string());
    };
    let results: Vec<EarlierResult> = serde_json::from_str(&results.to_string()).unwrap();
    let resolved = History::from_iter(results).resolve(input, &case["arguments"].to_string());
    resolved.and_then(|text| restore(&text)).map_err(|error| error.to_string())
}

#[test]
fn d9_pointers_do_not_repeat_without_bound() {
    let shown: String = (0..999).map(|n| format!("line {n}{}\n", " ".repeat(1000))).collect();
    let arguments = serde_json::json!({ "command": "make" });
    let result = serde_json::json!({ "tool": "Bash", "arguments": arguments, "text": shown });
    let result: EarlierResult = serde_json::from_str(&result.to_string()).unwrap();
    let history = History::from_iter([result]);
    let pointer = "[Forge same as 999 lines of `make` above, from \"line 0\" to \"line 998\"]\n";
    assert!(history.resolve(&pointer.repeat(9), "{}").unwrap().len() > 9_000_000);
    assert_eq!(history.resolve(&pointer.repeat(99), "{}"), Err(RestoreError::TooLarge));
}

#[test]
fn d9_every_sample_output_is_restored() {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let (mut all, mut exact) = (0, 0);
    for sample in recorded() {
        let output = Output {
            text: &sample.text,
            tool: &sample.tool,
            arguments: &sample.arguments,
            call: None,
            is_error: false,
        };
        let compressed = Engine::new(&settings).compress(&output, &History::default());
        let Some(written) = &compressed.replacement else { continue };
        let restored = restore(written).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let applied = || compressed.steps.iter().filter(|step| step.is_applied());
        all += 1;
        // What cosmetic stages took away is not shown; the laws compare what is.
        if applied().all(|step| step.fidelity == Fidelity::Lossless) {
            exact += 1;
            let parts = wrapper::unwrap(&sample.text);
            let has = |stage: &str| applied().any(|step| step.stage == stage);
            let minify = |payload: &str| match () {
                () if has("json") || has("nested_json") => json::minify(payload).into_owned(),
                () if has("json_lines") => json::lines::minify(payload).into_owned(),
                () if has("truncated_json") => json::truncated::minify(payload).into_owned(),
                () if has("embedded_json") => json::embedded::minify(payload).into_owned(),
                () => payload.to_owned(),
            };
            let minified: Vec<String> = parts.payloads().map(minify).collect();
            let minified = parts.rewrap(&minified);
            let minified = if has("unescaped_strings") {
                wrapper::unescaped::minify(&minified).into_owned()
            } else {
                minified
            };
            assert_eq!(restored, minified, "{}: {written}", sample.name);
        }
    }
    assert!(all > 60 && exact > 40, "{exact} of {all}");
}

#[test]
fn d9_a_text_that_does_not_hold_all_says_so() {
    for text in
        ["a\n[Forge same as lines 1-9 of a.rs above]\n", "[Duplicate of a.rs; see earlier result]"]
    {
        assert_eq!(restore(text), Err(RestoreError::Points), "{text}");
    }
    let reference = Reference::of(&ReferenceSecret::from_bytes([7; 32]), "all of it");
    let error = restore(&reference.before("what is left\n", None)).unwrap_err();
    assert_eq!(error, RestoreError::LeftOut(reference));
    assert!(error.to_string().contains(&format!("tokenforge expand {reference}")), "{error}");
}

#[test]
fn d9_a_first_line_alone_is_text_and_a_reference_in_a_wrapper_is_seen() {
    assert_eq!(restore("stc2\n").as_deref(), Ok("stc2\n"));
    let text = "Exit code 1\n<<<SHADOW:shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn>>>\nbody";
    assert!(matches!(restore(text), Err(RestoreError::LeftOut(_))));
}

#[test]
fn d9_many_payloads_have_the_bound_of_one() {
    let line = format!("{}\n[Forge the line above 60000 more times]", "x".repeat(1000));
    let entry = serde_json::json!({ "query": "ls", "result": line });
    let list = serde_json::Value::from(vec![entry; 10]).to_string();
    assert_eq!(restore(&list), Err(RestoreError::TooLarge));
}

/// What restoring gives back of what a lossless mode makes of a text.
fn there_and_back(text: &str, tool: &str) -> String {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let output = Output { text, tool, arguments: "{}", call: None, is_error: false };
    let compressed = Engine::new(&settings).compress(&output, &History::default());
    restore(compressed.text(text))
        .unwrap_or_else(|error| panic!("{error}: {}", compressed.text(text)))
}

/// Records inside of so many containers, cut in the midst of them.
fn torn_json(
    levels: usize,
    openers: &[usize],
    records: usize,
    cut: usize,
    is_spaced: bool,
) -> String {
    let open = |level: usize| match openers[level % openers.len()] % 4 {
        0 => "[",
        1 => "{\"k\":",
        2 => "[1,",
        _ => "{\"name\":\"abc\",\"children\":",
    };
    let record = |id: usize| format!(r#"{{"id":{id},"name":"n{}","state":"open"}}"#, id * 7);
    let records: Vec<String> = (0..records).map(record).collect();
    let head: String = (0..levels).map(open).collect();
    let text = format!("{head}[{}", records.join(","));
    let text = text[..(head.len() + 40 + cut).min(text.len())].to_owned();
    if is_spaced { text.replace(',', ", ").replace(':', ": ") } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn f24_torn_json_of_any_depth_is_restored(
        levels in prop_oneof![1_usize..40, 490_usize..601],
        openers in prop::collection::vec(0_usize..4, 1..12),
        records in 2_usize..60,
        cut in 0_usize..3_000,
    ) {
        let text = torn_json(levels, &openers, records, cut, false);
        prop_assert_eq!(there_and_back(&text, "mcp__db__query"), text);
    }

    #[test]
    fn f24_torn_json_in_json_strings_keeps_every_blank(
        levels in 1_usize..30,
        openers in prop::collection::vec(0_usize..4, 1..12),
        records in 2_usize..60,
        cut in 0_usize..3_000,
        notice in "(|\\n|… \\n\\[cut\\]|\\n…93 tokens truncated…\\n \\{ \"a\": 1 \\})",
        wrapper in 0_usize..4,
    ) {
        let torn = torn_json(levels, &openers, records, cut, true) + &notice;
        let text = match wrapper {
            0 => serde_json::json!({ "output": torn, "metadata": { "exit_code": 0 } }),
            1 => serde_json::json!([{ "type": "text", "text": torn }]),
            2 => serde_json::json!({ "stdout": torn, "stderr": "", "interrupted": false }),
            _ => serde_json::json!({ "id": 1, "body": torn, "note": "a text like any other" }),
        };
        let restored = there_and_back(&text.to_string(), "mcp__db__query");
        prop_assert_eq!(serde_json::from_str::<Value>(&restored).unwrap(), text);
    }

    #[test]
    fn f24_numbered_lines_with_mixed_ends_are_restored(
        first in 1_usize..120,
        lines in prop::collection::vec(("(|let x = 1;|    foo\\(\\)|\r|a\rb)", "(\n|\n|\r\n|\r\r\n)"), 1..60),
        separator in "(→|\t|: |\\| )",
        last in "(|\r|\r\n)",
    ) {
        let line = |(n, (body, end)): (usize, &(String, String))| format!("{:6}{separator}{body}{end}", first + n);
        let text: String = lines.iter().enumerate().map(line).collect::<String>() + &last;
        prop_assert_eq!(there_and_back(&text, "Read"), text);
    }
}
