//! What clients put around an output is taken off and put back, byte for byte.

use proptest::prelude::*;
use tokenforge_engine::internals::wrapper::{Parts, Piece, unwrap};

fn payloads(text: &str) -> Vec<String> {
    let parts = unwrap(text);
    holds_together(text, &parts);
    parts.payloads().map(str::to_owned).collect()
}

/// The pieces follow each other without gaps, and the old payloads give back the text.
fn holds_together(text: &str, parts: &Parts) {
    let mut at = 0;
    for piece in parts.pieces() {
        assert_eq!(piece.range().start, at, "{text:?}");
        at = piece.range().end;
    }
    assert_eq!(at, text.len(), "{text:?}");
    let old: Vec<&str> = parts.payloads().collect();
    assert_eq!(parts.rewrap(&old), text);
    assert_eq!(parts.rewrap::<&str>(&[]), text);
}

/// What the clients were seen to put before and behind an output. The payload stands as it is.
const FRAMES: &[(&str, &str)] = &[
    // Claude Code
    ("Exit code 3\n", ""),
    (
        "",
        "\n\n<system-reminder>\n<total_tokens>14978366 tokens left</total_tokens>\n</system-reminder>",
    ),
    (
        "Exit code 1\n",
        "\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\n",
    ),
    (
        "<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\n",
        "\n</output>",
    ),
    // Codex
    (
        "Chunk ID: 487e9e\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 6878\nOutput:\n",
        "",
    ),
    (
        "Chunk ID: 487e9e\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 6878\nOutput:\nWarning: truncated output (original token count: 6878)\nTotal output lines: 400\n\n",
        "",
    ),
    ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n", ""),
    ("Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 400\nOutput:\n", ""),
    ("Wall time: 0.0039 seconds\nOutput:\n", ""),
    // Gemini CLI
    ("<untrusted_context>\nOutput: ", "\nProcess Group PGID: 12656\n</untrusted_context>"),
    (
        "<untrusted_context>\nOutput: ",
        "\nExit Code: 3\nProcess Group PGID: 12684\n</untrusted_context>",
    ),
    ("<untrusted_context>\n", "\n</untrusted_context>"),
    (
        "Command: make -j8\nDirectory: (root)\nOutput: ",
        "\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)",
    ),
    // Qwen Code
    ("Showing lines 1-364 of 401 total lines.\n\n---\n\n", ""),
    // opencode
    (
        "<path>/home/user/project/build.log</path>\n<type>file</type>\n<content>\n",
        "\n\n(End of file - total 400 lines)\n</content>",
    ),
    ("<file>\n", "\n\n(End of file - total 400 lines)\n</file>"),
    // Copilot
    ("", "\n<shellId: 0 completed with exit code 0>"),
    ("", "\n<exited with exit code 0>"),
    // pi
    ("", "\n\n\nCommand exited with code 3"),
    // SWE-agent, OpenHands
    ("", "\n(Open file: n/a)\n(Current directory: /testbed)\nbash-$"),
    (
        "",
        "\n[The command completed with exit code 0.]\n[Current working directory: /workspace]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]",
    ),
    ("Here's the result of running `cat -n` on /workspace/a.py:\n", ""),
];

/// The same where the payload stands in a JSON string.
const ENVELOPES: &[(&str, &str)] = &[
    (
        r#"{"chunk_id":"f4e1f2","wall_time_seconds":0.000007492,"exit_code":0,"original_token_count":338,"output":""#,
        r#""}"#,
    ),
    (r#"{"output":""#, r#"","metadata":{"exit_code":0,"duration_seconds":0.1}}"#),
    (r#"[{"query":"cat data.json","result":""#, r#"","success":true}]"#),
    (r#"[{"type":"text","text":""#, r#""}]"#),
    (
        r#"{"content":[{"type":"text","text":""#,
        r#"","annotations":{"priority":0.9}},{"type":"resource_link","uri":"file:///x","name":"x"}],"isError":false}"#,
    ),
    (
        "{\n  \"_meta\": null,\n  \"content\": [\n    {\n      \"type\": \"text\",\n      \"text\": \"",
        "\",\n      \"annotations\": null\n    }\n  ],\n  \"isError\": false\n}",
    ),
    (r#"{"content": ""#, r#""}"#),
    (r#"[{"type":"resource","resource":{"uri":"mem://a.json","text":""#, r#""}}]"#),
];

/// And in a Python string.
const REPRS: &[(&str, &str)] = &[
    ("[TextContent(type='text', text='", "', annotations=None, meta=None)]"),
    ("meta=None content=[TextContent(type='text', text='", "', annotations=None)] isError=False"),
];

const SOURCE: &str = "fn main() {\n\tprintln!(\"it's {}\\n\", 1);\n}\n\u{1b}[32mé😀\u{1b}[0m: a long enough line of output\r\nand another one, to be longer than any wrapper of the table above is by itself\nend";

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn python(text: &str) -> String {
    let mut written = String::new();
    for character in text.chars() {
        match character {
            '\'' | '\\' => written.extend(['\\', character]),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            control if control.is_ascii_control() => {
                written.push_str(&format!("\\x{:02x}", control as u32))
            }
            other => written.push(other),
        }
    }
    written
}

#[test]
fn f16_the_frame_of_every_client_is_taken_off() {
    for (before, after) in FRAMES {
        let text = format!("{before}{SOURCE}{after}");
        assert_eq!(payloads(&text), [SOURCE], "{text}");
        assert_eq!(unwrap(&text).rewrap(&["new"]), format!("{before}new{after}"));
    }
}

#[test]
fn f16_a_payload_in_a_string_is_unescaped_and_escaped_again() {
    for (before, after) in ENVELOPES {
        let text = format!("{before}{}{after}", json(SOURCE));
        assert_eq!(payloads(&text), [SOURCE], "{text}");
        assert_eq!(unwrap(&text).rewrap(&["a \"b\"\n"]), format!("{before}a \\\"b\\\"\\n{after}"));
    }
    for (before, after) in REPRS {
        let text = format!("{before}{}{after}", python(SOURCE));
        assert_eq!(payloads(&text), [SOURCE], "{text}");
        assert_eq!(
            unwrap(&text).rewrap(&["it's\n\u{1b}"]),
            format!("{before}it\\'s\\n\\x1b{after}")
        );
    }
    let double = "[TextContent(type='text', text=\"it's\", annotations=None)]";
    assert_eq!(payloads(double), ["it's"]);
    assert_eq!(
        unwrap(double).rewrap(&["\"'"]),
        "[TextContent(type='text', text=\"\\\"'\", annotations=None)]"
    );
}

#[test]
fn f16_wrappers_may_lie_inside_each_other() {
    for (frame, behind) in FRAMES {
        for (before, after) in ENVELOPES {
            let text = format!("{frame}{before}{}{after}{behind}", json(SOURCE));
            assert_eq!(payloads(&text), [SOURCE], "{text}");
        }
    }
    for (before, after) in REPRS {
        for (inner_before, inner_after) in ENVELOPES {
            let inner = format!("{inner_before}{}{inner_after}", json(SOURCE));
            let text = format!("{before}{}{after}", python(&inner));
            assert_eq!(payloads(&text), [SOURCE], "{text}");
            let changed = python(&format!("{inner_before}it's \\\"new\\\"{inner_after}"));
            assert_eq!(
                unwrap(&text).rewrap(&["it's \"new\""]),
                format!("{before}{changed}{after}")
            );
        }
    }
}

#[test]
fn several_payloads_keep_their_places() {
    let (one, two) = ("one ".repeat(30), "two ".repeat(30));
    let text = |first: &str| {
        format!(
            r#"[{{"query":"a","result":"{first}","success":true}},{{"query":"b","result":"{two}","success":true}}]"#
        )
    };
    assert_eq!(payloads(&text(&one)), [one.as_str(), two.as_str()]);
    assert_eq!(unwrap(&text(&one)).rewrap(&["1"]), text("1"));
    let blocks = "<untrusted_context>\nFIRST\n</untrusted_context>\n<untrusted_context>\nSECOND\n</untrusted_context>\n[Tool 'multi' provided the following image data]";
    assert_eq!(payloads(blocks), ["FIRST", "SECOND"]);
    let task = "<status>completed</status>\n\n<stdout>\nout\n</stdout>\n\n<stderr>\nerr\n</stderr>\n\n<timestamp>x</timestamp>";
    assert_eq!(payloads(task), ["out", "err"]);
}

#[test]
fn what_the_client_says_itself_is_not_touched() {
    for text in [
        "<tool_use_error>Error: No such tool available: Grep.</tool_use_error>",
        "<persisted-output>\nOutput too large (145.4KB). Full output saved to: /x\n\nPreview (first 2KB):\nline 1\n...\n</persisted-output>",
        "<persisted-output>\nPreview\n</persisted-output>\n\n<system-reminder>x</system-reminder>",
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        "Script completed\nWall time 0.1 seconds\nOutput:\n",
        "Wall time: 0.0028 seconds\nOutput:",
        "",
    ] {
        assert_eq!(payloads(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn other_texts_are_one_payload() {
    for text in [
        "plain",
        "Exit code is not a number\nx",
        "Output:\nx",
        "Wall time is long\nx",
        r#"{"id":1,"content":"x"}"#,
        r#"{"v":"STRUCT-VERSION"}"#,
        r#"[{"type":"comment","text":"a long text in a row of a table"},{"type":"comment","text":"another one"}]"#,
        r#"{"output":"a badly \x escaped text that is long enough to be the most of it"}"#,
        r#"{"output":"an upper case \u001B escape that would not come back as it was"}"#,
        "[TextContent(type='text', text='a \\a', annotations=None)]",
        "\n",
    ] {
        assert_eq!(payloads(text), [text]);
    }
    let data = format!(r#"{{"content":"a text","structuredContent":[{}0]}}"#, "1234,".repeat(1000));
    assert_eq!(payloads(&data), [data.as_str()]);
}

#[test]
fn l6_a_wrapper_is_known_however_small_its_payload_became() {
    for (before, after) in FRAMES.iter().chain(ENVELOPES).chain(REPRS) {
        assert_eq!(payloads(&format!("{before}x{after}")), ["x"], "{before}");
    }
}

#[test]
fn a_text_that_was_cut_is_taken_apart_as_far_as_it_goes() {
    let inner = format!("{}{}", ENVELOPES[5].0, json(&SOURCE.repeat(3)));
    let whole = format!("{}{}", REPRS[1].0, python(&inner));
    let mut deep = 0;
    for cut in (0..=whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        let text = &whole[..cut];
        let parts = unwrap(text);
        holds_together(text, &parts);
        deep += parts
            .pieces()
            .iter()
            .filter(|piece| matches!(piece, Piece::Payload(payload) if payload.codecs.len() == 2))
            .count();
    }
    assert!(deep > 400, "{deep}");
}

#[test]
fn the_spelling_of_the_client_is_kept() {
    let ascii = r#"{"output":"caf\u00e9 \ud83d\ude00 and more text behind it"}"#;
    assert_eq!(payloads(ascii), ["café 😀 and more text behind it"]);
    assert_eq!(unwrap(ascii).rewrap(&["é"]), r#"{"output":"\u00e9"}"#);
    let slashes = r#"{"output":"https:\/\/example.com\/a\/b\/c"}"#;
    assert_eq!(unwrap(slashes).rewrap(&["a/b"]), r#"{"output":"a\/b"}"#);
}

#[test]
fn large_and_hostile_texts_are_no_trouble() {
    let line = "x".repeat(10 << 20);
    assert_eq!(payloads(&line), [line.as_str()]);
    let wrapped = format!("{{\"output\":\"{}\"}}", "\\n\\\"é".repeat(1 << 20));
    assert_eq!(payloads(&wrapped)[0].len(), 4 << 20);
    for unit in [
        "<untrusted_context>\n",
        "\n</untrusted_context>",
        "</system-reminder>",
        "<system-reminder>",
        "[TextContent(type='text', text='",
        "{\"content\":[",
        "[{\"query\":\"",
        "\\",
        "\"",
        "'",
        "Exit code 1\n",
        "Output:\n",
        "Wall time: 1\n",
        "<content>\n",
        "bash-$\n",
        "{\"output\":\"",
        "Command: \nDirectory: \nOutput: ",
        "<path>",
        "\n",
        "{",
        "[",
    ] {
        let text = unit.repeat(20_000);
        holds_together(&text, &unwrap(&text));
    }
}

/// Texts made of wrappers, payloads and damage.
fn composed_output() -> impl Strategy<Value = String> {
    let payload = prop_oneof![
        ".{0,60}",
        "[a-z{}\"'\\\\\n\u{1b}é\u{200b}\u{2028}😀 ]{0,80}",
        Just(SOURCE.to_owned()),
        r#"(\\[nux"'\\]|[0-9a-f]{4}|"|')*"#,
    ];
    let frames: Vec<_> = FRAMES.iter().chain(ENVELOPES).chain(REPRS).copied().collect();
    let wrapped =
        (payload, prop::collection::vec((prop::sample::select(frames), 0..3_usize), 0..4));
    wrapped.prop_map(|(payload, wrappers)| {
        wrappers.into_iter().fold(payload, |text, ((before, after), written)| {
            let text = match written {
                0 => text,
                1 => json(&text),
                _ => python(&text),
            };
            format!("{before}{text}{after}")
        })
    })
}

fn at_boundary(text: &str, position: prop::sample::Index) -> usize {
    text.floor_char_boundary(position.index(text.len() + 1))
}

proptest! {
    #[test]
    fn unchanged_payloads_give_back_any_text(text in composed_output(), other in composed_output(), cut in any::<prop::sample::Index>(), splice in any::<prop::sample::Index>()) {
        holds_together(&text, &unwrap(&text));
        let cut = at_boundary(&text, cut);
        holds_together(&text[..cut], &unwrap(&text[..cut]));
        let spliced = format!("{}{}{}", &text[..cut], &other[at_boundary(&other, splice)..], &text[cut..]);
        holds_together(&spliced, &unwrap(&spliced));
    }

    #[test]
    fn a_changed_payload_is_what_a_reader_of_the_wrapper_reads(old in "\\PC{30,60}", new in any::<String>()) {
        let text = serde_json::json!({"output": old, "metadata": {}}).to_string();
        let parts = unwrap(&text);
        prop_assume!(parts.payloads().eq([old.as_str()]));
        let read: serde_json::Value = serde_json::from_str(&parts.rewrap(&[&new])).unwrap();
        prop_assert_eq!(read["output"].as_str(), Some(new.as_str()));
    }
}
