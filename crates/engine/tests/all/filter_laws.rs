//! The laws of every filter, over recorded outputs and random changes of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use tokenforge_engine::filter::{FamilyFilter, FilterSet};
use tokenforge_laws::filter as laws;

/// Inputs of the built-in filters' own tests: recorded output of real tools.
fn recorded_texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/filters");
    let mut inputs = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let filter: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
            let tests =
                filter.get("tests").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            inputs.extend(tests.iter().map(|test| test["input"].as_str().unwrap().to_owned()));
        }
    }
    inputs.into_iter().collect()
}

/// A filter that uses every operation, on words that occur in every log.
fn everything() -> FamilyFilter {
    let text = r#"
        name = "everything"
        family = "test"
        keep = ['test result']
        truncate = 60
        head = 12
        tail = 6
        [match]
        programs = ["x"]
        [[strip]]
        say = "line{s} with an e"
        lines = ['e']
        except = ['E']
        fold = "run"
        [[strip]]
        say = "repeated line{s}"
        repeated = true
        [[strip]]
        say = "list{s}"
        from = '^\S'
        to = '\d'
        lines = ['^ +-']
        headings = ['.']
        certain = true
        [[replace]]
        say = "numbers"
        pattern = '(\d)\d+'
        with = '$1'
    "#;
    FamilyFilter::parse("everything.toml", text).unwrap()
}

/// Recorded output, spoiled: lines cut, doubled, moved from another output, line ends changed, junk inserted.
fn spoiled_text() -> impl Strategy<Value = String> {
    let change = (0..7_u8, any::<Index>(), any::<Index>());
    (select(recorded_texts()), select(recorded_texts()), prop::collection::vec(change, 0..6))
        .prop_map(|(mut text, other, changes)| {
            for (kind, at, to) in changes {
                text = spoil(&text, &other, kind, at, to);
            }
            text
        })
}

fn spoil(text: &str, other: &str, kind: u8, at: Index, to: Index) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let (at, other_lines) = (at.index(lines.len()), other.split('\n').collect::<Vec<_>>());
    match kind {
        0 => lines.truncate(at),
        1 => lines.splice(at..at, other_lines).for_each(drop),
        2 => return text.replace('\n', "\r\n"),
        3 => lines.insert(at, "\0\u{1b}[31m é ✔ \u{202e}"),
        4 => lines.insert(at, ""),
        5 => lines = lines.iter().cycle().skip(at).take(lines.len() * 2).copied().collect(),
        _ => return text.chars().take(to.index(text.len() + 1)).collect(),
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_filter_keeps_the_laws_on_spoiled_output(text in spoiled_text()) {
        for filter in FilterSet::builtin().iter() {
            laws::filter(filter, &text);
        }
        laws::filter(&everything(), &text);
    }

    #[test]
    fn every_filter_keeps_the_laws_on_any_text(text in "(?s).{0,200}") {
        for filter in FilterSet::builtin().iter() {
            laws::filter(filter, &text);
        }
        laws::filter(&everything(), &text);
    }

    #[test]
    fn lines_that_stay_are_lines_of_the_output_in_order(text in spoiled_text()) {
        for filter in FilterSet::builtin().iter() {
            let Some(filtered) = filter.apply(&text) else { continue };
            let mut original = text.split_terminator('\n');
            for line in filtered.text.split_terminator('\n').filter(|line| !line.starts_with("[Forge ")) {
                prop_assert!(original.any(|candidate| candidate == line), "{} made up {line:?}", filter.name());
            }
        }
    }

    #[test]
    fn a_filter_that_is_not_one_is_an_error_and_no_panic(text in r#"(?s)(name = "a"\n|family = "b"\n|\[match\]\n|programs = \["x"\]\n|\[\[strip\]\]\n|say = "s"\n|lines = \['[(a-z]{1,3}'\]\n|.){0,12}"#) {
        let _ = FamilyFilter::parse("x.toml", &text);
    }
}

#[test]
fn hostile_texts_are_harmless() {
    let texts = [
        String::new(),
        "\n".repeat(50_000),
        "x".repeat(300_000),
        " ".repeat(300_000),
        "[".repeat(100_000),
        "test a ... ok\n".repeat(20_000),
        "  a\n".repeat(20_000),
        (0..2_000).map(|depth| format!("{}x\n", " ".repeat(depth % 500))).collect(),
        "_ ".repeat(100_000),
        "    ✔ \r".repeat(20_000),
    ];
    for text in &texts {
        for filter in FilterSet::builtin().iter() {
            laws::filter(filter, text);
        }
        laws::filter(&everything(), text);
    }
}
