//! One notation at a time: what the model reads is never a notation over another, and nothing that it copies is split.

use proptest::prelude::*;
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Output, Settings};
use tokenforge_formats::Form;
use tokenforge_samples::recorded;

const NOTATIONS: [&str; 4] = ["path_headings", "repeated_columns", "log_templates", "dictionary"];

fn compress(text: &str, tool: &str, arguments: &str, mode: Mode) -> CompressedOutput {
    let settings = Settings { mode, ..Settings::default() };
    let output = Output { text, tool, arguments, call: None, is_error: false };
    Engine::new(&settings).with_trace().compress(&output, &History::default())
}

fn notations(compressed: &CompressedOutput) -> Vec<&'static str> {
    let applied = compressed.steps.iter().filter(|step| step.is_applied());
    applied.map(|step| step.stage).filter(|stage| NOTATIONS.contains(stage)).collect()
}

#[test]
fn d7_one_text_gets_one_notation() {
    for output in recorded() {
        for mode in [Mode::Lossless, Mode::Standard, Mode::Aggressive] {
            let compressed = compress(&output.text, &output.tool, &output.arguments, mode);
            let notations = notations(&compressed);
            assert!(notations.len() < 2, "{} in {mode}: {notations:?}", output.name);
            let is_json = compressed.steps.iter().any(|step| {
                let is_json = matches!(step.stage, "json" | "json_lines") && step.is_applied();
                let is_form = |after: &str| !after.trim_ascii_start().starts_with(['{', '[']);
                is_json && step.texts.as_ref().is_some_and(|texts| is_form(&texts.1))
            });
            assert!(!is_json || notations.is_empty(), "{} in {mode}: {notations:?}", output.name);
        }
    }
}

/// Rows as a search over an issue tracker gives them: times, URLs and paths that begin alike.
fn rows() -> String {
    let row = |n: usize| {
        format!(
            r#"{{"id":{n},"at":"2026-03-25T16:{:02}:00Z","url":"https://example.com/r/{n}","file":"src/part{}/a{n}.rs","by":"ann"}}"#,
            n % 60,
            n / 9
        )
    };
    format!("[{}]", (0..60).map(row).collect::<Vec<_>>().join(","))
}

#[test]
fn d7_times_urls_and_paths_of_json_rows_are_not_cut_by_text_stages() {
    let compressed = compress(&rows(), "search", "{}", Mode::Standard);
    let text = compressed.text("");
    assert!(text.starts_with("stc2"), "{text}");
    let applied = compressed.steps.iter().filter(|step| step.is_applied());
    assert_eq!(applied.map(|step| step.stage).collect::<Vec<_>>(), ["json"]);
    assert_eq!(tokenforge_formats::decode_any(text, usize::MAX).unwrap(), rows());
}

#[test]
fn d7_a_time_is_whole_in_a_heading_a_template_and_a_pattern() {
    let log: String = (0..40)
        .map(|n| format!("2026-03-25T16:{:02}:{:02}Z worker-{} finished job {n} of the queue default in {}ms\n", n / 2, n % 60, n % 3, n * 7))
        .collect();
    let syslog: String = (0..40)
        .map(|n| format!("Mar 25 16:{:02}:01 host sshd[{}]: Accepted publickey for git from 10.0.0.{n} port 22\n", n % 60, 300 + n))
        .collect();
    let listing: String = (0..40)
        .map(|n| format!("-rw-r--r-- 1 root root {} Nov 15 {:02}:24 part{n}.rs\n", n * 31, n % 24))
        .collect();
    for text in [log, syslog, listing] {
        let compressed = compress(&text, "Bash", r#"{"command":"./run"}"#, Mode::Aggressive);
        let shown = compressed.text(&text);
        for line in text.lines() {
            let at = line.find("16:").or(line.find(":24").map(|at| at - 2)).unwrap();
            let start = line.find("2026").or(line.find("Mar")).or(line.find("Nov")).unwrap();
            let end = line[at..].find(' ').unwrap() + at;
            assert!(shown.contains(&line[start..end]), "{:?} is not in {shown}", &line[start..end]);
        }
    }
}

#[test]
fn d7_urls_are_no_paths() {
    let text: String = (0..40)
        .map(|n| format!("https://example.com/docs/guide/chapter{n}/index.html\n"))
        .collect();
    let compressed = compress(&text, "fetch_links", "{}", Mode::Aggressive);
    let shown = compressed.text(&text);
    assert!(text.lines().all(|line| shown.contains(line)), "{shown}");
}

#[test]
fn d82_a_heading_has_the_whole_path() {
    let matches: String = (0..60)
        .map(|n| {
            format!(
                "crates/engine/src/stages/part{}.rs:{n}:    let value = compute({n});\n",
                n / 10
            )
        })
        .collect();
    let files: String =
        (0..60).map(|n| format!("./crates/engine/src/part{}/file{n}.rs\n", n / 10)).collect();
    for (text, heading) in
        [(&matches, "crates/engine/src/stages/part3.rs"), (&files, "./crates/engine/src/part3/")]
    {
        let compressed = compress(text, "Bash", r#"{"command":"rg -n compute"}"#, Mode::Lossless);
        let shown = compressed.text(text);
        assert_eq!(notations(&compressed), ["path_headings"]);
        assert!(shown.lines().any(|line| line == heading), "{shown}");
    }
}

#[test]
fn d83_lines_of_ours_are_not_rows() {
    for output in recorded() {
        for mode in [Mode::Standard, Mode::Aggressive] {
            let compressed = compress(&output.text, &output.tool, &output.arguments, mode);
            for step in compressed.steps.iter().filter(|step| NOTATIONS.contains(&step.stage)) {
                let Some(texts) = &step.texts else { continue };
                let ours = texts.0.lines().filter(|line| line.starts_with("[Forge "));
                for line in ours {
                    let is_whole = |other: &str| other.strip_prefix("= ").unwrap_or(other) == line;
                    assert!(texts.1.lines().any(is_whole), "{}: {line}", output.name);
                }
            }
        }
    }
}

#[test]
fn a_notation_that_saves_less_than_a_fifth_is_not_used() {
    let text: String = (0..60)
        .map(|n| {
            format!(
                "note {n}: {} went from {} to {}\n",
                "a long sentence that nothing else says ".repeat(1 + n % 2),
                n * 31,
                n * 77
            )
        })
        .collect();
    let compressed = compress(&text, "Bash", r#"{"command":"./run"}"#, Mode::Lossless);
    for step in compressed.steps.iter().filter(|step| step.is_applied()) {
        let (before, after) = step.tokens.unwrap();
        assert!(!NOTATIONS.contains(&step.stage) || 5 * (before - after) >= before, "{step:?}");
    }
}

#[test]
fn d80_strings_in_a_list_are_set_apart() {
    let user = |n: usize| {
        format!(
            r#"{{"user_id": "mia_li_{n}", "name": {{"first": "Mia", "last": "Li"}}, "membership": "gold", "reservations": ["UM3OG{n}", "5RJ7UH", "FQ8APE"]}}"#
        )
    };
    let text = &format!("[{}]", (0..12).map(user).collect::<Vec<_>>().join(",\n  "));
    let minified = tokenforge_engine::internals::json::minify(text);
    for mode in [Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let json_formats = vec![Form::Json, Form::Stc];
        let settings = Settings { mode, json_formats, ..Settings::default() };
        let output =
            Output { text, tool: "get_user", arguments: "{}", call: None, is_error: false };
        let compressed = Engine::new(&settings).compress(&output, &History::default());
        let shown = compressed.text(text);
        assert!(shown.starts_with("stc2 (JSON"), "{shown}");
        assert!(shown.contains(r#"["UM3OG7" "#), "{shown}");
        assert!(!shown.contains("UM3OG7 5RJ7UH"), "{shown}");
        assert_eq!(tokenforge_formats::decode_any(shown, usize::MAX).unwrap(), minified);
    }
}

/// A timestamp, URL or number that has to stay whole.
fn unit(kind: usize, number: u32) -> String {
    let (a, b) = (10 + number % 50, 10 + number / 50 % 50);
    match kind {
        0 => format!("2020-12-01T20:{b}:{a}.3Z"),
        1 => format!("2020-12-01 20:{b}:{a},{a}7"),
        2 => format!("04/Dec/2020:10:{b}:{a}"),
        3 => format!("https://example.com/docs/part{b}/page{number}.html?x={a}"),
        4 => format!("http://10.20.30.{a}:8080/a/{number}"),
        5 => format!("-1234.{number}"),
        6 => format!("1,234,{number}"),
        7 => format!("{number}.{a}e+{b}"),
        _ => format!("10.20.{b}.{a}"),
    }
}

/// A text as the engine forwards it with each of the notations for mode lossless alone.
fn notated(text: &str) -> impl Iterator<Item = (&'static str, String)> {
    const LOSSLESS: [&str; 3] = ["path_headings", "repeated_columns", "log_templates"];
    LOSSLESS.into_iter().map(move |name| {
        let others = LOSSLESS.into_iter().filter(|other| *other != name);
        let skip_stages = others.map(str::to_owned).collect();
        let settings = Settings { mode: Mode::Lossless, skip_stages, ..Settings::default() };
        let output = Output { text, tool: "Bash", arguments: "{}", call: None, is_error: false };
        let compressed = Engine::new(&settings).compress(&output, &History::default());
        (name, compressed.text(text).to_owned())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f20_no_notation_cuts_a_timestamp_url_or_number(
        kind in 0_usize..9,
        start in 0_u32..100_000,
        step in 1_u32..90,
        shape in 0_usize..6,
    ) {
        let units: Vec<String> = (0..40).map(|n| unit(kind, start + n * step)).collect();
        let line = |(n, unit): (usize, &String)| match shape {
            0 => format!("{unit} INFO worker finished job {n} of the queue\n"),
            1 => format!("INFO worker {} at {unit} finished job\n", n % 3),
            2 => format!("src/part{}/a.rs:{n}: warning: see {unit} for the rest of it\n", n / 10),
            3 => format!("-rw-r--r-- 1 root root {unit} part{n}.rs\n"),
            4 => format!("{unit}\n"),
            _ => format!("key={} value={unit} state=open owner=ann\n", n % 4),
        };
        let text: String = units.iter().enumerate().map(line).collect();
        for (name, shown) in notated(&text) {
            for unit in &units {
                prop_assert!(shown.contains(&**unit), "{} is cut by {}:\n{}", unit, name, shown);
            }
        }
    }
}
