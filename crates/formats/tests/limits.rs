//! K10, K11: hostile texts get a clean error.

use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{ErrorKind, Form, Json, MAX_DEPTH, MAX_OUTPUT, Refusal, stc, table, toon};

#[test]
fn k11_a_hundred_thousand_levels_are_a_clean_error_for_every_reader() {
    let deep = 100_000;
    for text in ["[".repeat(deep), "{\"a\":".repeat(deep), "[1]{a}:".repeat(deep)] {
        let error = stc::decode(&text, MAX_OUTPUT).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooDeep { limit: MAX_DEPTH }, "{error}");
    }
    for (start, again) in [
        ("", "["),
        ("", "{a:"),
        ("[1]{", "a{"),
        ("[1]{", "a("),
        ("[1]{", "a["),
        ("[1]{a:", "["),
        ("[1]{a}\n", "["),
    ] {
        let text = format!("stc2\n{start}{}", again.repeat(deep));
        let error = stc2::decode(&text, MAX_OUTPUT).unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::TooDeep { limit: MAX_DEPTH },
            "{start}{again}: {error}"
        );
    }
    let error = Json::parse(&"[".repeat(deep)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooDeep { limit: MAX_DEPTH });
    let nested: String = (0..2000).map(|depth| format!("{}a:\n", "  ".repeat(depth))).collect();
    let error = toon::decode(&nested, &toon::DecodeOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooDeep { limit: MAX_DEPTH });
}

#[test]
fn k11_the_deepest_document_allowed_survives_every_form() {
    let text = "[{\"a\":".repeat(MAX_DEPTH / 2 - 1) + "[[1]]" + &"}]".repeat(MAX_DEPTH / 2 - 1);
    let json = Json::parse(&text).unwrap();
    for form in [Form::Stc, Form::Toon] {
        let encoded = form.encode(&json).unwrap();
        assert_eq!(form.decode(&encoded, MAX_OUTPUT).as_deref(), Ok(&*text), "{form}");
    }
    for level in Level::ALL {
        let encoded = stc2::encode(&json, level);
        assert_eq!(stc2::decode(&encoded, MAX_OUTPUT).as_deref(), Ok(&*text), "{level:?}");
    }
    assert!(Json::parse(&format!("[{text}]")).is_err());
}

#[test]
fn k11_nested_columns_as_deep_as_allowed_survive() {
    let levels = (MAX_DEPTH - 2) / 2;
    let row = |n: usize| "{\"a\":".repeat(levels) + &n.to_string() + &"}".repeat(levels);
    let text = format!("[{},{},{}]", row(1), row(2), row(4));
    let json = Json::parse(&text).unwrap();
    for level in Level::ALL {
        let encoded = stc2::encode(&json, level);
        assert_eq!(stc2::decode(&encoded, MAX_OUTPUT).as_deref(), Ok(&*text), "{level:?}");
    }
}

#[test]
fn k10_references_to_references_stop_at_max_output() {
    let mut text = String::from("stc2\n[&1\"a rather long text to be repeated\"");
    for number in 2..100 {
        let before = number - 1;
        text += &format!(" &{number}[*{before} *{before} *{before} *{before}]");
    }
    text.push(']');
    let error = stc2::decode(&text, 1 << 20).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooLarge { limit: 1 << 20 });
    let long = "k".repeat(10_000);
    for (column, row) in [
        (format!("b:{long}"), "\n1"),
        (format!("b=\"{long}\"+*"), "\n1 2"),
        (format!("b={long}"), "\n1"),
        (long.clone(), "\n1 2"),
    ] {
        let text = format!("stc2\n[100000]{{{long}=* {column}}}{}", row.repeat(100_000));
        let error = stc2::decode(&text, 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutputTooLarge { limit: 1 << 20 });
    }
}

#[test]
fn k10_a_declared_billion_rows_are_an_error_at_the_end_of_what_is_there() {
    for count in ["1000000000", "99999999999999999999999"] {
        let error = stc2::decode(&format!("stc2\n[{count}]{{a}}\n1\n2"), MAX_OUTPUT).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Count { found: 2, .. }), "{error}");
    }
}

#[test]
fn k10_a_declared_billion_is_an_error_at_the_end_of_what_is_there() {
    for count in ["1000000000", "18446744073709551615", "99999999999999999999999"] {
        let error = stc::decode(&format!("{{t[{count}]: 1,2,3}}"), MAX_OUTPUT).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Count { found: 3, .. }), "{error}");
        let error = table::decode(&format!("[{count}]{{a:int}}\n1\n2"), MAX_OUTPUT).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Count { found: 2, .. }), "{error}");
        let text = format!("a[{count}]: 1,2");
        let error = toon::decode(&text, &toon::DecodeOptions::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Count { found: 2, .. }), "{error}");
    }
}

#[test]
fn a_table_that_repeats_long_keys_stops_at_max_output() {
    let key = "k".repeat(10_000);
    let rows = vec!["1"; 100_000];
    let stc = format!("[{}]{{{key}}}: {}", rows.len(), rows.join(" / "));
    let table = format!("[{}]{{{key}:int}}\n{}", rows.len(), rows.join("\n"));
    let toon = format!("[{}]{{{key}}}:\n  {}", rows.len(), rows.join("\n  "));
    for (form, text) in [(Form::Stc, stc), (Form::Table, table), (Form::Toon, toon)] {
        let error = form.decode(&text, 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutputTooLarge { limit: 1 << 20 }, "{form}");
    }
}

#[test]
fn toon_is_refused_by_the_value_and_not_by_its_white_space() {
    let members: Vec<String> = (0..10_000).map(|n| format!("\"k{n}\":1")).collect();
    let (open, close) = ("{\"a\":".repeat(300), "}".repeat(300));
    for separator in [",", &(",".to_owned() + &" ".repeat(200))] {
        let text = format!("{open}{{{}}}{close}", members.join(separator));
        let refusal = Form::Toon.encode(&Json::parse(&text).unwrap()).unwrap_err();
        assert_eq!(refusal, Refusal::TooIndented);
    }
}

#[test]
fn an_indent_of_nothing_or_of_everything_loses_nothing() {
    let json = Json::parse(r#"{"a":{"b":1}}"#).unwrap();
    let options = toon::EncodeOptions { indent: 0, ..Default::default() };
    assert_eq!(toon::encode(&json, &options).as_deref(), Ok("a:\n b: 1"));
    let options = toon::EncodeOptions { indent: usize::MAX, ..Default::default() };
    assert_eq!(toon::encode(&json, &options), Err(Refusal::TooIndented));
}

#[test]
fn errors_say_what_was_expected_and_where() {
    let error = Json::parse("{\n  \"é\": tru\n}").unwrap_err();
    assert_eq!(error.to_string(), "expected a value, found `t` (line 2, column 8, byte 10)");
    let error = Json::from_slice(b"[\"\xff\"]").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NotUtf8, 2));
    let error = stc::decode("{t[3]: 1,2}", MAX_OUTPUT).unwrap_err();
    let expected = "expected 3 values as declared, found 2 (line 1, column 11, byte 10)";
    assert_eq!(error.to_string(), expected);
}
