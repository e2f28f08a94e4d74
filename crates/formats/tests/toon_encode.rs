//! TOON encoding: the conformance cases, and the rules of E1 to E13 that they leave open.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::Value;
use support::fixtures::{self, ALL_CASES, Case};
use tokenforge_formats::toon::{Delimiter, EncodeOptions, Numbers, encode};
use tokenforge_formats::{Json, Refusal};

fn options(case: &Case) -> EncodeOptions {
    let mut options = EncodeOptions::default();
    if let Some(indent) = case.options["indentSize"].as_u64() {
        options.indent = indent as usize;
    }
    options.delimiter = match case.options["delimiter"].as_str() {
        Some("\t") => Delimiter::Tab,
        Some("|") => Delimiter::Pipe,
        _ => Delimiter::Comma,
    };
    options
}

fn toon(json: &str) -> Result<String, Refusal> {
    encode(&Json::parse(json).unwrap(), &EncodeOptions::default())
}

#[test]
fn a4_every_conformance_case_is_encoded_as_expected() {
    let cases = fixtures::cases("encode");
    assert_eq!(cases.len() + fixtures::cases("decode").len(), ALL_CASES);
    for case in cases {
        let input = serde_json::to_string(&case.input).unwrap();
        let encoded = encode(&Json::parse(&input).unwrap(), &options(&case));
        let expected = (!case.should_error).then_some(&case.expected);
        let found = encoded.ok().map(Value::from);
        assert_eq!(found.as_ref(), expected, "{}: {}", case.file, case.name);
    }
}

#[test]
fn duplicate_keys_and_lone_surrogates_are_refused_with_their_place() {
    assert_eq!(toon(r#"{"a":1,"b":2,"a":3}"#), Err(Refusal::DuplicateKey { offset: 13 }));
    assert_eq!(toon(r#"{"a":1,"\u0061":2}"#), Err(Refusal::DuplicateKey { offset: 7 }));
    assert_eq!(toon(r#"[{"k":{"x":1,"x":2}}]"#), Err(Refusal::DuplicateKey { offset: 13 }));
    assert_eq!(toon(r#"["a","\ud800"]"#), Err(Refusal::LoneSurrogate { offset: 5 }));
    assert_eq!(toon(r#"{"\udc00":1}"#), Err(Refusal::LoneSurrogate { offset: 1 }));
}

#[test]
fn e10_rows_in_another_order_follow_the_first_row() {
    let json = r#"[{"a":1,"b":{"c":2,"d":3}},{"b":{"d":5,"c":4},"a":6}]"#;
    assert_eq!(toon(json).unwrap(), "[2]{a,b{c,d}}:\n  1,2,3\n  6,4,5");
}

#[test]
fn e2_i7_numbers_are_canonical_or_verbatim() {
    let json = Json::parse("[1.50,1e2,-0,1E400,12345678901234567890123]").unwrap();
    let canonical = encode(&json, &EncodeOptions::default()).unwrap();
    assert_eq!(canonical, "[5]: 1.5,100,0,1e+400,1.2345678901234567890123e+22");
    let verbatim = EncodeOptions { numbers: Numbers::Verbatim, ..Default::default() };
    let verbatim = encode(&json, &verbatim).unwrap();
    assert_eq!(verbatim, "[5]: 1.50,1e2,-0,1E400,12345678901234567890123");
}

#[test]
fn i8_i9_i10_arrays_in_rows_odd_keys_and_controls_are_encoded() {
    assert_eq!(toon(r#"[{"a":[1]}]"#).unwrap(), "[1]:\n  - a[1]: 1");
    let odd_keys = toon(r#"{"a,b":1,"x y":2,"x-y":3,"":4}"#).unwrap();
    assert_eq!(odd_keys, "\"a,b\": 1\n\"x y\": 2\n\"x-y\": 3\n\"\": 4");
    assert_eq!(toon(r#"{"a":"x\u0001\b\n"}"#).unwrap(), r#"a: "x\u0001\u0008\n""#);
}

#[test]
fn a_text_that_indentation_would_blow_up_is_refused() {
    let deep = "[".repeat(500) + &"[[1]],".repeat(20_000) + "1" + &"]".repeat(500);
    assert_eq!(toon(&deep), Err(Refusal::TooIndented));
}
