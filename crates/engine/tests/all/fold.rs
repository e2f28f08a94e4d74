//! Repeated lines and blocks: what a reader sees in their place.

use tokenforge_engine::internals::fold::{decode, encode};

fn fold_text(text: &str) -> String {
    let folded = encode(text).unwrap_or_else(|| panic!("not folded: {text}"));
    assert_eq!(decode(&folded).as_deref(), Some(text), "{folded}");
    folded
}

#[test]
fn a_block_that_comes_again_at_once_is_counted() {
    let block = "warning: unused variable `x`\n  --> src/main.rs:7:9\n   = note: on by default\n\n";
    let text = format!("Compiling\n{}Done\n", block.repeat(8));
    assert_eq!(
        fold_text(&text),
        format!("Compiling\n{block}[Forge the 4 lines above 7 more times]\nDone\n")
    );
}

#[test]
fn one_line_or_two_that_come_again_at_once_are_counted() {
    let line = "warning: the lockfile was written by another version, so that 14 of its 96 entries \
                are not understood and their packages are fetched again\n";
    for (block, note) in [
        (line.to_owned(), "[Forge the line above once more]\n"),
        (format!("{line}hint: update it\n"), "[Forge the 2 lines above once more]\n"),
    ] {
        assert_eq!(fold_text(&format!("{block}{block}done\n")), format!("{block}{note}done\n"));
    }
}

#[test]
fn a_block_that_comes_again_later_is_pointed_to() {
    let stack =
        "Error: connection refused\n    at connect (net.js:12)\n    at retry (pool.js:88)\n";
    let text = format!("first try\n{stack}second try\n{stack}third try\n{stack}");
    let again = "[Forge 3 lines again from: Error: connection refused]\n";
    assert_eq!(
        fold_text(&text),
        format!("first try\n{stack}second try\n{again}third try\n{again}")
    );
}

#[test]
fn carriage_returns_and_a_missing_last_newline_survive() {
    let text = "waiting for the database to come up\r\n".repeat(20);
    assert!(fold_text(&text).ends_with("\r\n[Forge the line above 19 more times]\n"));
    assert!(fold_text(text.trim_end_matches('\n')).ends_with("19 more times]"));
}

#[test]
fn a_note_speaks_only_of_lines_that_are_shown() {
    let block =
        |n: usize| format!("step {n} of the long migration\n{}", "tick tick tick tick\n".repeat(9));
    let text = format!("{0}{1}{0}{1}", block(1), block(2));
    let folded = fold_text(&text);
    for (index, line) in folded.lines().enumerate() {
        let above = index.checked_sub(1).and_then(|above| folded.lines().nth(above));
        let speaks_of_note =
            line.contains(" above ") && above.is_some_and(|above| above.starts_with("[Forge"));
        assert!(!speaks_of_note, "{folded}");
    }
}

#[test]
fn texts_that_could_be_taken_for_notes_or_lose_their_numbers_are_left_alone() {
    let lines = "the very same line again and again\n".repeat(20);
    for line in [
        "[Forge the line above 3 more times]",
        "[Forge 3 lines again from: x]",
        "[Forge lines 1-20, every 10th numbered]",
    ] {
        assert_eq!(encode(&format!("{line}\n{lines}")), None);
    }
    assert_eq!(encode(&format!("@@ -1,20 +1,20 @@\n{lines}")), None);
    assert_eq!(encode(&"}\n".repeat(6)), None);
}
