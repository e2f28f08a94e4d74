//! Log templates: what they make of real logs, and that every text comes back byte for byte.

use proptest::prelude::*;
use std::fmt::Write as _;
use tokenforge_engine::internals::templates::{decode, encode};
use tokenforge_tokens::Counter;

fn assert_roundtrip(text: &str) {
    if let Some(encoded) = encode(text) {
        assert_eq!(decode(&encoded).as_deref(), Some(text), "written as:\n{encoded}");
        assert_eq!(encode(&encoded), None, "written twice");
    }
}

fn share_saved(text: &str) -> f64 {
    let encoded = encode(text).expect("a log");
    assert_eq!(decode(&encoded).as_deref(), Some(text));
    let counter = Counter::default();
    1.0 - counter.count(&encoded) as f64 / counter.count(text) as f64
}

/// A log whose lines `line` writes.
fn log(lines: usize, mut line: impl FnMut(usize, &mut String)) -> String {
    let mut text = String::new();
    for number in 0..lines {
        line(number, &mut text);
        text.push('\n');
    }
    text
}

#[test]
fn a_template_is_written_once_and_rows_have_the_values() {
    let text = log(6, |n, line| {
        let _ = write!(
            line,
            "[2024-05-06 10:00:0{n},250] INFO Rolled segment {n}{n} of 'orders-{n}' in {n}0 ms (store.log)"
        );
    });
    let encoded = encode(&text).unwrap();
    let (_, body) = encoded.split_once('\n').unwrap();
    assert_eq!(
        body,
        "A= [*] INFO Rolled segment * of '*' in * ms (store.log)\n\
         2024-05-06 10:00:00,250 00 orders-0 00\n\
         2024-05-06 10:00:01,250 11 orders-1 10\n\
         2024-05-06 10:00:02,250 22 orders-2 20\n\
         2024-05-06 10:00:03,250 33 orders-3 30\n\
         2024-05-06 10:00:04,250 44 orders-4 40\n\
         2024-05-06 10:00:05,250 55 orders-5 50\n"
    );
}

#[test]
fn rows_of_other_templates_and_other_lines_are_marked_and_stay_in_order() {
    let text = log(12, |n, line| {
        let _ = match n % 4 {
            0 => write!(
                line,
                "10:00:{n:02} worker INFO Started reading broadcast variable number {n}"
            ),
            1 => write!(
                line,
                "10:00:{n:02} store INFO Block block_{n} stored as bytes in memory (size {n}.0 B)"
            ),
            2 => write!(
                line,
                "10:00:{n:02} store INFO Block block_{n} stored as bytes in memory (size {n}.5 B)"
            ),
            _ => write!(line, "Exception number {n}{}", " again".repeat(n)),
        };
    });
    let encoded = encode(&text).unwrap();
    let (_, body) = encoded.split_once('\n').unwrap();
    assert!(
        body.contains("A= * worker INFO Started reading broadcast variable number *\n10:00:00 0\n"),
        "{body}"
    );
    assert!(body.contains("B= * store INFO Block * stored as bytes in memory (size * B)\n10:00:01 block_1 1.0\n10:00:02 block_2 2.5\n"), "{body}");
    assert!(body.contains("\n= Exception number 3 again"), "{body}");
    assert!(body.contains("\nA 10:00:04 4\n"), "{body}");
    assert_roundtrip(&text);
}

#[test]
fn units_are_cut_off_and_urls_stay_whole() {
    let text = log(8, |n, line| {
        let name = ["debug", "depd", "@scope%2fcore", "etag", "vary", "ms", "qs", "send"][n];
        let _ = write!(
            line,
            "npm http fetch GET 200 https://registry.example.org/{name} {n}2ms (cache miss)"
        );
    });
    let encoded = encode(&text).unwrap();
    assert!(encoded.contains("A= npm http fetch GET 200 * *ms (cache miss)\nhttps://registry.example.org/debug 02\nhttps://registry.example.org/depd 12\n"), "{encoded}");
}

#[test]
fn blanks_that_align_are_written_as_a_column() {
    let text = log(24, |n, line| {
        let test =
            format!("tests/test_orders.py::test_total{}_{n} PASSED", "_and_sum".repeat(n % 5));
        let _ = write!(line, "{test:<72} [ {}%]", 10 + n);
    });
    let encoded = encode(&text).unwrap();
    assert!(encoded.contains("A= tests/test_orders.py::* PASSED\u{2192}73[ *%]\ntest_total_0 10\ntest_total_and_sum_1 11\n"), "{encoded}");
    assert_roundtrip(&text);
}

#[test]
fn lines_that_only_begin_alike_share_a_head() {
    let words = [
        "one",
        "two words",
        "a third, longer",
        "x = y",
        "(five)",
        "six? yes",
        "seven: 7; 8",
        "eight",
    ];
    let text = log(8, |n, line| {
        let _ = write!(line, "May  6 10:00:0{n} host-a daemon.service[2{n}]: {}", words[n]);
    });
    let encoded = encode(&text).unwrap();
    assert!(
        encoded.contains(
            "A= * host-a daemon.service[*]: *\nMay  6 10:00:00 20 one\nMay  6 10:00:01 21 two words\n"
        ),
        "{encoded}"
    );
    assert_roundtrip(&text);
}

#[test]
fn prose_programs_and_short_texts_are_left_alone() {
    let program = include_str!("../../src/stages/templates/split.rs");
    let prose = include_str!("../../../../ARCHITECTURE.md");
    for text in ["", "\n", "one line", "a\nb\nc\n", program, prose] {
        assert_eq!(encode(text), None);
    }
}

/// A legend that announces a sign for the value above.
fn legend() -> String {
    let text = log(9, |n, line| {
        let _ = write!(
            line,
            "10:00:0{n} request {n} served from the cache by worker 1{} in time",
            n / 4
        );
    });
    let encoded = encode(&text).expect("a log");
    encoded.lines().next().expect("a log").to_owned()
}

#[test]
fn what_it_did_not_write_is_not_read() {
    let legend = legend();
    for text in [
        "".to_owned(),
        "[Forge templates: something else]\nA= x\n".to_owned(),
        legend.clone(),
        // A row has too few values, or refers to a row that is not there.
        format!("{legend}\nA= x * y *\n1\n"),
        format!("{legend}\nA= x * y *\n~ 1\n"),
    ] {
        assert_eq!(decode(&text), None, "{text}");
    }
}

#[test]
fn a_small_text_does_not_become_a_huge_one() {
    let text = format!("{}\nA= {}\n{}", legend(), "x".repeat(1 << 20), "A\n".repeat(1 << 20));
    assert_eq!(decode(&text), None);
}

#[test]
fn lines_that_look_like_the_notation_come_back() {
    let mut text = log(40, |n, line| {
        let _ = match n % 8 {
            0 => write!(line, "A 1 2"),
            1 => write!(line, "= text"),
            2 => write!(line, "B= x * y"),
            3 => write!(line, "~ ~1 \"as above\" ^"),
            4 => write!(line, "A"),
            _ => write!(
                line,
                "the * of ~{n} and \u{2192}{n} took {n} ms in module number {n} of the system"
            ),
        };
    });
    assert!(encode(&text).is_some());
    assert_roundtrip(&text);
    text.truncate(text.len() - 1);
    assert_roundtrip(&text);
    assert_roundtrip(&text.replace('\n', "\r\n"));
}

#[test]
fn hostile_texts_come_back_in_bounded_time() {
    let distinct: String = (0..100_000).map(|n| format!("{:x}\n", n * 7919)).collect();
    let brackets = "a[".repeat(1 << 19);
    let wide = log(200, |n, line| {
        line.extend((0..900).flat_map(|c| [format!("f{}", c * n % 7), " ".repeat(1 + c % 3)]))
    });
    for text in [
        "x".repeat(1 << 20),
        " ".repeat(1 << 20),
        "\n".repeat(1 << 20),
        "7 ".repeat(1 << 19),
        "a=".repeat(1 << 19),
        "1:".repeat(1 << 19),
        "a b c d\n".repeat(1 << 17),
        "12:00:00 x\n".repeat(1 << 16),
        brackets,
        distinct,
        wide,
    ] {
        assert_roundtrip(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn composed_logs_come_back(lines in prop::collection::vec(line(), 0..40), end in "\r?\n", last in any::<bool>()) {
        let mut text = lines.join(&end);
        if last {
            text.push_str(&end);
        }
        assert_roundtrip(&text);
    }

    #[test]
    fn any_text_comes_back(text in "(?s).{0,400}") {
        assert_roundtrip(&text);
    }

    #[test]
    fn repeated_pieces_come_back(pieces in prop::collection::vec("[-A-C=~*\\[\\]:., \t\u{2192}\u{e9}0-2T/\"\r\n]{1,12}", 1..6), picks in prop::collection::vec(0usize..6, 1..60)) {
        let text: String = picks.iter().filter_map(|&pick| pieces.get(pick)).map(String::as_str).collect();
        assert_roundtrip(&text);
        let lines: Vec<String> = picks.iter().map(|&pick| pieces.iter().cycle().skip(pick).take(4).cloned().collect::<String>().replace('\n', " and then ")).collect();
        assert_roundtrip(&lines.join("\n"));
    }

    #[test]
    fn no_text_makes_reading_fail_badly(body in "(?s)(([A-C]= ?|[A-C] |= |~[0-9]?|\u{2192}[0-9]{1,3}|\\*|[a-z ]{1,3}|\n)){0,40}", legend in 0usize..2) {
        let text = LOGS[legend];
        let encoded = encode(text).unwrap();
        let (legend, _) = encoded.split_once('\n').unwrap();
        let _ = decode(&format!("{legend}\n{body}"));
    }
}

const LOGS: [&str; 2] = [include_str!("logs/npm.txt"), include_str!("logs/pytest.txt")];

/// A line of one of a few shapes, with values that may contain what the notation uses.
fn line() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        3 => "[0-9]{1,4}",
        2 => "[a-z]{1,6}",
        1 => Just("~".to_owned()),
        1 => Just("A".to_owned()),
        1 => Just("=".to_owned()),
        1 => "[~*|^=\"A-C \u{2192}\u{2026}/:.-]{0,4}",
        1 => "\\PC{0,3}",
    ];
    let time = (0u8..3, 0u8..60).prop_map(|(minute, second)| format!("10:0{minute}:{second:02}"));
    (0usize..7, time, value.clone(), value).prop_map(|(shape, time, a, b)| match shape {
        0 => format!("[2024-05-06 {time},123] INFO [worker-{a}] finished the job named '{b}' without errors (main.rs)"),
        1 => format!("2024-05-06T{time}.5Z host app[{a}]: GET /index/{b} 200"),
        2 => format!("npm http fetch GET 200 https://registry.example.org/{a} {b}ms (cache miss)"),
        3 => format!("{:<40} ok {b}", format!("tests/a.py::test_{a}")),
        4 => format!("A {a} {b}"),
        5 => format!("{time} {a} {b}"),
        _ => format!("= {a}"),
    })
}

#[test]
fn recorded_logs_lose_tokens_and_nothing_else() {
    let mut less = Vec::new();
    for (name, text, at_least) in [
        ("access", include_str!("logs/access.txt"), 0.40),
        ("cargo_test", include_str!("logs/cargo_test.txt"), 0.05),
        ("dpkg", include_str!("logs/dpkg.txt"), 0.25),
        ("journal", include_str!("logs/journal.txt"), 0.25),
        ("npm", include_str!("logs/npm.txt"), 0.25),
        ("pytest", include_str!("logs/pytest.txt"), 0.40),
        ("strace", include_str!("logs/strace.txt"), 0.25),
    ] {
        let saved = share_saved(text);
        println!("{name}: {:.0} %", saved * 100.0);
        less.extend((saved < at_least).then(|| format!("{name} saves {saved:.2}")));
    }
    assert!(less.is_empty(), "{less:?}");
}
