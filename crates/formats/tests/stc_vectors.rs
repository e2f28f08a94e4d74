//! S5, S10, K14: the vectors of the specification, which every implementation passes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::path::Path;
use tokenforge_formats::stc::{Spelling, decode, encode};
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Json, MAX_OUTPUT};

/// Runs a check on every case of a file and says how many there were.
fn for_each_case(file: &str, check: impl Fn(&str, &Case)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() >= 10, "{file} has only {} cases", cases.len());
    cases.iter().map(Case::read).for_each(|case| check(&case.op, &case));
}

struct Case {
    name: String,
    op: String,
    spelling: Spelling,
    /// Of STC 2.
    level: Option<Level>,
    input: String,
    output: String,
    offset: usize,
    max_output: usize,
}

impl Case {
    fn read(case: &Value) -> Self {
        let text = |member: &str| case[member].as_str().unwrap_or_default().to_owned();
        let number = |member: &str| case[member].as_u64().map(|number| number as usize);
        Self {
            name: text("name"),
            op: text("op"),
            spelling: match case["spelling"].as_str() {
                Some("dense") => Spelling::Dense,
                Some("flat") => Spelling::Flat,
                _ => Spelling::Adr,
            },
            level: number("level").and_then(|level| Level::from_number(level as u8)),
            input: text("input"),
            output: text("output"),
            offset: number("offset").unwrap_or(usize::MAX),
            max_output: number("max_output").unwrap_or(MAX_OUTPUT),
        }
    }
}

#[test]
fn s1_s2_s3_s5_encode_vectors() {
    for_each_case("encode.json", |op, case| {
        assert_eq!(op, "encode");
        let json = Json::parse(&case.input).unwrap();
        assert_eq!(encode(&json, case.spelling), case.output, "{}", case.name);
        let decoded = decode(&case.output, MAX_OUTPUT);
        assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{}", case.name);
    });
}

#[test]
fn k4_k12_decode_vectors() {
    for_each_case("decode.json", |op, case| {
        assert_eq!(op, "decode");
        let decoded = decode(&case.input, case.max_output);
        assert_eq!(decoded.as_deref(), Ok(&*case.output), "{}", case.name);
    });
}

#[test]
fn s4_k2_k5_k6_k7_k8_k9_round_trip_vectors() {
    for_each_case("round_trip.json", |op, case| {
        assert_eq!(op, "round_trip");
        let json = Json::parse(&case.input).unwrap();
        assert_eq!(json.minify(), case.output, "{}", case.name);
        for spelling in [Spelling::Adr, Spelling::Dense, Spelling::Flat] {
            let decoded = decode(&encode(&json, spelling), MAX_OUTPUT);
            assert_eq!(decoded.as_deref(), Ok(&*case.output), "{}", case.name);
        }
    });
}

#[test]
fn k10_k16_error_vectors() {
    for_each_case("error.json", |op, case| {
        let error = match op {
            "decode_error" => decode(&case.input, case.max_output).expect_err(&case.name),
            "encode_error" => Json::parse(&case.input).map(|_| ()).expect_err(&case.name),
            other => panic!("{}: unknown op {other}", case.name),
        };
        assert_eq!(error.offset(), case.offset, "{}: {error}", case.name);
    });
}

#[test]
fn stc2_encode_vectors() {
    for_each_case("stc2/encode.json", |op, case| {
        assert_eq!(op, "encode");
        let json = Json::parse(&case.input).unwrap();
        assert_eq!(stc2::encode(&json, case.level.unwrap()), case.output, "{}", case.name);
        let decoded = stc2::decode(&case.output, MAX_OUTPUT);
        assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{}", case.name);
    });
}

#[test]
fn stc2_decode_vectors() {
    for_each_case("stc2/decode.json", |op, case| {
        assert_eq!(op, "decode");
        let decoded = stc2::decode(&case.input, case.max_output);
        assert_eq!(decoded.as_deref(), Ok(&*case.output), "{}", case.name);
    });
}

#[test]
fn stc2_round_trip_vectors() {
    for_each_case("stc2/round_trip.json", |op, case| {
        assert_eq!(op, "round_trip");
        let json = Json::parse(&case.input).unwrap();
        for level in Level::ALL {
            let decoded = stc2::decode(&stc2::encode(&json, level), MAX_OUTPUT);
            assert_eq!(decoded.as_deref(), Ok(&*case.output), "{}", case.name);
        }
    });
}

#[test]
fn stc2_error_vectors() {
    for_each_case("stc2/error.json", |op, case| {
        assert_eq!(op, "decode_error");
        let error = stc2::decode(&case.input, case.max_output).expect_err(&case.name);
        assert_eq!(error.offset(), case.offset, "{}: {error}", case.name);
    });
}
