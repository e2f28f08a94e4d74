//! The automatic choice, and reading a text whose form was not named.

mod support;

use support::corpus;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest, decode_any};
use tokenforge_tokens::Counter;

#[test]
fn l2_a3_a_form_that_saves_nothing_is_not_used() {
    let json = Json::parse("[ 1, 2, 3 ]").unwrap();
    let choice = cheapest(&json, Form::ALL, Counter::default());
    assert_eq!((choice.form, &*choice.text), (Form::Json, "[1,2,3]"));
    assert_eq!(choice.reason(), "no allowed form has fewer tokens than minified JSON");
}

#[test]
fn i11_pretty_printed_json_is_compared_with_its_minified_form() {
    let pretty =
        Json::parse("{\n    \"a\": {\n        \"b\": [\n            1\n        ]\n    }\n}")
            .unwrap();
    let choice = cheapest(&pretty, Form::ALL, Counter::default());
    assert_eq!((choice.form, &*choice.text), (Form::Json, r#"{"a":{"b":[1]}}"#));
}

#[test]
fn only_allowed_forms_are_used_and_the_reason_names_the_figures() {
    let rows: Vec<String> = (0..20).map(|n| format!("{{\"id\":{n},\"name\":\"n{n}\"}}")).collect();
    let text = format!("[{}]", rows.join(","));
    let json = Json::parse(&text).unwrap();
    for form in [Form::Toon, Form::Stc, Form::Table] {
        let choice = cheapest(&json, &[form], Counter::default());
        assert_eq!(choice.form, form);
        assert!(choice.tokens < Counter::default().count(&json.minify()));
        assert_eq!(choice.reason(), format!("{form} has the fewest tokens: {}", choice.tokens));
    }
    assert_eq!(cheapest(&json, &[Form::Json], Counter::default()).form, Form::Json);
    assert_eq!(cheapest(&json, &[], Counter::default()).form, Form::Json);
}

#[test]
fn decision_28_toon_is_used_only_where_it_gives_back_the_same_bytes() {
    // Rows in another order and escapes spelled otherwise come back changed from TOON.
    for text in [
        r#"{"t":[{"a":1,"b":2},{"b":3,"a":4},{"a":5,"b":6},{"a":7,"b":8}]}"#,
        r#"{"k":["\u0041\u0042","a","b","c","d"]}"#,
    ] {
        let json = Json::parse(text).unwrap();
        assert_eq!(cheapest(&json, &[Form::Toon], Counter::default()).form, Form::Json);
    }
}

#[test]
fn decode_any_reads_every_form_unnamed() {
    for (text, json) in [
        ("{\"a\": [1, 2]}", r#"{"a":[1,2]}"#),
        ("{a[2]: 1,2}", r#"{"a":[1,2]}"#),
        ("[2]{a}: 1 / 2", r#"[{"a":1},{"a":2}]"#),
        ("[2]{a:int}\n1\n2", r#"[{"a":1},{"a":2}]"#),
        ("[2]{a}:\n  1\n  2", r#"[{"a":1},{"a":2}]"#),
        ("a[2]: 1,2", r#"{"a":[1,2]}"#),
        ("stc2\n[2]{a}\n1\n2", r#"[{"a":1},{"a":2}]"#),
        ("stc2\n", "\"stc2\""),
        ("", "{}"),
        ("hello", "\"hello\""),
    ] {
        assert_eq!(decode_any(text, MAX_OUTPUT).as_deref(), Ok(json), "{text:?}");
    }
}

#[test]
fn l3_a_toon_text_that_is_stc_as_well_is_not_chosen_where_they_differ() {
    let text = r#"[{"id0":"-","id1":"","user_id2":"x: y","id3":"\f","user_id4":"-"}]"#;
    let json = Json::parse(text).unwrap();
    for allowed in [Form::ALL, &[Form::Toon]] {
        let choice = cheapest(&json, allowed, Counter::default());
        assert_eq!(decode_any(&choice.text, MAX_OUTPUT).as_deref(), Ok(text));
    }
}

#[test]
fn an_empty_object_is_not_an_empty_text() {
    let json = Json::parse("{}").unwrap();
    assert_eq!(cheapest(&json, Form::ALL, Counter::default()).text, "{}");
}

#[test]
fn damaged_json_is_not_taken_for_toon() {
    let deep = "[".repeat(600) + &"]".repeat(600);
    for text in [
        "[1, 2",
        "[\"a\",\"b\"",
        "[1,2]]",
        "[tru]",
        "[1]{a}",
        "\u{feff}{\"a\":1}",
        "\u{feff}[1,2]",
        &deep,
    ] {
        assert!(decode_any(text, MAX_OUTPUT).is_err(), "{text}");
    }
    let error = decode_any("{\"a\": 1,", MAX_OUTPUT).unwrap_err();
    assert_eq!(error.offset(), 8);
    let error = decode_any("[2]{a:int}\n1", MAX_OUTPUT).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected 2 rows as declared, found 1 (line 2, column 2, byte 12)"
    );
}

#[test]
fn l2_l3_stc2_gives_back_real_tool_outputs_and_the_lightest_is_never_above_minified_json() {
    let Some(documents) = corpus::json_documents() else { return };
    for (id, text) in documents {
        let json = Json::parse(&text).unwrap();
        for level in Level::ALL {
            let decoded = stc2::decode(&stc2::encode(&json, level), MAX_OUTPUT);
            assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{id} {level:?}");
        }
        let weighed = stc2::lightest(&json, &Level::ALL, Counter::default());
        assert!(weighed.tokens <= Counter::default().count(&json.minify()), "{id}");
    }
}
