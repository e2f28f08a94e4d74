//! The engine as its callers see it: what is exact stays exact, and what is cut can still be read.

use std::collections::HashSet;
use tokenforge_engine::reference::{ExpandHint, Reference, ReferenceSecret};
use tokenforge_engine::{
    CEILING_BYTES, CompressedOutput, DEFAULT_MAX_OUTPUT_BYTES, Engine, History, KeptReason, Mode,
    Output, Settings, Stc2Policy, Vault, VaultAccess, Verdict,
};
use tokenforge_formats::{Json, MAX_OUTPUT, decode_any};

fn compress(settings: &Settings, tool: &str, command: &str, text: &str) -> CompressedOutput {
    let arguments = serde_json::json!({ "command": command }).to_string();
    let output = Output { text, tool, arguments: &arguments, call: None, is_error: false };
    Engine::new(settings).compress(&output, &History::default())
}

fn applied_stages(compressed: &CompressedOutput) -> Vec<&'static str> {
    compressed.steps.iter().filter(|step| step.is_applied()).map(|step| step.stage).collect()
}

#[test]
fn f8_a_match_that_the_cap_keeps_still_names_its_file() {
    // Of many shapes, so that no template makes it short enough.
    let word = |n: u32| ["x(", "[y ", "z = ", "{ w", "; v", "-> u"][n as usize % 6];
    let code = |n: u32| -> String {
        let hash = n.wrapping_mul(2_654_435_761);
        (0..7).map(|at| format!("{}{}", word(hash >> (3 * at)), hash >> at)).collect()
    };
    let found: String = (0..4000_u32)
        .map(|n| format!("./src/module{}/part.rs:{}:{}\n", n / 40, n % 40 + 1, code(n)))
        .collect();
    let compressed =
        compress(&settings_with_limit(Mode::Standard), "Bash", "grep -rn let src", &found);
    let text = compressed.text(&found);
    assert!(applied_stages(&compressed).contains(&"cap"), "{:?}", applied_stages(&compressed));
    let (_, tail) = text.split_once("[Forge left out ").expect("something was cut");
    for line in tail.lines().skip(1) {
        assert!(found.contains(line) && line.starts_with("./src/module"), "{line}");
    }
}

#[test]
fn l3_json_becomes_stc_2_at_the_cheapest_level_and_blanks_in_it_stay() {
    let row = |n: u32| {
        let next = n * 7919 % 1000;
        format!(
            r#"{{"id": {n}, "at": "https://example.com/items/{next}", "user": {{"name": "ann   of   {next}", "team": "a  b"}}, "note": null}}"#,
        )
    };
    let text = format!("[{}]", (0..12).map(row).collect::<Vec<_>>().join(",\n  "));
    let minified = Json::parse(&text).unwrap().minify().into_owned();
    let plain = "stc2 (JSON; columns above rows)\n[12]{id at user{name team:\"a  b\"} note:null}\n";
    let shared = "stc2 (JSON; columns above rows; =1,2.. counts on, not in rows; \
                  +*+ stands for the cell, null stays null)\n[12]{id=0,1.. at=\"https://example.com/items/\"+* ";
    for (mode, stc2, head) in [
        (Mode::Standard, Stc2Policy::Auto, shared),
        (Mode::Lossless, Stc2Policy::Auto, shared),
        (Mode::Aggressive, Stc2Policy::Auto, shared),
        (Mode::Standard, Stc2Policy::Nested, plain),
        (Mode::Standard, Stc2Policy::Shared, shared),
    ] {
        let settings = Settings { mode, stc2, ..Settings::default() };
        let compressed = compress(&settings, "mcp__db__query", "", &text);
        let shown = compressed.text(&text);
        assert!(shown.starts_with(head), "{mode} {stc2:?}: {shown}");
        assert_eq!(decode_any(shown, MAX_OUTPUT).unwrap(), minified, "{mode} {stc2:?}");
    }
    let settings = Settings { stc2: Stc2Policy::Never, ..Settings::default() };
    let compressed = compress(&settings, "mcp__db__query", "", &text);
    assert_eq!(decode_any(compressed.text(&text), MAX_OUTPUT).unwrap(), minified);
    assert!(!compressed.text(&text).contains("stc2"));
}

#[test]
fn d7_rows_of_stc_2_are_no_lines_of_text_and_every_stage_can_be_undone() {
    let row = |n: u32| {
        format!(r#"{{"at": "https://example.com/items/{}", "of": {{"n": {n}, "m": null}}}}"#, n * 7)
    };
    let text = format!("[{}]", (0..60).map(row).collect::<Vec<_>>().join(", "));
    let settings = Settings::default();
    let output = Output {
        text: &text,
        tool: "mcp__db__query",
        arguments: "{}",
        call: None,
        is_error: false,
    };
    let compressed = Engine::new(&settings).with_trace().compress(&output, &History::default());
    assert_eq!(applied_stages(&compressed), ["json"]);
    let written = |step: usize| compressed.steps.iter().filter(|step| step.is_applied()).nth(step);
    let texts = written(0).and_then(|json| json.texts.as_deref()).unwrap();
    let head =
        "stc2 (JSON; columns above rows; +*+ stands for the cell, null stays null)\n[60]{at=";
    assert!(texts.1.starts_with(head), "{}", texts.1);
    assert!(compressed.steps.iter().all(|step| step.restores() != Some(false)));
}

#[test]
fn l6_what_is_stc_2_already_is_left_as_it_is() {
    let row = |n: u32| {
        let next = n * 7919 % 1000;
        format!(
            r#"{{"id": {n}, "user": {{"name": "user{next}", "team": "a"}}, "tags": ["x{next}"]}}"#
        )
    };
    let text = format!("[{}]", (0..60).map(row).collect::<Vec<_>>().join(", "));
    let settings = Settings::default();
    let compressed = compress(&settings, "mcp__db__query", "", &text);
    let shown = compressed.text(&text);
    assert!(shown.starts_with("stc2 (JSON; "), "{shown}");
    let again = compress(&settings, "mcp__db__query", "", shown);
    assert_eq!(again.verdict, Verdict::Kept(KeptReason::AlreadyCompressed));
}

#[test]
fn a_diff_in_colours_is_a_diff() {
    let rows: String = (0..20).map(|n| format!(" | name {n}      | value {n}    |   \n")).collect();
    let diff = |red: &str, green: &str, end: &str| {
        format!("diff --git a/x.md b/x.md\n--- a/x.md\n+++ b/x.md\n{green}@@ -1,6 +1,6 @@{end}\n{rows}{red}-| a  | b  |{end}\n{green}+| a  | c  |{end}\n \n")
            .replace("diff --git", &format!("{green}diff --git"))
            .replace("--- a", &format!("{red}--- a"))
            .replace("+++ b", &format!("{red}+++ b"))
    };
    let coloured = diff("\u{1b}[31m", "\u{1b}[32m", "\u{1b}[m");
    for mode in [Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let settings = Settings { mode, ..Settings::default() };
        let compressed = compress(&settings, "Bash", "git diff --color", &coloured);
        assert_eq!(compressed.text(&coloured), diff("", "", ""), "{mode}");
    }
}

#[test]
fn f23_binary_output_goes_only_where_it_can_be_fetched_back() {
    let picture = "\u{1}PNG\u{fffd}\u{2}\u{fffd}".repeat(200);
    let text = format!("logo.png: {picture}\n");
    let key = ReferenceSecret::from_bytes([7; 32]);
    let arguments = r#"{"command":"cat logo.png"}"#;
    let output = Output { text: &text, tool: "Bash", arguments, call: None, is_error: false };
    for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        for max_output_bytes in [None, Some(100_000)] {
            let settings = Settings { mode, max_output_bytes, ..Settings::default() };
            let bare = Engine::new(&settings);
            let for_others = bare.with_vault(Vault { key: &key, access: VaultAccess::Others });
            for engine in [bare.clone(), for_others] {
                let compressed = engine.compress(&output, &History::default());
                assert_eq!((compressed.replacement, compressed.original), (None, None), "{mode}");
            }
            let compressed = bare.with_vault(vault(&key)).compress(&output, &History::default());
            assert_eq!(applied_stages(&compressed), ["binary"], "{mode}");
            let shown = compressed.text(&text);
            assert!(
                shown.ends_with("\nlogo.png: [Forge removed binary output: 2,200 bytes]\n"),
                "{shown}"
            );
            let kept = compressed.original.as_ref().map(|kept| kept.reference.to_string());
            assert_eq!(Reference::leading(shown).map(|(id, _)| id.to_string()), kept, "{mode}");
            let again = Output { text: shown, ..output };
            let again = bare.with_vault(vault(&key)).compress(&again, &History::default());
            assert_eq!(again.replacement, None, "{mode}");
        }
    }
}

#[test]
fn f8_what_is_too_large_to_be_compacted_is_capped_all_the_same() {
    let log = "one more line of a log that never ends\n".repeat(CEILING_BYTES / 39 + 1000);
    let compressed = compress(&settings_with_limit(Mode::Standard), "Bash", "journalctl", &log);
    assert_eq!(applied_stages(&compressed), ["cap"]);
    assert!(compressed.text(&log).len() < DEFAULT_MAX_OUTPUT_BYTES + 200);
}

#[test]
fn f8_a_cap_that_kept_the_first_error_says_so() {
    let lines = |from: u32| -> String {
        (from..from + 5000)
            .map(|n| format!("{:x} and so on\n", n.wrapping_mul(2_654_435_761)))
            .collect()
    };
    let settings = settings_with_limit(Mode::Safe);
    let plain = format!("{}{}", lines(0), lines(9000));
    assert_eq!(applied_stages(&compress(&settings, "Bash", "make", &plain)), ["cap"]);
    let failed = format!("{}error: it broke\n{}", lines(0), lines(9000));
    let compressed = compress(&settings, "Bash", "make", &failed);
    assert_eq!(applied_stages(&compressed), ["cap_error_window"]);
    assert!(compressed.text(&failed).contains("error: it broke"));
}

#[test]
fn decision_10_numbers_in_a_file_are_not_a_clients_column() {
    let row = |n: u32| format!("{n}\tname {}\tcity of {}\n", n * 7919 % 1000, n * 31 % 77);
    let table = String::from("id\tname\tcity\n") + &(1..40).map(row).collect::<String>();
    let preface = "Notes\n\nOn several\nthings that\nare numbered\n\n";
    let list: String = (1..40).map(|n| format!("{n}: item {}\n", n * 31)).collect();
    let numbered: String = (1..40).map(|n| format!("{n:6}\tlet x{n};\n")).collect();
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let is_kept =
        |tool, command, text: &str| compress(&settings, tool, command, text).replacement.is_none();
    assert!(is_kept("read_file", "", &table) && is_kept("Bash", "cat a.tsv", &table));
    assert!(is_kept("read_file", "", &format!("{preface}{list}")));
    assert!(is_kept("Bash", "cat a.md", &list));
    assert!(!is_kept("Read", "", &numbered) && !is_kept("Bash", "cat -n a.rs", &numbered));
}

/// A test run of which a family leaves out most.
fn test_run() -> String {
    let passed: String =
        (0..60).map(|n| format!("test a_long_name_of_a_test::case_{n:02} ... ok\n")).collect();
    format!("running 60 tests\n{passed}\ntest result: ok. 60 passed; 0 failed\n")
}

fn cargo_test<'a>(text: &'a str, call: &'a str) -> Output<'a> {
    let arguments = r#"{"command":"cargo test"}"#;
    Output { text, tool: "Bash", arguments, call: Some(call), is_error: false }
}

#[test]
fn g9_an_equal_result_that_was_shortened_is_a_pointer_to_the_first() {
    let (text, key) = (test_run(), ReferenceSecret::from_bytes([7; 32]));
    for expand_hint in ExpandHint::ALL.map(Some).into_iter().chain([None]) {
        let settings = Settings { expand_hint, ..Settings::default() };
        let engine = Engine::new(&settings).with_vault(vault(&key));
        let first = engine.compress(&cargo_test(&text, "call_1"), &History::default());
        assert!(first.original.is_some(), "{:?}", first.steps);
        let mut history = History::default();
        history.add(&cargo_test("", "call_1").tool_call(), first.text(&text));
        let second = engine.compress(&cargo_test(&text, "call_2"), &history);
        assert_eq!(
            second.replacement.as_deref(),
            Some("[Duplicate of cargo test; see earlier result]")
        );
    }
}

#[test]
fn d10_without_dedup_nothing_points_to_an_earlier_result() {
    let (text, key) = (test_run(), ReferenceSecret::from_bytes([7; 32]));
    let settings = Settings { dedup: false, ..Settings::default() };
    let bare = Engine::new(&settings);
    for engine in [bare.clone(), bare.with_vault(vault(&key))] {
        let first = engine.compress(&cargo_test(&text, "call_1"), &History::default());
        let mut history = History::default();
        history.add(&cargo_test("", "call_1").tool_call(), first.text(&text));
        let second = engine.compress(&cargo_test(&text, "call_2"), &history);
        assert_eq!(second.text(&text), first.text(&text));
    }
}

#[test]
fn g9_a_result_that_a_client_sends_twice_is_written_the_same_twice() {
    let (text, key) = (test_run(), ReferenceSecret::from_bytes([7; 32]));
    let settings = Settings::default();
    let bare = Engine::new(&settings);
    for engine in [bare.clone(), bare.with_vault(vault(&key))] {
        let first = engine.compress(&cargo_test(&text, "call_1"), &History::default());
        let mut history = History::default();
        history.add(&cargo_test("", "call_1").tool_call(), first.text(&text));
        let second = engine.compress(&cargo_test(&text, "call_1"), &history);
        assert_eq!(second.text(&text), first.text(&text));
    }
}

#[test]
fn c9_with_a_hint_the_line_under_the_reference_says_how_to_use_it() {
    let (text, key) = (test_run(), ReferenceSecret::from_bytes([7; 32]));
    let compress = |text: &str, expand_hint: Option<ExpandHint>| {
        let settings = Settings { expand_hint, ..Settings::default() };
        let engine = Engine::new(&settings).with_vault(vault(&key));
        engine.compress(&cargo_test(text, "call_1"), &History::default()).replacement
    };
    let plain = compress(&text, None).unwrap();
    let (marker, body) = plain.split_once('\n').unwrap();
    for hint in ExpandHint::ALL {
        let hinted = compress(&text, Some(hint)).unwrap();
        assert_eq!(hinted, format!("{marker}\n{}\n{body}", hint.line()));
        assert_eq!(compress(&hinted, Some(hint)), None);
    }
}

#[test]
fn c9_l2_the_hint_is_counted() {
    // What a family leaves out here pays for a reference and not for a hint.
    let (key, counter) = (ReferenceSecret::from_bytes([7; 32]), Settings::default().counter);
    let passed = |count: usize| -> String {
        (0..count).map(|n| format!("test case_{n:02}_{:x} ... ok\n", n * 7919)).collect()
    };
    let run = |count: usize| {
        format!(
            "running {count} tests\n{}\ntest result: ok. {count} passed; 0 failed\n",
            passed(count)
        )
    };
    let mut outcomes = Vec::new();
    for text in (4..16).map(run) {
        let settings = Settings { expand_hint: Some(ExpandHint::Tool), ..Settings::default() };
        let engine = Engine::new(&settings).with_vault(vault(&key));
        let compressed = engine.compress(&cargo_test(&text, "call_1"), &History::default());
        let shown = compressed.text(&text);
        assert!(shown == text || counter.count(shown) < counter.count(&text), "{shown}");
        outcomes.push(shown.contains(ExpandHint::Tool.line()));
    }
    assert!(outcomes.contains(&false) && outcomes.contains(&true), "{outcomes:?}");
}

#[test]
fn l2_a_few_bytes_above_the_cap_are_not_worth_a_marker() {
    let settings = settings_with_limit(Mode::Safe);
    let text = "ab ".repeat(21_847);
    let output = Output { text: &text, tool: "x", arguments: "", call: None, is_error: false };
    assert_eq!(Engine::new(&settings).compress(&output, &History::default()).replacement, None);
}

/// Lines of their own, a megabyte of them.
fn megabyte() -> String {
    (0..30_000_u32)
        .map(|n| format!("{:08x} a line of its own, and long\n", n.wrapping_mul(2_654_435_761)))
        .collect()
}

fn vault(key: &ReferenceSecret) -> Vault<'_> {
    Vault::for_reader(key)
}

/// With the usual limit, set by the caller.
fn settings_with_limit(mode: Mode) -> Settings {
    Settings { mode, max_output_bytes: Some(DEFAULT_MAX_OUTPUT_BYTES), ..Settings::default() }
}

#[test]
fn d02_the_usual_limit_cuts_only_where_the_reader_can_fetch_the_rest() {
    let (key, long) = (ReferenceSecret::from_bytes([7; 32]), megabyte());
    let marked = format!("[Forge left out 3 lines (20 bytes)]\n{long}");
    let output = |text| Output { text, tool: "Bash", arguments: "{}", call: None, is_error: false };
    for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let settings = Settings { mode, ..Settings::default() };
        let bare = Engine::new(&settings);
        let for_others = bare.with_vault(Vault { key: &key, access: VaultAccess::Others });
        for text in [&long, &marked] {
            for engine in [&bare, &for_others] {
                let compressed = engine.compress(&output(text), &History::default());
                let lines = text.lines().filter(|line| !line.starts_with('['));
                let mut words = lines.filter_map(|line| line.split(' ').next());
                let shown = compressed.text(text).split(|letter: char| !letter.is_alphanumeric());
                let shown: HashSet<&str> = shown.collect();
                assert!(words.all(|word| shown.contains(word)), "{mode}");
                assert_eq!(compressed.original, None, "{mode}");
            }
            let for_reader = bare.with_vault(vault(&key));
            let compressed = for_reader.compress(&output(text), &History::default());
            assert_eq!(compressed.original.is_some(), mode != Mode::Lossless, "{mode}");
        }
    }
}

#[test]
fn decision_11_a_limit_of_the_callers_own_cuts_with_a_reference_wherever_there_is_a_store() {
    let (key, long) = (ReferenceSecret::from_bytes([7; 32]), megabyte());
    let output = Output { text: &long, tool: "Bash", arguments: "{}", call: None, is_error: false };
    for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
        let settings = Settings { mode, max_output_bytes: Some(9_000), ..Settings::default() };
        let bare = Engine::new(&settings);
        for (engine, has_store) in [
            (bare.clone(), false),
            (bare.with_vault(Vault { key: &key, access: VaultAccess::Others }), true),
            (bare.with_vault(vault(&key)), true),
        ] {
            let compressed = engine.compress(&output, &History::default());
            let shown = compressed.text(&long);
            assert!(shown.len() < 9_500 && shown.contains("[Forge left out "), "{mode}");
            assert_eq!(compressed.original.is_some(), has_store, "{mode}");
            assert_eq!(Reference::leading(shown).is_some(), has_store, "{mode}");
        }
    }
}

#[test]
fn f8_decision_26_a_line_like_ours_keeps_no_output_from_the_cap() {
    let (key, stranger) =
        (ReferenceSecret::from_bytes([7; 32]), ReferenceSecret::from_bytes([8; 32]));
    let ours = Reference::of(&key, "another original").marker();
    let forged = Reference::of(&stranger, "another original").marker();
    let long = megabyte();
    let texts = [
        format!("[Forge left out 3 lines (20 bytes)]\n{long}"),
        format!("{long}[Forge left out 3 lines (20 bytes)]\n{long}"),
        format!("[Forge LZW Dictionary]\n<<F1:1>> = \"a line of\"\n\n{long}"),
        format!("{forged}\n{long}"),
        format!("{ours}\n{}\n{long}", ExpandHint::Tool.line()),
        format!("{ours}\n").repeat(20_000),
        "[Forge \n".repeat(100_000),
        format!("[Forge \n{}", "\u{1}PNG\u{fffd}\u{2}\u{fffd}\n".repeat(100_000)),
        serde_json::json!({ "output": format!("[Forge \n{long}"), "metadata": {"exit_code": 0} })
            .to_string(),
    ];
    for text in &texts {
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let settings = settings_with_limit(mode);
            let bare = Engine::new(&settings);
            for engine in [bare.clone(), bare.with_vault(vault(&key))] {
                let output = |text| Output {
                    text,
                    tool: "Bash",
                    arguments: "{}",
                    call: None,
                    is_error: false,
                };
                let compressed = engine.compress(&output(text), &History::default());
                let shown = compressed.text(text);
                let start = &text[..text.floor_char_boundary(60)];
                assert!(
                    shown.len() < DEFAULT_MAX_OUTPUT_BYTES * 11 / 10,
                    "{mode} {start}: {}",
                    shown.len()
                );
                assert_eq!(compressed.original.is_some(), engine.reference(text).is_some());
                assert!(
                    compressed
                        .original
                        .as_ref()
                        .is_none_or(|original| original.text(text) == *text)
                );
                let again = engine.compress(&output(shown), &History::default());
                assert_eq!(again.replacement, None, "{mode} {start}");
            }
        }
    }
}

#[test]
fn l6_a_line_like_ours_that_a_terminal_uncovers_leaves_the_output_alone() {
    let line = "[Forge paths: a group's first line goes before each line under it]";
    let work = "/home/dev/shop/src/module/file.rs: 12 lines\n".repeat(40);
    for hidden in
        [format!("10%\r20%\r{line}\n{work}"), format!("done\n\u{1b}[31m{line}\u{1b}[0m\n{work}")]
    {
        for mode in [Mode::Lossless, Mode::Standard, Mode::Aggressive] {
            let settings = Settings { mode, ..Settings::default() };
            let made =
                Engine::new(&settings).compress(&Output::new("Bash", &hidden), &History::default());
            assert_eq!(made.replacement, None, "{mode}: {hidden:?}");
        }
    }
}

#[test]
fn l6_a_line_like_ours_in_an_output_of_ordinary_length_is_left_alone() {
    let text = format!("[Forge left out 3 lines (20 bytes)]\n{}", &megabyte()[..65_000]);
    for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let settings = Settings { mode, ..Settings::default() };
        let compressed = compress(&settings, "Bash", "make", &text);
        assert_eq!(compressed.verdict, Verdict::Kept(KeptReason::AlreadyCompressed), "{mode}");
    }
}

#[test]
fn l6_payloads_that_are_too_long_only_together_stay_under_their_reference() {
    let block = |from: usize| serde_json::json!({"query": "a", "result": &megabyte()[from..from + 100_000], "success": true});
    let text = serde_json::json!([block(0), block(200_016), block(400_032)]).to_string();
    let settings = Settings { mode: Mode::Safe, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(vault(&key));
    let output = |text| Output { text, tool: "x", arguments: "{}", call: None, is_error: false };
    let once = engine.compress(&output(&text), &History::default()).replacement.unwrap();
    assert!(once.len() > 2 * DEFAULT_MAX_OUTPUT_BYTES && Reference::leading(&once).is_some());
    assert_eq!(engine.compress(&output(&once), &History::default()).replacement, None);
}
