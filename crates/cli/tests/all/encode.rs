//! `tokenforge encode`, seen from a shell.

use crate::kit::{Folder, corpus, failure, out, run, tokens};

/// The examples of the specification: JSON, adr, dense.
const PRINTED: [(&str, &str, &str); 3] = [
    (
        r#"{"name": "foo", "api_version": "v2", "count": 42}"#,
        r#"{name: "foo", api_version: "v2", count: 42}"#,
        r#"{name:"foo",api_version:"v2",count:42}"#,
    ),
    (
        r#"{"tags": ["api", "gateway", "mcp"], "scores": [95, 87, 91]}"#,
        r#"{tags[3]: "api","gateway","mcp", scores[3]: 95,87,91}"#,
        r#"{tags:["api","gateway","mcp"],scores:[95,87,91]}"#,
    ),
    (
        r#"[{"id": 1, "name": "users", "method": "GET"},
            {"id": 2, "name": "orders", "method": "POST"}]"#,
        r#"[2]{id,name,method}: 1,"users","GET" / 2,"orders","POST""#,
        r#"[2]{id,name,method}:1,"users","GET"/2,"orders","POST""#,
    ),
];

const ROWS: &str = r#"[{"id": 1, "ok": true}, {"id": 2, "ok": true}, {"id": 3, "ok": false}]"#;

/// Texts that a careless codec changes.
const NASTY: [&str; 12] = [
    "[1.10,-0,1E400,12345678901234567890123,1e-20,0.30000000000000004,-0.0,1e300]",
    r#"{"a,b":1,"x y":2,"x-y":3,"":4,"é":5,"1":6}"#,
    r#"["\u0000\u0001\b\f\n\r\t","\ud83d\ude00","\/","\u2028"]"#,
    r#"[{"a":[1]}]"#,
    r#"[{"s":"[2]{a}: 1 / 2"},{"s":" / "},{"s":", x: "},{"s":"5\" disk"},{"s":"\\"}]"#,
    r#"{"z":1,"a":{"z":[],"b":{}},"m":[[],[[]],{}]}"#,
    r#"{"a":1,"a":2}"#,
    r#"["\ud800"]"#,
    "{}",
    "[]",
    r#""""#,
    "null",
];

/// What `--stats` compares.
const FORMS: [&str; 9] = [
    "as given",
    "json",
    "toon",
    "stc adr",
    "stc dense",
    "stc2 dense",
    "stc2 nested",
    "stc2 shared",
    "table",
];

#[test]
fn s5_k1_the_three_printed_examples_are_written_character_by_character() {
    for (json, adr, _) in PRINTED {
        assert_eq!(out("encode --to stc", json), adr);
        assert_eq!(out("encode --to stc --spelling adr", json), adr);
    }
}

#[test]
fn s5_the_dense_spelling_is_as_printed_where_it_has_fewer_tokens_than_json() {
    for (json, _, dense) in PRINTED {
        let written = out("encode --to stc --spelling dense", json);
        let minified = out("encode --to json", json);
        let is_cheaper = tokens(&[dense])[0] < tokens(&[&minified])[0];
        assert_eq!(written, if is_cheaper { dense } else { &minified });
    }
}

#[test]
fn s5_the_flat_spelling_has_no_tables() {
    let json = r#"[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]"#;
    let flat = r#"[{id:1,name:"users"},{id:2,name:"orders"}]"#;
    assert_eq!(out("encode --to stc --spelling flat", json), flat);
}

#[test]
fn s1_keys_that_are_identifiers_lose_their_quotes_and_values_never_do() {
    let json = r#"{"a_1":"word","_":"x","true":"true","x-y":"1","1a":"","":"é","é":null}"#;
    let stc = r#"{a_1: "word", _: "x", true: "true", "x-y": "1", "1a": "", "": "é", "é": null}"#;
    assert_eq!(out("encode --to stc", json), stc);
}

#[test]
fn s2_only_homogeneous_arrays_in_an_object_carry_their_count() {
    let json = r#"{"n":[1,2.5],"b":[true,false],"mixed":[1,"a"],"null":[null],"none":[]}"#;
    let stc = r#"{n[2]: 1,2.5, b[2]: true,false, mixed: [1, "a"], null: [null], none: []}"#;
    assert_eq!(out("encode --to stc", json), stc);
    assert_eq!(out("encode --to stc", "[1,2]"), "[1,2]");
}

#[test]
fn s3_only_flat_objects_with_the_same_keys_in_the_same_order_become_rows() {
    let other_order = r#"[{"a":1,"b":2},{"b":3,"a":4}]"#;
    assert_eq!(out("encode --to stc", other_order), "[{a: 1, b: 2}, {b: 3, a: 4}]");
    let one_row = r#"[{"a":1}]"#;
    assert_eq!(out("encode --to stc", one_row), "[{a: 1}]");
    let in_an_object = r#"{"t":[{"a":1,"b":"x"},{"a":2,"b":null}],"n":2}"#;
    assert_eq!(out("encode --to stc", in_an_object), r#"{t[2]{a,b}: 1,"x" / 2,null, n: 2}"#);
}

#[test]
fn k6_i7_numbers_keep_their_text_in_stc_tables_json_and_verbatim_toon() {
    let rows = r#"[{"n":1.10},{"n":-0},{"n":1E400},{"n":12345678901234567890123},{"n":1e-20}]"#;
    let numbers = ["1.10", "-0", "1E400", "12345678901234567890123", "1e-20"];
    for form in ["stc", "stc --spelling dense", "table", "json", "toon --numbers verbatim"] {
        let text = out(&format!("encode --to {form}"), rows);
        let written = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let found: Vec<_> = written.filter(|word| numbers.contains(word)).collect();
        assert_eq!(found, numbers, "{form}: {text}");
    }
}

#[test]
fn i7_canonical_toon_keeps_the_value_of_every_number() {
    let json = "[1e-20,0.30000000000000004,-0.0,1e300,1.50,1e2,12345678901234567890]";
    let toon = "[7]: 1e-20,0.30000000000000004,0,1e+300,1.5,100,12345678901234567890";
    assert_eq!(out("encode --to toon", json), toon);
}

#[test]
fn a4_toon_is_that_of_the_current_specification() {
    let tree =
        r#"{"a":{"b":[1,"x,y","true",null]},"rows":[{"k":1,"c":{"d":2}},{"k":3,"c":{"d":4}}]}"#;
    let toon = "a:\n  b[4]: 1,\"x,y\",\"true\",null\nrows[2]{k,c{d}}:\n  1,2\n  3,4";
    assert_eq!(out("encode --to toon", tree), toon);
    let keyed = r#"{"x":{"n":1},"y":{"n":2}}"#;
    assert_eq!(out("encode --to toon", keyed), "[2:]{n}:\n  x: 1\n  y: 2");
    assert_eq!(out("encode --to toon", r#"{"a":{"b":1}}"#), "a:\n  b: 1");
    assert_eq!(out("encode --to toon", "{}"), "");
}

#[test]
fn a4_toon_has_the_indent_and_the_delimiter_asked_for() {
    let json = r#"{"a":[{"x":1,"y":"p,q"},{"x":2,"y":"r"}]}"#;
    let written = |options| out(&format!("encode --to toon {options}"), json);
    assert_eq!(written("--indent 4"), "a[2]{x,y}:\n    1,\"p,q\"\n    2,r");
    assert_eq!(written("--delimiter pipe"), "a[2|]{x|y}:\n  1|p,q\n  2|r");
    assert_eq!(written("--delimiter tab"), "a[2\t]{x\ty}:\n  1\tp,q\n  2\tr");
}

#[test]
fn stc_2_is_written_at_the_level_that_is_named_and_read_by_its_header() {
    let json = r#"[{"id":1,"on":{"day":"mon","at":"https://example.com/a/1"}},{"id":2,"on":{"day":"tue","at":"https://example.com/a/2"}},{"id":3,"on":{"day":"tue","at":"https://example.com/a/3"}}]"#;
    let level = |options: &str| out(&format!("encode --to stc --version 2 {options}"), json);
    let nested = "stc2\n[3]{id on{day at}}\n1 mon https://example.com/a/1\n2 tue https://example.com/a/2\n3 tue https://example.com/a/3";
    assert_eq!(level(""), nested);
    assert_eq!(level("--level 2"), nested);
    let shared = "stc2\n[3]{id=1,2.. on{day at=\"https://example.com/a/\"+*}}\nmon 1\ntue 2\ntue 3";
    assert_eq!(level("--level 3"), shared);
    for text in [&level("--level 1"), nested, shared] {
        assert_eq!(out("decode", text), json);
        assert_eq!(out("decode --from stc", text), json);
    }
    assert_eq!(out("encode --to stc --version 2", r#"{"a": 1}"#), r#"{"a":1}"#, "no more tokens");
    assert!(!out("encode", json).starts_with("stc2"), "who did not name it does not get it");
    for (options, said) in [
        ("--version 2", "--version needs --to stc"),
        ("--to stc --level 2", "--level needs --to stc --version 2"),
        ("--to stc --version 2 --spelling adr", "--spelling is for version 1"),
        ("--to stc --version 3", "1..=2"),
    ] {
        let error = failure(2, &format!("encode {options}"), json);
        assert!(error.contains(said), "{options}: {error}");
    }
}

#[test]
fn a4_what_toon_cannot_hold_is_refused_by_name_and_place() {
    let duplicate = failure(1, "encode --to toon", r#"{"a":1,"a":2}"#);
    assert!(duplicate.contains("key at byte 7 twice"), "{duplicate}");
    assert!(duplicate.contains("--to auto"), "{duplicate}");
    let surrogate = failure(1, "encode --to toon", r#"["\ud800"]"#);
    assert!(surrogate.contains("string at byte 1"), "{surrogate}");
}

#[test]
fn i8_i9_i10_arrays_in_rows_odd_keys_and_controls_are_written() {
    assert_eq!(out("encode --to toon", r#"[{"a":[1]}]"#), "[1]:\n  - a[1]: 1");
    let odd_keys = "\"a,b\": 1\n\"x y\": 2\n\"x-y\": 3\n\"\": 4";
    assert_eq!(out("encode --to toon", r#"{"a,b":1,"x y":2,"x-y":3,"":4}"#), odd_keys);
    assert_eq!(out("encode --to toon", r#"{"a":"\u0001\b\n"}"#), r#"a: "\u0001\u0008\n""#);
}

#[test]
fn f9_a_table_tells_null_missing_and_the_empty_string_apart() {
    let json =
        r#"[{"id":1,"s":"x"},{"id":2,"s":null},{"id":3},{"id":4,"s":""},{"id":5,"s":"null"}]"#;
    let table = "[5]{id:int,s:string}\n1,x\n2,null\n3,\n4,\"\"\n5,\"null\"";
    assert_eq!(out("encode --to table", json), table);
}

#[test]
fn f9_the_header_of_a_table_names_the_type_of_every_column() {
    let json = r#"[{"i":1,"f":1,"s":"a","b":true,"n":null,"x":1},
                   {"i":-2,"f":2.5,"s":"b","b":false,"n":null,"x":"1"}]"#;
    let table = "[2]{i:int,f:float,s:string,b:bool,n:null,x:any}\n\
                 1,1,a,true,null,1\n-2,2.5,b,false,null,\"1\"";
    assert_eq!(out("encode --to table", json), table);
}

#[test]
fn f9_names_and_cells_are_escaped_as_in_csv() {
    let json = r#"[{"a,b":"x,y","q\"":"say \"hi\"","":" pad "},{"a,b":"l\nm","q\"":"\\","":"p"}]"#;
    let table = "[2]{\"a,b\":string,\"q\"\"\":string,\"\":string}\n\
                 \"x,y\",\"say \"\"hi\"\"\",\" pad \"\nl\\nm,\\\\,p";
    assert_eq!(out("encode --to table", json), table);
}

#[test]
fn f9_what_is_no_table_is_refused_and_auto_is_named() {
    for (json, reason) in [
        (r#"[{"a":1},{"a":[1]}]"#, "value at byte 14 is nested"),
        (r#"{"a":1}"#, "value at byte 0 is not a row"),
        ("[]", "value at byte 0 is not a row"),
        (r#"[{"a":1,"b":2},{"b":3,"a":4}]"#, "key at byte 22 is not where"),
        ("[{}]", "row at byte 1 has no cells"),
    ] {
        let error = failure(1, "encode --to table", json);
        assert!(error.contains(reason), "{json}: {error}");
        assert!(error.contains("--to auto"), "{json}: {error}");
    }
}

#[test]
fn every_form_is_read_back_to_the_minified_json_byte_for_byte() {
    let printed = PRINTED.map(|(json, ..)| json);
    for json in NASTY.iter().chain(&printed).chain(&[ROWS]) {
        let minified = out("encode --to json", json);
        for form in ["auto", "stc", "stc --spelling dense", "stc --spelling flat", "json"] {
            let text = out(&format!("encode --to {form}"), json);
            assert_eq!(out("decode", &text), minified, "{form}: {text}");
        }
    }
}

#[test]
fn tables_and_verbatim_toon_are_read_back_where_they_hold_the_document() {
    for (form, documents) in [
        ("table", &[ROWS, NASTY[4], PRINTED[2].0][..]),
        ("toon --numbers verbatim", &[ROWS, NASTY[0], NASTY[1], NASTY[3], NASTY[4], NASTY[5]]),
        ("toon --numbers verbatim", &["{}", "[]", r#""""#, "null", PRINTED[0].0, PRINTED[1].0]),
    ] {
        for json in documents {
            let text = out(&format!("encode --to {form}"), json);
            let from = form.split(' ').next().unwrap();
            let decoded = out(&format!("decode --from {from}"), &text);
            assert_eq!(decoded, out("encode --to json", json), "{form}: {text}");
        }
    }
}

#[test]
fn a3_auto_is_the_default_and_never_has_more_tokens_than_minified_json() {
    let documents = [&NASTY[..], &[ROWS]].concat();
    assert_never_dearer_than_json("encode", &documents);
    assert_eq!(out("encode", ROWS), out("encode --to auto", ROWS));
    assert_eq!(out("encode", "[1, 2]"), "[1,2]");
}

#[test]
fn k13_dense_never_has_more_tokens_than_minified_json() {
    let documents = [&NASTY[..], &[ROWS]].concat();
    assert_never_dearer_than_json("encode --to stc --spelling dense", &documents);
}

#[test]
fn k13_dense_never_has_more_tokens_than_minified_json_on_real_tool_outputs() {
    let corpus = corpus();
    let documents: Vec<&str> = corpus.iter().step_by(40).map(String::as_str).collect();
    assert_never_dearer_than_json("encode --to stc --spelling dense", &documents);
}

fn assert_never_dearer_than_json(arguments: &str, documents: &[&str]) {
    let of_all = |arguments: &str| -> Vec<usize> {
        let texts: Vec<_> = documents.iter().map(|json| out(arguments, json)).collect();
        tokens(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (found, baseline) = (of_all(arguments), of_all("encode --to json"));
    for ((json, found), baseline) in documents.iter().zip(found).zip(baseline) {
        assert!(found <= baseline, "{found} tokens, {baseline} as JSON: {json}");
    }
}

#[test]
fn i11_white_space_of_the_input_makes_no_difference() {
    let pretty =
        "[\n  {\n    \"id\": 1,\n    \"ok\": true\n  },\r\n\t{ \"id\": 2, \"ok\": false }\n]\n";
    let minified = r#"[{"id":1,"ok":true},{"id":2,"ok":false}]"#;
    for form in ["auto", "toon", "stc", "stc --spelling dense", "table", "json"] {
        let arguments = format!("encode --to {form}");
        assert_eq!(out(&arguments, pretty), out(&arguments, minified), "{form}");
    }
}

#[test]
fn k16_invalid_json_is_an_error_with_its_place_and_nothing_is_written() {
    for (text, place) in [
        (
            "{\"a\": 1,\n \"b\" 2}",
            "expected `:` after the key, found `2` (line 2, column 6, byte 14)",
        ),
        ("[NaN]", "found `N` (line 1, column 2, byte 1)"),
        ("[1,]", "(line 1, column 4, byte 3)"),
        ("[1", "found the end of the text (line 1, column 3, byte 2)"),
        ("", "found the end of the text (line 1, column 1, byte 0)"),
        ("[\"é\", 'x']", "found `'` (line 1, column 7, byte 7)"),
        ("\u{feff}[1]", "(line 1, column 1, byte 0)"),
        ("[01]", "(line 1, column 3, byte 2)"),
        ("[\"a\tb\"]", "found U+0009 (line 1, column 4, byte 3)"),
        ("[1] x", "found `x` (line 1, column 5, byte 4)"),
    ] {
        for form in ["auto", "toon", "stc", "table", "json"] {
            let error = failure(1, &format!("encode --to {form}"), text);
            assert!(error.starts_with("tokenforge: standard input is not JSON: "), "{error}");
            assert!(error.trim_end().ends_with(place), "{text:?}: {error}");
        }
    }
}

#[test]
fn k16_the_file_that_is_not_json_is_named() {
    let folder = Folder::new();
    let file = folder.file("broken.json", "{");
    let error = failure(1, &format!("encode {file}"), "");
    assert!(error.starts_with(&format!("tokenforge: {file} is not JSON: ")), "{error}");
}

#[test]
fn a_file_a_dash_and_no_argument_are_the_same() {
    let folder = Folder::new();
    let file = folder.file("rows.json", ROWS);
    let expected = out("encode --to stc", ROWS);
    assert_eq!(out("encode --to stc -", ROWS), expected);
    assert_eq!(out(&format!("encode --to stc {file}"), ""), expected);
}

#[test]
fn statistics_go_to_standard_error_and_change_nothing_on_standard_output() {
    let run = run("encode --stats", ROWS);
    assert_eq!((run.code, run.stdout), (0, out("encode", ROWS) + "\n"));
    let forms = run.stderr.lines().skip(1).map(|line| line[..12].trim());
    let forms: Vec<_> = forms.filter(|form| !form.is_empty()).collect();
    assert_eq!(forms, FORMS);
    assert!(run.stderr.contains("the same"), "{}", run.stderr);
}

#[test]
fn statistics_as_json_hold_bytes_and_tokens_or_the_reason_for_none() {
    let nested = r#"{"a": [1, {"b": 2}]}"#;
    let run = run("encode --stats --json --to json", nested);
    assert_eq!((run.code, run.stdout.as_str()), (0, "{\"a\":[1,{\"b\":2}]}\n"));
    let report: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(report["baseline"], "json");
    let forms = report["forms"].as_array().unwrap();
    let names: Vec<_> = forms.iter().map(|row| row["form"].as_str().unwrap()).collect();
    assert_eq!(names, FORMS);
    assert_eq!(forms[0]["bytes"], nested.len());
    assert_eq!(forms[1]["tokens"], tokens(&[r#"{"a":[1,{"b":2}]}"#])[0]);
    assert!(forms[FORMS.len() - 1]["refused"].as_str().unwrap().contains("not a row"), "{report}");
}
