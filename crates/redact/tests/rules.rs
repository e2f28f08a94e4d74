//! Every rule finds what it is for and leaves alone what it is not for.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use serde::Deserialize;
use tokenforge_redact::{Scanner, marker};

#[derive(Deserialize)]
struct Rules {
    token: Vec<Rule>,
    assigned: Vec<Rule>,
    url: Vec<Rule>,
    block: Vec<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    id: String,
    about: String,
    yes: Vec<String>,
    no: Vec<String>,
}

fn rules() -> Vec<Rule> {
    let Rules { token, assigned, url, block } =
        toml::from_str(include_str!("../src/secrets/rules.toml")).unwrap();
    [token, assigned, url, block].into_iter().flatten().collect()
}

/// A text as it is meant, and where in it the secret is.
fn read(example: &str) -> (String, std::ops::Range<usize>) {
    let text = example.replace('·', "");
    let start = text.find('«').unwrap_or(0);
    let text = text.replace('«', "");
    let end = text.find('»').unwrap_or(text.len());
    (text.replace('»', ""), start..end)
}

#[test]
fn every_rule_finds_its_examples_and_nothing_else() {
    let rules = rules();
    let mut wrong = vec![];
    for rule in &rules {
        assert!(!rule.yes.is_empty() && !rule.no.is_empty(), "{} lacks an example", rule.id);
        for example in &rule.yes {
            let (text, secret) = read(example);
            let found: Vec<_> = Scanner::builtin()
                .find(&text)
                .into_iter()
                .map(|found| (found.rule, found.range))
                .collect();
            if found != [(rule.id.as_str(), secret.clone())] {
                wrong.push(format!("{}: {text:?} {secret:?} gives {found:?}", rule.id));
            }
        }
        for example in &rule.no {
            let found = Scanner::builtin().find(&read(example).0);
            if !found.is_empty() {
                wrong.push(format!("{}: no {example:?} gives {found:?}", rule.id));
            }
        }
    }
    let count = |examples: fn(&Rule) -> usize| rules.iter().map(examples).sum::<usize>();
    println!(
        "{} rules, {} positive and {} negative examples",
        rules.len(),
        count(|r| r.yes.len()),
        count(|r| r.no.len())
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rules.len() >= 120);
}

#[test]
fn every_example_is_found_in_the_middle_of_a_text() {
    for rule in rules() {
        for example in &rule.yes {
            let (text, secret) = read(example);
            for (before, after) in [
                ("é\n", "\nnext line"),
                ("x = \"\", y = (", ")"),
                ("a\n\t", "\r\n"),
                ("12→", "\n13→x"),
            ] {
                let found = Scanner::builtin().find(&format!("{before}{text}{after}"));
                let place = secret.start + before.len()..secret.end + before.len();
                assert!(
                    matches!(&found[..], [one] if one.range == place),
                    "{} {before:?} {found:?}",
                    rule.id
                );
            }
        }
    }
}

#[test]
fn ids_are_unique_and_fit_into_a_marker() {
    let rules = rules();
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), rules.len());
    assert_eq!(ids, Scanner::builtin().rules().collect());
    for rule in &rules {
        assert!(
            rule.id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')),
            "{}",
            rule.id
        );
        assert!(marker(&rule.id).len() <= 60 && !rule.about.is_empty(), "{}", rule.id);
    }
}

#[test]
fn redacting_an_example_leaves_nothing_to_redact() {
    for rule in rules() {
        for example in &rule.yes {
            let (text, secret) = read(example);
            let redacted = Scanner::builtin().redact(&text).unwrap();
            let expected =
                format!("{}{}{}", &text[..secret.start], marker(&rule.id), &text[secret.end..]);
            assert_eq!(redacted.text, expected);
            assert_eq!(Scanner::builtin().redact(&redacted.text), None, "{}", rule.id);
        }
    }
}
