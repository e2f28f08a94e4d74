//! Normalised logs keep their lines, and every text is survived.

use proptest::prelude::*;
use tokenforge_engine::internals::normalize::apply;

#[test]
fn lines_that_differ_in_noise_only_become_equal() {
    let log = include_str!("logs/access.txt");
    let normal = apply(log).unwrap();
    let same = normal.lines().filter(|line| line.ends_with("\"GET / HTTP/1.1\" 200 -"));
    let mut same: Vec<&str> = same.collect();
    assert_eq!(same.len(), 25);
    same.dedup();
    assert_eq!(same.len(), 1);
}

#[test]
fn hostile_texts_are_survived_in_bounded_time() {
    for piece in
        ["1", "1:", "00:", "a", "/tmp/", "/", "[", "pid=", "0x", "\u{e9}", "1.", "\n", "May "]
    {
        let _ = apply(&piece.repeat((1 << 20) / piece.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn lines_stay_lines_and_nothing_is_normalised_twice(
        text in "([0-9]{1,3}|00:00:0[0-9]|2024-05-06[ T]|[.:,/\\[\\]=-]|pid|0x[0-9a-f]{6}|/tmp/a1b2c3|ms|s|\u{e9}|[a-z ]{1,3}|\r?\n){0,40}",
    ) {
        if let Some(normal) = apply(&text) {
            prop_assert_eq!(normal.matches('\n').count(), text.matches('\n').count() + 1);
            prop_assert_eq!(apply(&normal), None);
        }
    }
}
