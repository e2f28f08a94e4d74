//! Seams: where a text may be cut without changing its count.
//!
//! A tokenizer first splits text into pieces by a pattern, then merges bytes inside each piece.
//! A cut where every pattern always ends one piece and begins the next, whatever surrounds it,
//! makes the count additive: the tokens of the whole are the tokens of the parts. Such a cut is
//! a *seam*. These hold for all embedded patterns:
//!
//! - a non-blank character, then a blank other than CR and LF: a blank can only open a piece or
//!   continue blanks. (CR and LF also end a run of punctuation.)
//! - a letter or digit of ASCII or a Han character, then anything surely neither letter, digit
//!   nor mark. The apostrophe is left out: `don't` may be one piece.
//! - an ASCII letter, then an ASCII digit, or the reverse: no piece holds both.
//!
//! The patterns look ahead only from blanks, and what precedes a seam never ends in one; none
//! looks behind. Hence neither side can tell that the other was there.

/// The first seam at or after byte `from`, or the end of the text.
pub(crate) fn at_or_after(text: &str, from: usize) -> usize {
    let start = text.floor_char_boundary(from);
    let (before, after) = text.split_at(start);
    let mut left = before.chars().next_back();
    for (offset, right) in after.char_indices() {
        if left.is_some_and(|left| is_seam(left, right)) {
            return start + offset;
        }
        left = Some(right);
    }
    text.len()
}

/// The last seam whose two neighbours lie in the first `shared` bytes, or 0.
pub(crate) fn last_inside(text: &str, shared: usize) -> usize {
    let shared = &text[..text.floor_char_boundary(shared)];
    let mut chars = shared.char_indices().rev().peekable();
    while let Some((offset, right)) = chars.next() {
        if chars.peek().is_some_and(|&(_, left)| is_seam(left, right)) {
            return offset;
        }
    }
    0
}

fn is_seam(left: char, right: char) -> bool {
    opens_blank(right) && !left.is_whitespace()
        || is_word(left) && is_stop(right)
        || left.is_ascii_alphabetic() && right.is_ascii_digit()
        || left.is_ascii_digit() && right.is_ascii_alphabetic()
}

fn opens_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\r' | '\n')
}

/// Surely a letter or a digit, in every pattern.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '一'..='龥')
}

/// Surely no part of a piece that began with a letter or a digit.
fn is_stop(c: char) -> bool {
    match c {
        '\'' => false,
        '、' | '。' | '，' | '！' | '？' | '：' | '；' => true,
        _ => c.is_ascii() && !c.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use crate::texts::Texts;

    /// Every text cut at all of its seams.
    fn parts(mut text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        while !text.is_empty() {
            let (part, rest) = text.split_at(at_or_after(text, 1));
            parts.push(part);
            text = rest;
        }
        parts
    }

    #[test]
    fn decision_1_cutting_at_every_seam_changes_no_count_of_any_vocabulary() {
        let mut texts = Texts::new(4);
        for _ in 0..3000 {
            let text = texts.next_text();
            for vocabulary in Vocabulary::ALL {
                let count = |text: &str| vocabulary.table().count(text);
                let sum: usize = parts(&text).into_iter().map(count).sum();
                assert_eq!(sum, count(&text), "{vocabulary}: {text:?}");
            }
        }
    }

    #[test]
    fn seams_are_where_words_end() {
        assert_eq!(
            parts("let x1 = \"don't\";\r\n中文。好"),
            ["let", " x", "1", " =", " \"don't", "\";\r\n中文", "。好"]
        );
    }

    #[test]
    fn the_last_seam_needs_both_neighbours_inside() {
        let text = "ab cd";
        assert_eq!(last_inside(text, 5), 2);
        assert_eq!(last_inside(text, 3), 2);
        assert_eq!(last_inside(text, 2), 0);
    }

    #[test]
    fn offsets_inside_a_character_are_met_halfway() {
        let text = "中文 x";
        for from in 0..=text.len() {
            assert!(text.is_char_boundary(at_or_after(text, from)));
            assert!(text.is_char_boundary(last_inside(text, from)));
        }
    }
}
