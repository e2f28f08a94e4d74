//! What becomes of the results of tools.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;
use tokenforge_config::Structured;
use tokenforge_engine::reference::Key;
use tokenforge_engine::{Engine, Settings, Vault};
use tokenforge_formats::negotiate::Format;
use tokenforge_formats::{Json, decode_any};
use tokenforge_mcp::{RESULT_KEY, ResultRule, RewriteJob, RewrittenResult, rewrite};
use tokenforge_samples::{Nasty, nasty};

const ALL: ResultRule = ResultRule { format: Format::Auto, min_bytes: 0, max_bytes: 8 << 20 };

fn job(format: Format) -> RewriteJob<'static> {
    RewriteJob {
        tool: "mcp__db__query",
        arguments: "{}",
        rule: Some(ResultRule { format, ..ALL }),
        structured: Structured::Keep,
        is_promised: false,
        is_observed: false,
        has_metadata: true,
        elapsed: &|| Duration::from_micros(1_500),
    }
}

fn answer(result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string()
}

fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn done(result: &Value, job: &RewriteJob<'_>) -> RewrittenResult {
    rewrite(&answer(result), job, &Engine::new(&Settings::default()))
}

/// The result after rewriting.
fn shown(result: &Value, job: &RewriteJob<'_>) -> Value {
    let text = done(result, job).answer.unwrap_or_else(|| answer(result));
    serde_json::from_str::<Value>(&text).unwrap()["result"].take()
}

fn first_text(result: &Value, job: &RewriteJob<'_>) -> String {
    shown(result, job)["content"][0]["text"].as_str().unwrap().to_owned()
}

fn rows() -> Value {
    (0..20).map(|n| json!({"id": n, "name": format!("row {n}"), "state": "open"})).collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn m3_toon_and_stc_are_what_was_asked_for_and_json_forces_json() {
    let result = text_result(&pretty(&rows()));
    let original = pretty(&rows());
    for format in [Format::Toon, Format::Stc] {
        let text = first_text(&result, &job(format));
        assert!(text.len() < original.len() / 2, "{text}");
        let read: Value = serde_json::from_str(&decode_any(&text, 1 << 20).unwrap()).unwrap();
        assert_eq!(read, rows());
        assert_eq!(done(&result, &job(format)).figures.format, format.name());
    }
    assert_eq!(first_text(&result, &job(Format::Json)), original);
    assert!(done(&result, &job(Format::Json)).answer.is_none());
}

#[test]
fn m6_what_would_grow_in_tokens_stays_json() {
    let result = text_result(r#"{"a":[[1,2],[3,4],[[5]]],"b":[[],{},[{}]]}"#);
    let done = done(&result, &job(Format::Toon));
    assert!(done.answer.is_none());
    assert_eq!(done.figures.format, "json");
    assert_eq!(done.figures.tokens_before, done.figures.tokens_after);
}

#[test]
fn m7_structured_content_stays_and_only_the_text_is_written_anew() {
    let mut result = text_result(&rows().to_string());
    result["structuredContent"] = json!({"rows": rows()});
    let shown = shown(&result, &job(Format::Toon));
    assert_eq!(shown["structuredContent"], result["structuredContent"]);
    assert_ne!(shown["content"], result["content"]);
}

#[test]
fn m8_i3_every_block_stays_in_its_place_and_only_texts_change() {
    let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png"});
    let resource =
        json!({"type": "resource", "resource": {"uri": "f:///x", "text": rows().to_string()}});
    let text = json!({"type": "text", "text": rows().to_string()});
    let result = json!({"content": [image, text, resource, text, {"type": "future", "text": rows().to_string()}]});
    let shown = shown(&result, &job(Format::Stc));
    let kinds: Vec<&str> =
        shown["content"].as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["image", "text", "resource", "text", "future"]);
    for untouched in [0, 2, 4] {
        assert_eq!(shown["content"][untouched], result["content"][untouched]);
    }
    for touched in [1, 3] {
        assert_ne!(shown["content"][touched], result["content"][touched]);
    }
}

#[test]
fn m9_i5_error_flag_annotations_and_meta_are_kept_and_ours_stands_beside() {
    let block = json!({
        "type": "text", "text": rows().to_string(), "annotations": {"priority": 1.0}, "_meta": {"b": 1},
    });
    let result = json!({"_meta": {"theirs": [1]}, "content": [block], "isError": true, "x": null});
    let shown = shown(&result, &job(Format::Toon));
    assert_eq!(shown["_meta"]["theirs"], json!([1]));
    assert!(shown["_meta"][RESULT_KEY]["tokens_saved"].as_i64().unwrap() > 0);
    assert_eq!(shown["isError"], true);
    assert_eq!(shown["x"], Value::Null);
    assert_eq!(shown["content"][0]["annotations"], json!({"priority": 1.0}));
    assert_eq!(shown["content"][0]["_meta"], json!({"b": 1}));
}

#[test]
fn a_text_that_is_meant_for_people_is_left_alone() {
    let mut result = text_result(&rows().to_string());
    result["content"][0]["annotations"] = json!({"audience": ["user"]});
    assert!(done(&result, &job(Format::Auto)).answer.is_none());
    result["content"][0]["annotations"] = json!({"audience": ["user", "assistant"]});
    assert!(done(&result, &job(Format::Auto)).answer.is_some());
}

#[test]
fn i1_sizes_are_inclusive() {
    let text = rows().to_string();
    let result = text_result(&text);
    let is_done = |min_bytes, max_bytes| {
        let rule = Some(ResultRule { format: Format::Toon, min_bytes, max_bytes });
        done(&result, &RewriteJob { rule, ..job(Format::Toon) }).answer.is_some()
    };
    assert!(is_done(text.len(), text.len()));
    assert!(!is_done(text.len() + 1, 1 << 20));
    assert!(!is_done(0, text.len() - 1));
}

#[test]
fn i4_text_that_is_no_json_is_compressed_under_auto_alone() {
    let log: String = (0..60)
        .map(|n| format!("2026-01-01T00:00:{n:02}Z INFO service.worker started job\n"))
        .collect();
    let result = text_result(&log);
    assert!(done(&result, &job(Format::Toon)).answer.is_none());
    assert!(done(&result, &job(Format::Stc)).answer.is_none());
    assert!(first_text(&result, &job(Format::Auto)).len() < log.len());
}

#[test]
fn i6_the_mark_is_optional_and_stands_in_meta() {
    let result = text_result(&rows().to_string());
    let with = shown(&result, &job(Format::Toon));
    let without = shown(&result, &RewriteJob { has_metadata: false, ..job(Format::Toon) });
    assert!(with["_meta"][RESULT_KEY].is_object());
    assert!(without.get("_meta").is_none());
    assert_eq!(with["content"], without["content"]);
}

#[test]
fn i7_i8_i9_i10_numbers_nested_cells_keys_and_control_characters_survive() {
    let texts = [
        r#"[{"v":1e-20,"n":"a"},{"v":0.30000000000000004,"n":"b"},{"v":-0.0,"n":"c"},{"v":1e300,"n":"d"}]"#.to_owned(),
        format!("[{}]", [r#"{"a":[1],"b":{"c":"d"}}"#; 12].join(",")),
        format!("[{}]", [r#"{"a,b":1,"c d":2,"e-f":3,"":4}"#; 12].join(",")),
        format!("[{}]", [r#"{"a":"\u0001\u001f\n\t","b":"\u007f"}"#; 12].join(",")),
    ];
    for text in texts {
        for format in [Format::Toon, Format::Stc] {
            let shown = first_text(&text_result(&text), &job(format));
            assert_eq!(decode_any(&shown, 1 << 20).unwrap(), text, "{format}: {shown}");
        }
        let stc = first_text(&text_result(&text), &job(Format::Stc));
        assert_ne!(stc, text, "STC holds every JSON and is cheaper here");
    }
}

#[test]
fn i11_white_space_alone_does_not_make_a_form_cheaper() {
    // Without its white space this has fewer tokens as JSON than as TOON.
    let text = pretty(&json!({"a": [[1, 2], [3, 4], [[5]]], "b": [[], {}, [{}]]}));
    assert!(done(&text_result(&text), &job(Format::Toon)).answer.is_none());
}

#[test]
fn i12_structured_content_is_kept_dropped_or_pointed_to() {
    let mut result = text_result(&rows().to_string());
    result["structuredContent"] = rows();
    let with = |structured| shown(&result, &RewriteJob { structured, ..job(Format::Json) });
    assert_eq!(with(Structured::Keep), result);
    let dropped = with(Structured::Drop);
    assert!(dropped.get("structuredContent").is_none());
    assert_eq!(dropped["content"], result["content"]);
    let pointed = with(Structured::Pointer);
    assert_eq!(pointed["structuredContent"], result["structuredContent"]);
    assert_eq!(pointed["content"][0]["text"], "See structuredContent.");
}

#[test]
fn i12_what_only_the_structured_copy_says_is_not_lost_with_it() {
    let mut result = text_result("20 rows found");
    result["structuredContent"] = json!({"rows": rows()});
    let dropped = shown(&result, &RewriteJob { structured: Structured::Drop, ..job(Format::Auto) });
    assert!(dropped.get("structuredContent").is_none());
    assert_eq!(dropped["content"][0]["text"], "20 rows found");
    let added = dropped["content"][1]["text"].as_str().unwrap();
    let read: Value = serde_json::from_str(&decode_any(added, 1 << 20).unwrap()).unwrap();
    assert_eq!(read, json!({"rows": rows()}));
    // A copy that only wraps the text needs no second text.
    let mut wrapped = text_result("line one\nline two");
    wrapped["structuredContent"] = json!({"content": "line one\nline two"});
    let dropped =
        shown(&wrapped, &RewriteJob { structured: Structured::Drop, ..job(Format::Auto) });
    assert_eq!(dropped["content"], wrapped["content"]);
}

#[test]
fn a_text_in_the_place_of_promised_structure_is_left_alone() {
    let result = text_result(&rows().to_string());
    assert!(done(&result, &RewriteJob { is_promised: true, ..job(Format::Auto) }).answer.is_none());
}

#[test]
fn i13_observed_results_are_measured_and_stay() {
    let result = text_result(&rows().to_string());
    let done = done(&result, &RewriteJob { is_observed: true, ..job(Format::Toon) });
    assert!(done.answer.is_none());
    assert!(done.figures.tokens_after < done.figures.tokens_before);
}

#[test]
fn i15_the_mark_has_bytes_tokens_and_time() {
    let result = text_result(&rows().to_string());
    let shown = shown(&result, &job(Format::Toon));
    let mark = &shown["_meta"][RESULT_KEY];
    assert_eq!(mark["bytes_before"], rows().to_string().len());
    assert_eq!(mark["bytes_after"], shown["content"][0]["text"].as_str().unwrap().len());
    assert!(mark["tokens_before"].as_u64() > mark["tokens_after"].as_u64());
    assert_eq!(mark["ms"], 1.5);
}

#[test]
fn i16_secrets_are_gone_before_a_form_is_chosen() {
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let rows: Value = (0..20).map(|n| json!({"id": n, "token": key, "state": "open"})).collect();
    for format in [Format::Toon, Format::Stc, Format::Json, Format::Auto] {
        let text = first_text(&text_result(&rows.to_string()), &job(format));
        assert!(!text.contains(&key), "{format}");
    }
}

#[test]
fn l4_what_is_left_out_is_to_be_stored_and_named() {
    let passed: String =
        (0..400).map(|n| format!("test suite::case_number_{n} ... ok\n")).collect();
    let run =
        format!("running 400 tests\n{passed}\ntest result: ok. 400 passed; 0 failed; 0 ignored\n");
    let key = Key::from_secret("for the test");
    let settings = Settings::default();
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let job = RewriteJob {
        tool: "execute_command",
        arguments: r#"{"command":"cargo test"}"#,
        ..job(Format::Auto)
    };
    let done = rewrite(&answer(&text_result(&run)), &job, &engine);
    let [original] = &done.originals[..] else { panic!("nothing was left out") };
    assert_eq!(original.text, run);
    let shown: Value = serde_json::from_str(&done.answer.unwrap()).unwrap();
    let mark = &shown["result"]["_meta"][RESULT_KEY];
    assert_eq!(mark["original_ref"][0], original.reference.to_string());
}

#[test]
fn l1_outside_of_the_texts_every_byte_is_the_server_s() {
    let spelled = serde_json::to_string(&rows().to_string()).unwrap();
    let answer = format!(
        "{{ \"result\" : {{\"content\":[ {{\"text\":{spelled} , \"type\":\"\\u0074ext\", \"n\": 1.0e+2}} ]}},\"jsonrpc\":\"2.0\",\"id\":\"x\"}}"
    );
    let job = RewriteJob { has_metadata: false, ..job(Format::Stc) };
    let done = rewrite(&answer, &job, &Engine::new(&Settings::default()));
    let new = done.answer.unwrap();
    let (before, after) = answer.split_once(&spelled).unwrap();
    assert!(new.starts_with(before) && new.ends_with(after), "{new}");
}

#[test]
fn what_is_no_result_of_a_tool_stays() {
    let engine_settings = Settings::default();
    let engine = Engine::new(&engine_settings);
    for text in [
        "garbage",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":"text"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":[]}"#,
    ] {
        assert!(rewrite(text, &job(Format::Auto), &engine).answer.is_none(), "{text}");
    }
}

proptest! {
    #[test]
    fn l1_whatever_else_a_result_holds_passes_as_it_is(seed: u64) {
        let other = nasty(seed, Nasty::default());
        let spelled = serde_json::to_string(&rows().to_string()).unwrap();
        let answer = format!(
            r#"{{"x":{other},"jsonrpc":"2.0","id":1,"result":{{"y":{other},"content":[{{"type":"text","text":{spelled},"z":{other}}},{other}],"structuredContent":{other}}}}}"#
        );
        let job = RewriteJob { has_metadata: false, ..job(Format::Stc) };
        let new = rewrite(&answer, &job, &Engine::new(&Settings::default())).answer.unwrap();
        let text = serde_json::to_string(&first_text(&text_result(&rows().to_string()), &job)).unwrap();
        prop_assert_eq!(new, answer.replacen(&spelled, &text, 1));
    }

    #[test]
    fn i12_whatever_the_structured_copy_is_it_is_not_lost(seed: u64) {
        let copy = nasty(seed, Nasty::default());
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":{copy},"content":[{{"type":"text","text":"ok"}}]}}}}"#
        );
        let job = RewriteJob { structured: Structured::Drop, ..job(Format::Stc) };
        let settings = Settings { redact_secrets: false, ..Settings::default() };
        let new = rewrite(&answer, &job, &Engine::new(&settings)).answer.unwrap();
        let new: Value = serde_json::from_str(&new).unwrap();
        prop_assert!(new["result"].get("structuredContent").is_none());
        let shown = new["result"]["content"][1]["text"].as_str().unwrap_or(copy.trim());
        let json = Json::parse(&copy).unwrap();
        prop_assert_eq!(decode_any(shown, 1 << 24).unwrap(), json.minify());
    }
}
