//! TOON 4.4 to JSON, seen from outside.

mod support;

use proptest::prelude::*;
use serde_json::Value;
use support::fixtures::{self, Case};
use tokenforge_formats::toon::{DecodeOptions, decode};
use tokenforge_formats::{ErrorKind, Json, MAX_DEPTH};

fn options_of(case: &Case) -> DecodeOptions {
    let default = DecodeOptions::default();
    DecodeOptions {
        indent: case.options["indentSize"].as_u64().map_or(default.indent, |size| size as usize),
        strict: case.options["strict"].as_bool().unwrap_or(default.strict),
        ..default
    }
}

/// Numbers are compared by value: the cases expect canonical ones, the decoder keeps their text.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, l)| right.get(key).is_some_and(|r| same(l, r)))
        }
        _ => left == right,
    }
}

#[test]
fn a4_every_conformance_case_but_those_that_4_4_changed() {
    let cases = fixtures::cases("decode");
    assert_eq!(cases.len() + fixtures::cases("encode").len(), fixtures::ALL_CASES);
    let mut wrong = Vec::new();
    for case in &cases {
        let should_error =
            case.should_error || fixtures::ERRORS_SINCE_4_4.contains(&case.name.as_str());
        let input = case.input.as_str().expect("decode cases have text");
        let decoded = decode(input, &options_of(case));
        let passed = match &decoded {
            Ok(json) if !should_error => {
                let value: Value = serde_json::from_str(json).expect("the output is JSON");
                same(&value, &case.expected)
            }
            decoded => decoded.is_err() == should_error,
        };
        if !passed {
            wrong.push(format!("{}: {}\n{input}\n=> {decoded:?}", case.file, case.name));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

fn strict(text: &str) -> String {
    decode(text, &DecodeOptions::default()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

const LENIENT: DecodeOptions = DecodeOptions { indent: 2, strict: false, max_output: 1 << 20 };

fn lenient(text: &str) -> String {
    decode(text, &LENIENT).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// The error of strict decoding and the part of the text it points at.
fn fault(text: &str) -> (ErrorKind, &str) {
    let error = decode(text, &DecodeOptions::default()).expect_err(text);
    (error.kind(), &text[error.offset()..])
}

#[test]
fn d1_marks_comments_and_trailing_spaces_are_no_content() {
    assert_eq!(
        strict("\u{feff}a: 1  \r\n# no\r\n  # no\r\nb: #yes\r\n"),
        r##"{"a":1,"b":"#yes"}"##
    );
    assert_eq!(lenient("a:\n\t#: 1"), r##"{"a":{"#":1}}"##);
}

#[test]
fn d2_the_first_line_decides_the_root() {
    let roots = [
        ("", "{}"),
        ("# nothing", "{}"),
        ("[]", "[]"),
        ("[0]:", "[]"),
        ("[2]: 1,x", r#"[1,"x"]"#),
        ("[1]{a}:\n  1", r#"[{"a":1}]"#),
        ("[1:]{a}:\n  k: 1", r#"{"k":{"a":1}}"#),
        ("hello world", r#""hello world""#),
        ("\"a: b\"", r#""a: b""#),
        ("[1,2]", r#""[1,2]""#),
        ("a: 1", r#"{"a":1}"#),
    ];
    for (text, json) in roots {
        assert_eq!(strict(text), json, "{text:?}");
    }
}

#[test]
fn d4_numbers_keep_their_text_and_lookalikes_are_strings() {
    for number in ["0", "-0", "1.50", "1e2", "1E+2", "1e400", "123456789012345678901234567890.10"] {
        assert_eq!(strict(number), number);
    }
    for string in ["05", "+5", ".5", "1.", "1e", "-", "0x10", "1_000", "NaN", "True", "1e5x"] {
        assert_eq!(strict(string), format!("\"{string}\""));
    }
}

#[test]
fn d5_d6_keys_and_cells_are_trimmed_of_spaces_only() {
    assert_eq!(strict("a b : x y "), r#"{"a b":"x y"}"#);
    assert_eq!(strict("[4]:  a , \"b\" ,, \u{a0}"), "[\"a\",\"b\",\"\",\"\u{a0}\"]");
    assert_eq!(strict("a\"b: c\"d: e"), r#"{"a\"b: c\"d":"e"}"#);
    assert_eq!(strict("\"a\" : \"x\""), r#"{"a":"x"}"#);
    for text in ["a: \"x\"y", "\"a\"b: 1", "[2]: \"a\"b,c", "a: \"x", "[1]{\"a\"b}:\n  1"] {
        assert!(decode(text, &LENIENT).is_err(), "{text:?}");
    }
}

#[test]
fn d7_a_colon_before_the_delimiter_is_no_row_but_any_entry() {
    assert_eq!(strict("t[1]{a,b}:\n  x,y: z"), r#"{"t":[{"a":"x","b":"y: z"}]}"#);
    assert_eq!(fault("t[1]{a,b}:\n  x: y,z").1, ": y,z");
    assert_eq!(strict("t[1:]{a}:\n  k[2]: v"), r#"{"t":{"k[2]":{"a":"v"}}}"#);
}

#[test]
fn strings_are_escaped_as_json_writes_them_at_its_shortest() {
    let text = "\"\\\\ \\\" \\n \\r \\t \\u0008 \\u000C \\u001F \\u0041 \\u00e9 \\u0022 \\u005c\"";
    assert_eq!(strict(text), r#""\\ \" \n \r \t \b \f \u001f A é \" \\""#);
    assert_eq!(strict("a\\\u{1}\"\t"), r#""a\\\u0001\"\t""#);
    for text in [r#""\/""#, r#""\b""#, r#""\ud83d\ude00""#, r#""\u12""#, r#""\"#, r#""\u12é4""#] {
        assert!(decode(text, &LENIENT).is_err(), "{text:?}");
    }
}

/// Texts that strict decoding rejects, with what the five recoveries make of them.
const RECOVERIES: [(&str, &str); 12] = [
    ("a[3]: 1,2", r#"{"a":[1,2]}"#),
    ("a[1]{x}:\n  1\n  2", r#"{"a":[{"x":1},{"x":2}]}"#),
    ("a[99999999999999999999999]:", r#"{"a":[]}"#),
    ("a: 1\nb: 2\na: 3", r#"{"a":3,"b":2}"#),
    ("[0]{x,x}:", "[]"),
    ("[1]{x,y,x}:\n  1,2,3", r#"[{"x":3,"y":2}]"#),
    ("[1]{g{x},y,g{z,z}}:\n  1,2,3,4", r#"[{"g":{"z":4},"y":2}]"#),
    ("[2:]{x,x}:\n  k: 1,2\n  k: 3,4", r#"{"k":{"x":4}}"#),
    ("a:\n   b: 1", r#"{"a":{"b":1}}"#),
    ("a:\n\tb: 1\n\t\n", r#"{"a":{"b":1}}"#),
    ("a[2]:\n  - 1\n\n  - 2", r#"{"a":[1,2]}"#),
    ("a:\n      b: 1\n      c: 2", r#"{"a":{"b":1,"c":2}}"#),
];

#[test]
fn d8_d9_strict_rejects_what_the_five_recoveries_forgive() {
    for (text, json) in RECOVERIES {
        assert!(decode(text, &DecodeOptions::default()).is_err(), "{text:?}");
        assert_eq!(lenient(text), json, "{text:?}");
    }
}

#[test]
fn d8_d9_everything_else_is_an_error_in_both_modes() {
    let texts = [
        "a[03]: 1",
        "a[-1]: 1",
        "a[]: 1",
        "a [1]: 1",
        "a[1] : 1",
        "a[1]{}:\n  1",
        "a[1|]{x,y}:",
        "a[1]{x}: 1",
        "a[1:]:",
        "a[1:]: 1",
        "a:\n  [1]: 1",
        "a[1]:\n  - [1]{x}:\n    - 1",
        "a[1]:\n  - [1:]{x}:",
        "a: 1\n  b: 2",
        "  a: 1",
        "[1]: 1\na: 1",
        "[]\na: 1",
        "x\ny",
        "a: 1\nx",
        "a[1]{x,y}:\n  1",
        "a[1]{x}:\n  1,2",
        "a[1:]{x}:\n  k",
        "a[1:]{x}:\n  k:",
        "a[1]:\n  x",
        "a[1]:\n  -\n    x: 1",
        "a[1]{x,}:",
        "a[1]{x {y}}:",
        "a[1]{x{y}z}:",
        "a[1]{x{y}:",
        "k: 1\na[1]{x",
        "k: 1\na[1",
        "k: 1\na[1]",
        "a[1]x: 1",
    ];
    for text in texts {
        assert!(decode(text, &DecodeOptions::default()).is_err(), "strict {text:?}");
        assert!(decode(text, &LENIENT).is_err(), "lenient {text:?}");
    }
}

#[test]
fn d10_accepts_what_encoders_may_write() {
    assert_eq!(strict("a[0]:\nb: []"), r#"{"a":[],"b":[]}"#);
    assert_eq!(strict("a[4]:\n  - []\n  - [0]:\n  -\n  - x:"), r#"{"a":[[],[],{},{"x":{}}]}"#);
    assert_eq!(strict("__proto__: 1"), r#"{"__proto__":1}"#);
}

#[test]
fn duplicate_keys_are_compared_decoded_and_in_objects_of_any_size() {
    let wide: String = (0..1000).map(|n| format!("k{n}: {n}\n")).collect();
    assert_eq!(
        fault(&(wide.clone() + "\"k\\u0037\": 1")),
        (ErrorKind::DuplicateKey, "\"k\\u0037\": 1")
    );
    let value: Value = serde_json::from_str(&lenient(&(wide + "k7: x"))).expect("JSON");
    assert_eq!((value["k7"].as_str(), value.as_object().map(|o| o.len())), (Some("x"), Some(1000)));
    assert_eq!(fault("[0]{a,b,\"a\"}:"), (ErrorKind::DuplicateKey, "\"a\"}:"));
}

#[test]
fn errors_point_at_what_is_wrong() {
    let count = |of, declared, found| ErrorKind::Count { of, declared, found };
    assert_eq!(fault("a: 1\r\nb[3]: 1,2\r\n"), (count("values", 3, 2), "[3]: 1,2\r\n"));
    assert_eq!(fault("[1]{x}:\r\n  1\r\n  2"), (count("rows", 1, 2), "2"));
    assert_eq!(fault("[1]{x,y}:\r\n  1\r\n"), (count("cells", 2, 1), "1\r\n"));
    assert_eq!(fault("[2]:\n  - 1\n \n  - 2").1, " \n  - 2");
    assert_eq!(fault("é: 1\n   x: 1").1, "x: 1");
    let error = decode("é: 1\né[x]: 1", &DecodeOptions::default()).expect_err("a bad length");
    assert_eq!(error.to_string(), "expected a length, found `x` (line 2, column 3, byte 9)");
}

#[test]
fn nesting_is_limited_as_in_json() {
    let objects = |depth: usize| -> String {
        (0..depth).map(|level| format!("{}k:\n", "  ".repeat(level))).collect()
    };
    let lists = |depth: usize| -> String {
        let opening = |level| format!("{}- [1]:\n", "  ".repeat(level));
        let outer: String = (1..depth - 1).map(opening).collect();
        format!("[1]:\n{outer}{}- []", "  ".repeat(depth - 1))
    };
    let groups =
        |depth: usize| format!("[1]{}{}:\n  1", "{x".repeat(depth - 1), "}".repeat(depth - 1));
    for (name, at_limit, above) in [
        ("objects", objects(MAX_DEPTH - 1), objects(MAX_DEPTH)),
        ("lists", lists(MAX_DEPTH), lists(MAX_DEPTH + 1)),
        ("groups", groups(MAX_DEPTH), groups(MAX_DEPTH + 1)),
    ] {
        let json = strict(&at_limit);
        assert!(Json::parse(&json).is_ok(), "{name}");
        assert!(matches!(fault(&above).0, ErrorKind::TooDeep { limit: MAX_DEPTH }), "{name}");
    }
}

#[test]
fn output_is_limited_and_nothing_is_allocated_for_a_declared_length() {
    let key = "k".repeat(10_000);
    let bomb = format!("[10000]{{{key}}}:\n{}", "  1\n".repeat(10_000));
    let options = DecodeOptions { max_output: 1 << 20, ..DecodeOptions::default() };
    let error = decode(&bomb, &options).expect_err("100 MB of JSON");
    assert_eq!(error.kind(), ErrorKind::OutputTooLarge { limit: 1 << 20 });
    assert_eq!(
        decode("abc", &DecodeOptions { max_output: 5, ..options }).as_deref(),
        Ok("\"abc\"")
    );
    assert!(decode("abc", &DecodeOptions { max_output: 4, ..options }).is_err());
    assert_eq!(fault("a[18446744073709551615]:").1, "[18446744073709551615]:");
}

/// Pieces that make a random text look like TOON.
fn toonish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "a",
            "b",
            "\"",
            "\\",
            ":",
            ": ",
            ",",
            "|",
            "\t",
            "[",
            "]",
            "{",
            "}",
            "- ",
            "-",
            "#",
            "\n",
            "\n  ",
            "\n    ",
            "\r\n",
            " ",
            "[2]",
            "[1]:",
            "[2:]{a,b}:",
            "{a,b}",
            "\\u00",
            "é",
            "😀",
            "\u{feff}",
            "1",
            "true",
            "\u{1}",
            "\"x\"",
            "a: 1\n",
            "  - ",
            "[]",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_text_gives_an_error_or_minified_json(text in toonish(), strict in any::<bool>()) {
        let options = DecodeOptions { strict, ..LENIENT };
        match decode(&text, &options) {
            Ok(json) => {
                let parsed = Json::parse(&json).map_err(|e| TestCaseError::fail(e.to_string()))?;
                prop_assert_eq!(&parsed.minify(), &json);
            }
            Err(error) => prop_assert!(text.is_char_boundary(error.offset())),
        }
    }

    #[test]
    fn strict_and_lenient_agree_where_strict_accepts(text in toonish()) {
        if let Ok(json) = decode(&text, &DecodeOptions::default()) {
            prop_assert_eq!(decode(&text, &LENIENT), Ok(json));
        }
    }
}
