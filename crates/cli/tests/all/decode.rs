//! `tokenforge decode`, seen from a shell.

use crate::kit::{Folder, failure, out, run};

#[test]
fn s5_k1_the_three_printed_examples_are_read_character_by_character() {
    for (stc, json) in [
        (
            r#"{name: "foo", api_version: "v2", count: 42}"#,
            r#"{"name":"foo","api_version":"v2","count":42}"#,
        ),
        (
            r#"{tags[3]: "api","gateway","mcp", scores[3]: 95,87,91}"#,
            r#"{"tags":["api","gateway","mcp"],"scores":[95,87,91]}"#,
        ),
        (
            r#"[2]{id,name,method}: 1,"users","GET" / 2,"orders","POST""#,
            r#"[{"id":1,"name":"users","method":"GET"},{"id":2,"name":"orders","method":"POST"}]"#,
        ),
    ] {
        assert_eq!(out("decode --from stc", stc), json);
        assert_eq!(out("decode", stc), json);
    }
}

#[test]
fn k4_a_table_with_and_without_a_colon_before_it_is_the_same() {
    let json = r#"{"items":[{"id":1},{"id":2}],"n":2}"#;
    assert_eq!(out("decode --from stc", "{items: [2]{id}: 1 / 2, n: 2}"), json);
    assert_eq!(out("decode --from stc", "{items[2]{id}: 1 / 2, n: 2}"), json);
}

#[test]
fn k6_numbers_keep_their_text() {
    let numbers = "1.10,-0,1E400,12345678901234567890123";
    let json = format!(r#"{{"n":[{numbers}]}}"#);
    assert_eq!(out("decode --from stc", format!("{{n[4]: {numbers}}}")), json);
    assert_eq!(out("decode --from toon", format!("n[4]: {numbers}")), json);
    let rows = "[4]{n:float}\n1.10\n-0\n1E400\n12345678901234567890123";
    let json = r#"[{"n":1.10},{"n":-0},{"n":1E400},{"n":12345678901234567890123}]"#;
    assert_eq!(out("decode --from table", rows), json);
}

#[test]
fn f9_null_missing_and_the_empty_string_come_back_apart() {
    let table = "[5]{id:int,s:string}\n1,x\n2,null\n3,\n4,\"\"\n5,\"null\"\n";
    let json =
        r#"[{"id":1,"s":"x"},{"id":2,"s":null},{"id":3},{"id":4,"s":""},{"id":5,"s":"null"}]"#;
    assert_eq!(out("decode --from table", table), json);
    assert_eq!(out("decode --from table", table.replace('\n', "\r\n")), json);
}

#[test]
fn auto_takes_json_and_stc_before_a_table_before_toon() {
    for (text, json) in [
        // Also TOON: the key `[1, 2]`, or a header. JSON comes first.
        ("[1, 2]", "[1,2]"),
        ("[0]", "[0]"),
        (r#"{"a": "x: y"}"#, r#"{"a":"x: y"}"#),
        // STC and TOON share the header, not the rows.
        (r#"[2]{a}: "x" / "y""#, r#"[{"a":"x"},{"a":"y"}]"#),
        ("[2]{a}:\n  x\n  y", r#"[{"a":"x"},{"a":"y"}]"#),
        ("[2]{a:string}\nx\ny", r#"[{"a":"x"},{"a":"y"}]"#),
        ("a[2]: x,y", r#"{"a":["x","y"]}"#),
        ("42", "42"),
    ] {
        assert_eq!(out("decode --from auto", text), json, "{text:?}");
    }
}

#[test]
fn a_mistake_in_a_file_that_is_named_json_is_an_error_with_its_place() {
    let folder = Folder::new();
    for (text, place) in [
        ("{\"a\": 1,\n \"b\" 2}", "(line 2, column 6, byte 14)"),
        ("[1,2", "(line 1, column 5, byte 4)"),
    ] {
        let file = folder.file("a.json", text);
        let error = failure(1, &format!("decode {file}"), "");
        assert!(error.contains(place), "{text}: {error}");
    }
}

#[test]
fn f24_what_has_no_notation_of_ours_comes_back_as_it_is() {
    let torn = "{\"k\":".repeat(19) + "[{\"id\":1},{\"id\":2},{\"i";
    for text in [
        "hello world",
        "",
        "\n",
        // The column of a client with mixed line ends, which no stage thins.
        "     1\tlet x = 1;\r\n     2\tlet y = 2;\n     3\t\r\n",
        "1: let x = 1;\r\n2:   bar\n3: \n",
        // It lost its padding: its first line is a number, and JSON.
        "12\nab 3\nc  4\n",
        "{\"a\": 1,\n \"b\" 2}",
        "[1,2",
        &torn,
        &"[".repeat(600),
    ] {
        assert_eq!(run("decode", text).stdout, text, "{text:?}");
    }
    failure(1, "decode --max-output 4", "hello world");
}

#[test]
fn f9_a_table_that_was_cut_at_a_line_end_is_an_error() {
    failure(1, "decode --from table", "[2]{a:int}\n1\n");
    failure(1, "decode", "[2]{a:int,b:int}\n1,2\n");
}

#[test]
fn errors_have_a_line_a_column_and_a_byte_and_nothing_is_written() {
    for (from, text, message) in [
        ("stc", "{t[3]: 1,2}", "(line 1, column 11, byte 10)"),
        ("stc", "[2]{a}: 1 / 2 / 3", "(line 1, column 15, byte 14)"),
        ("table", "[2]{a:int}\n1", "expected 2 rows as declared, found 1"),
        ("table", "[1]{a:int}\nx", "expected an integer or `null`, found `x` (line 2, column 1"),
        ("toon", "a[3]: 1,2", "expected 3 values as declared, found 2"),
        ("toon", "a: 1\na: 2", "expected each key once in an object"),
    ] {
        let error = failure(1, &format!("decode --from {from}"), text);
        assert!(error.starts_with("tokenforge: standard input: "), "{error}");
        assert!(error.contains(message), "{text:?}: {error}");
        assert!(error.contains("(line ") && error.contains(", byte "), "{error}");
    }
}

#[test]
fn lenient_forgives_counts_duplicates_indentation_and_blank_lines() {
    for (toon, json) in [
        ("a[3]: 1,2", r#"{"a":[1,2]}"#),
        ("a: 1\na: 2", r#"{"a":2}"#),
        ("a:\n   b: 1", r#"{"a":{"b":1}}"#),
        ("a[2]:\n  - 1\n\n  - 2", r#"{"a":[1,2]}"#),
    ] {
        failure(1, "decode --from toon", toon);
        assert_eq!(out("decode --from toon --lenient", toon), json, "{toon:?}");
    }
}

#[test]
fn toon_is_read_with_the_indent_asked_for() {
    assert_eq!(out("decode --from toon --indent 4", "a:\n    b: 1"), r#"{"a":{"b":1}}"#);
    failure(1, "decode --from toon --indent 4", "a:\n  b: 1");
}

#[test]
fn a_larger_output_than_allowed_is_an_error_in_every_form() {
    let json = r#"[{"a":1},{"a":2}]"#;
    for (from, text) in [
        ("auto", "[2]{a}:1/2"),
        ("stc", "[2]{a}:1/2"),
        ("table", "[2]{a:int}\n1\n2"),
        ("toon", "[2]{a}:\n  1\n  2"),
    ] {
        let allowing = |bytes| format!("decode --from {from} --max-output {bytes}");
        assert_eq!(out(&allowing(json.len()), text), json, "{from}");
        let error = failure(1, &allowing(json.len() - 1), text);
        assert!(error.contains("an output of at most 16 bytes"), "{from}: {error}");
    }
}

#[test]
fn k10_a_count_of_a_billion_is_an_error_and_not_an_allocation() {
    for (from, text) in [
        ("stc", "{t[1000000000]: 1,2,3}"),
        ("table", "[1000000000]{a:int}\n1\n2\n3"),
        ("toon", "t[1000000000]: 1,2,3"),
    ] {
        failure(1, &format!("decode --from {from}"), text);
    }
}

#[test]
fn a_file_a_dash_and_no_argument_are_the_same() {
    let folder = Folder::new();
    let file = folder.file("a.toon", "a: 1\n");
    for (arguments, stdin) in [(format!("decode {file}"), ""), ("decode -".into(), "a: 1\n")] {
        assert_eq!(out(&arguments, stdin), r#"{"a":1}"#);
    }
    let broken = folder.file("b.toon", "a[2]: 1");
    let error = failure(1, &format!("decode {broken}"), "");
    assert!(error.starts_with(&format!("tokenforge: {broken}: ")), "{error}");
}

/// An output that a real tool printed.
fn sample(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dev/samples/outputs");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

#[test]
fn d9_what_a_lossless_mode_wrote_is_restored() {
    // A column of numbers, path headings, templates, folded lines and JSON lines, in turn.
    for (name, tool) in [
        ("read-arrow.txt", "--tool Read"),
        ("grep-rn.txt", "--command grep"),
        ("http-access-log.txt", "--command cat"),
        ("find-type-f.txt", "--command find"),
    ] {
        let text = sample(name);
        let compressed = run(&format!("compress --mode lossless {tool}"), &text).stdout;
        assert!(compressed.len() < text.len(), "{name}");
        let decoded = run("decode", &compressed);
        assert_eq!(
            (decoded.code, decoded.stdout.as_str()),
            (0, text.as_str()),
            "{name}: {}",
            decoded.stderr
        );
    }
    for name in ["json-api.txt", "jsonl-log.txt"] {
        let text = sample(name);
        let compressed = run("compress --mode lossless --command x", &text).stdout;
        let decoded = run("decode", &compressed).stdout;
        let values = |text: &str| -> Vec<serde_json::Value> {
            serde_json::Deserializer::from_str(text).into_iter().map(Result::unwrap).collect()
        };
        assert_eq!(values(&decoded), values(&text), "{name}");
    }
}

#[test]
fn d9_a_text_that_nothing_changed_is_an_output_too() {
    let text = "not much happened\nand no reason was given\n";
    assert_eq!(run("decode --from output", text).stdout, text);
}

#[test]
fn d9_pointers_are_followed_into_the_earlier_results() {
    let folder = Folder::new();
    let lines =
        |from: usize| (from..from + 30).map(|n| format!("line {n} of it\n")).collect::<String>();
    let earlier = serde_json::json!({
        "tool": "Bash", "arguments": { "command": "make" }, "text": lines(1),
    });
    let history = folder.file("earlier.jsonl", format!("{earlier}\n"));
    let pointed = "first\n[Forge same as 5 lines of `make` above, from \"line 3 of it\" to \"line 7 of it\"]\nlast\n";
    let restored = run(&format!("decode --history {history}"), pointed);
    let expected =
        "first\nline 3 of it\nline 4 of it\nline 5 of it\nline 6 of it\nline 7 of it\nlast\n";
    assert_eq!((restored.code, restored.stdout.as_str()), (0, expected), "{}", restored.stderr);
    let same =
        run(&format!("decode --history {history}"), "[Duplicate of make; see earlier result]");
    assert_eq!(same.stdout, lines(1));
    let error = failure(1, "decode", pointed);
    assert!(error.contains("earlier results"), "{error}");
    let error = failure(
        1,
        &format!("decode --history {history}"),
        "[Duplicate of other; see earlier result]",
    );
    assert!(error.contains("earlier.jsonl"), "{error}");
    let broken = folder.file("broken.jsonl", "{\"tool\": 1}\n");
    let error = failure(1, &format!("decode --history {broken}"), pointed);
    assert!(error.contains("line 1") && error.contains("arguments"), "{error}");
}

#[test]
fn d9_what_was_left_out_or_damaged_is_said() {
    let error = failure(1, "decode", "[Forge lines 1-99, every 10th numbered]\n     1→a\n");
    assert!(error.contains("line_numbers") && error.contains("cut or edited"), "{error}");
}
