//! Numbered file reads: thinned, readable, and given back byte for byte.

use proptest::prelude::*;

use tokenforge_engine::internals::numbers::{decode, encode};

/// A file of `count` lines as a client shows it from line `first` on.
fn numbered_file(first: u32, count: u32, column: impl Fn(u32) -> String) -> String {
    let text = ["fn f() {", "", "    let x = \"1: a|b\";", "\ttab", "}", " one space"];
    let line = |n: u32| format!("{}{}\n", column(n), text[n as usize % text.len()]);
    (first..first + count).map(line).collect()
}

fn assert_thinned(text: &str) -> String {
    let thinned = encode(text).unwrap_or_else(|| panic!("not thinned: {text}"));
    assert!(thinned.len() < text.len(), "{thinned}");
    assert_eq!(decode(&thinned).as_deref(), Some(text), "{thinned}");
    thinned
}

#[test]
fn every_clients_column_is_thinned_and_comes_back() {
    let columns: [fn(u32) -> String; 9] = [
        |n| format!("{n:6}→"),
        |n| format!("{n:6}\t"),
        |n| format!("{n}\t"),
        |n| format!("{n}: "),
        |n| format!("{n:05}| "),
        |n| format!("{n:3} | "),
        |n| format!("{n}|"),
        |n| format!("{n}:"),
        |n| format!("{n:5}  "),
    ];
    for column in columns {
        for first in [0, 1, 8, 95, 999, 123_456] {
            assert_thinned(&numbered_file(first, 40, column));
        }
    }
}

#[test]
fn decision_10_file_text_keeps_every_byte_and_its_place() {
    let thinned = assert_thinned(&numbered_file(1, 25, |n| format!("{n:6}→")));
    let lines: Vec<_> = thinned.lines().collect();
    assert_eq!(lines[0], "[Forge lines 1-25, every 10th numbered]");
    assert_eq!(lines[1], "     1→");
    assert_eq!(lines[2], "    let x = \"1: a|b\";");
    assert_eq!(lines[10], "10→}");
    assert_eq!(lines[11], " one space");
    assert_eq!(lines.len(), 26);
}

#[test]
fn a_space_that_is_text_on_some_lines_is_text_on_all() {
    let view: String =
        (100..160).map(|n| format!("{n}:{}x\n", " ".repeat(n as usize % 3))).collect();
    let thinned = assert_thinned(&view);
    let expected = "[Forge lines 100-159, every 10th numbered as N:text]\n100: x\n  x\nx\n x\n";
    assert!(thinned.starts_with(expected), "{thinned}");
}

#[test]
fn what_stands_around_a_run_stays() {
    let run = numbered_file(7, 30, |n| format!("{n:6}\t"));
    let text = format!("The file has been updated:\n{run}\n<system-reminder>\nx\n{run}end");
    let thinned = assert_thinned(&text);
    assert_eq!(thinned.matches("[Forge lines 7-36, ").count(), 2);
    assert!(thinned.ends_with("end"));
}

#[test]
fn carriage_returns_and_a_missing_last_newline_survive() {
    let text = numbered_file(1, 30, |n| format!("{n:6}→")).replace('\n', "\r\n");
    assert_thinned(&text);
    assert_thinned(text.trim_end_matches('\n'));
    for column in ["→", ": "] {
        let read: String = (1..=30).map(|n| format!("{n:6}{column}\n")).collect();
        assert_thinned(read.trim_end_matches('\n'));
    }
    assert_thinned(&numbered_file(1, 30, |n| format!("{n}: ")).replace('\n', "\r\n"));
}

#[test]
fn lines_that_look_like_the_notation_are_refused_where_they_would_be_taken_for_it() {
    let quoting = |at: u32| -> String {
        let note = "[Forge lines 1-9, every 10th numbered]";
        (1..30).map(|n| format!("{n:6}→{}\n", if n == at { note } else { "text" })).collect()
    };
    assert_thinned(&quoting(20));
    assert_eq!(encode(&quoting(21)), None, "its number would go, and the note stand alone");
    let run = numbered_file(1, 30, |n| format!("{n:6}→"));
    assert_eq!(encode(&format!("{run}[Forge lines 1-9, every 10th numbered]\n")), None);
}

#[test]
fn short_runs_and_other_numbers_are_left_alone() {
    for text in [
        numbered_file(1, 4, |n| format!("{n:6}→")),
        numbered_file(1, 8, |n| format!("{n}\t")),
        (1..40).map(|n| format!("{}:match\n", n * 2)).collect(),
        (1..40).map(|n| format!("{n}. item\n")).collect(),
        "a\n\n\nb\n".into(),
        String::new(),
    ] {
        assert_eq!(encode(&text), None, "{text}");
    }
}

#[test]
fn decode_refuses_what_encode_did_not_write() {
    for text in [
        "[Forge lines 1-9, every 10th numbered]\n",
        "[Forge lines 1-9, every 10th numbered]\n     1→a\nb\n",
        "[Forge lines 1-1, every 7th numbered]\n     1→a\n",
        "[Forge lines 4294967295-4294967295, every 10th numbered]\n4294967295:a\n",
        "[Forge lines 2-1, ]\n",
    ] {
        assert_eq!(decode(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn l3_thinned_text_comes_back(
        before in "(?s).{0,20}", after in "(?s).{0,20}", first in 0u32..2000, count in 0u32..60,
        style in 0usize..6, cut in 0usize..3000,
    ) {
        let column = |n: u32| match style {
            0 => format!("{n:6}→"),
            1 => format!("{n:6}\t"),
            2 => format!("{n}: "),
            3 => format!("{n:04}|"),
            4 => format!("{n:3} | "),
            _ => format!("{n}:"),
        };
        let mut text = format!("{before}\n{}{after}", numbered_file(first, count, column));
        if text.is_char_boundary(cut) {
            text.insert(cut.min(text.len()), '\n');
        }
        if let Some(thinned) = encode(&text) {
            prop_assert_eq!(decode(&thinned), Some(text));
        }
    }

    #[test]
    fn l3_any_text_that_encodes_comes_back(text in "([ 0-9]{0,3}[0-9][:|\t→][ a]?\n?){0,60}") {
        if let Some(thinned) = encode(&text) {
            prop_assert_eq!(decode(&thinned), Some(text));
        }
    }

    #[test]
    fn decode_survives_any_text(text in "(\\[Forge lines [0-9]{1,3}-[0-9]{1,3}, every 10th numbered\\]\n)?(?s).{0,60}") {
        let _ = decode(&text);
    }
}

#[test]
fn d9_a_file_that_quotes_our_words_keeps_its_numbers() {
    for quoted in [
        "[Forge the line above 3 more times]",
        "[Forge same as lines 1-9 of a.rs above]",
        "[Forge lines 1-9, every 10th numbered]",
    ] {
        let view = |at: u32| -> String {
            let text = |n| if n == at { quoted } else { "some text of a file" };
            (1..40).map(|n| format!("{n:6}→{}\n", text(n))).collect()
        };
        assert_eq!(encode(&view(7)), None, "{quoted}");
        // Here the number is shown.
        assert!(assert_thinned(&view(20)).contains(&format!("\n20→{quoted}\n")));
    }
}
