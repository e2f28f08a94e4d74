//! Text similarity: the Sørensen–Dice coefficient of the words of two texts.

use std::collections::HashMap;

/// Of longer texts only so many words are looked at.
const MOST_WORDS: usize = 4000;

/// How alike two texts are: twice the words they share, by all their words, each counted as often as it occurs. 1 for the
/// same words in any order, 0 for no word in common. Words are runs of letters and digits, without their case.
///
/// Models say the same thing in other words each time. An edit distance takes a sentence that moved for a difference, and
/// costs the product of both lengths.
#[must_use]
pub fn similarity(one: &str, other: &str) -> f64 {
    let mut counts: HashMap<String, i64> = HashMap::new();
    let mut all = 0_u64;
    for word in words(one) {
        *counts.entry(word).or_default() += 1;
        all += 1;
    }
    let mut shared = 0_u64;
    for word in words(other) {
        all += 1;
        if let Some(left) = counts.get_mut(&word).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    // Texts without a word have only their spelling.
    match all {
        0 if one.trim() == other.trim() => 1.0,
        0 => 0.0,
        all => 2.0 * shared as f64 / all as f64,
    }
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).take(MOST_WORDS).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_often_as_they_occur_wherever_they_stand() {
        for (one, other, expected) in [
            ("The test fails.", "fails the TEST", 1.0),
            ("a a b", "a b", 0.8),
            ("nothing here", "something else", 0.0),
            ("", "", 1.0),
            ("!", "?", 0.0),
            ("", "word", 0.0),
        ] {
            assert!((similarity(one, other) - expected).abs() < 1e-9, "{one} / {other}");
            assert_eq!(similarity(one, other), similarity(other, one));
        }
    }
}
