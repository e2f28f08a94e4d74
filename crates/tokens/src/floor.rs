//! A lower bound: how many tokens a text has at least, seen from its bytes alone.
//!
//! A tokenizer first splits text into pieces by a pattern, and every piece is at least one token. These are pieces, or
//! parts of different ones, in all embedded patterns:
//!
//! - a run of ASCII letters. Not the letters after an apostrophe: `don't` may be one piece.
//! - up to three ASCII digits in a row.
//! - a run of ASCII punctuation, unless it is one character before a letter, which may open the piece of the word, or
//!   begins a line with a slash, which may belong to the piece that ended the line before.
//! - a line end after a letter or a digit, with the blanks and line ends that follow it.
//! - the spaces and tabs before a digit. DeepSeek cuts digits out first, so that there they are one piece; in the others
//!   the last of several is a piece of its own.
//! - all but the last of those before a letter or punctuation, which may be part of what it opens.
//!
//! Next to a character of another kind the split is uncertain, and nothing is counted.

use crate::Vocabulary;
use wide::u8x16;

/// Bytes looked at together.
const BLOCK: usize = 64;

/// A number of tokens that the text has at least.
pub(crate) fn tokens(vocabulary: Vocabulary, text: &str) -> usize {
    let cuts_digits_out = vocabulary.cuts_digits_out();
    // Nothing that a piece could have begun with is before the text.
    let mut before = ByteKinds { sure: u64::MAX, ..ByteKinds::default() };
    let mut count = 0_isize;
    // One blank at least follows the text, so that what ends with it is seen to end.
    for at in (0..=text.len()).step_by(BLOCK) {
        let mut block = ByteKinds::at(text.as_bytes(), at);
        count += block.tokens(&before, cuts_digits_out);
        before = block;
    }
    usize::try_from(count).unwrap_or(0)
}

/// What each byte of a block is: a bit for each, the first byte lowest.
#[derive(Default)]
struct ByteKinds {
    letters: u64,
    digits: u64,
    punctuation: u64,
    apostrophes: u64,
    slashes: u64,
    line_ends: u64,
    spaces: u64,
    /// It is known what every pattern takes it for.
    sure: u64,
    /// The first digit of a number, and every third after it.
    thirds: u64,
}

impl ByteKinds {
    #[inline]
    fn at(text: &[u8], at: usize) -> Self {
        let rest = text.get(at..).unwrap_or_default();
        rest.first_chunk().map_or_else(|| Self::of(&pad(rest)), Self::of)
    }

    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let mut kinds = ByteKinds::default();
        let (quarters, _) = block.as_chunks::<16>();
        for (quarter, &bytes) in quarters.iter().enumerate() {
            let bits = |kind: u8x16| u64::from(kind.to_bitmask()) << (quarter * 16);
            let bytes = u8x16::new(bytes);
            let letters = within(bytes | u8x16::splat(0x20), b'a', b'z');
            let digits = within(bytes, b'0', b'9');
            let visible = within(bytes, b'!', b'~');
            let space = bytes.simd_eq(u8x16::splat(b' '));
            let blank = within(bytes, b'\t', b'\r') | space;
            kinds.letters |= bits(letters);
            kinds.digits |= bits(digits);
            kinds.punctuation |= bits(visible & !(letters | digits));
            kinds.apostrophes |= bits(bytes.simd_eq(u8x16::splat(b'\'')));
            kinds.slashes |= bits(bytes.simd_eq(u8x16::splat(b'/')));
            kinds.line_ends |=
                bits(bytes.simd_eq(u8x16::splat(b'\n')) | bytes.simd_eq(u8x16::splat(b'\r')));
            kinds.spaces |= bits(space | bytes.simd_eq(u8x16::splat(b'\t')));
            kinds.sure |= bits(visible | blank);
        }
        kinds
    }

    /// How many pieces begin with a letter, a digit or a blank, and how often punctuation has ended that no slash began a
    /// line with. Less than nothing where such a slash is in this block and the end of its run is not.
    #[inline]
    fn tokens(&mut self, before: &ByteKinds, cuts_digits_out: bool) -> isize {
        let last = |kind: fn(&ByteKinds) -> u64| kind(self) << 1 | kind(before) >> 63;
        let second_last = |kind: fn(&ByteKinds) -> u64| kind(self) << 2 | kind(before) >> 62;
        let is_sure = last(|kinds| kinds.sure);
        let words = self.letters
            & !last(|kinds| kinds.letters)
            & !last(|kinds| kinds.apostrophes)
            & is_sure;
        let ended = last(|kinds| kinds.punctuation)
            & !self.punctuation
            & (!self.letters | second_last(|kinds| kinds.punctuation))
            & self.sure;
        let on_a_new_line =
            last(|kinds| kinds.slashes) & second_last(|kinds| kinds.line_ends) & !self.letters;
        let line_ends = self.line_ends & last(|kinds| kinds.letters | kinds.digits);
        let spaces = last(|kinds| kinds.spaces);
        let several_spaces = spaces & second_last(|kinds| kinds.spaces);
        let spaces_before_digit = spaces & self.digits;
        let split = if cuts_digits_out { 0 } else { self.digits };
        let other_spaces = several_spaces & (self.letters | self.punctuation | split);
        let digits = last(|kinds| kinds.digits);
        let is_third = self.digits & digits & second_last(|kinds| kinds.digits);
        self.thirds = self.digits & !digits & is_sure;
        let mut next = (self.thirds << 3 | before.thirds >> 61) & is_third;
        while next != 0 {
            self.thirds |= next;
            next = next << 3 & is_third;
        }
        let begun = [words, self.thirds, line_ends, spaces_before_digit, other_spaces, ended]
            .map(u64::count_ones);
        begun.iter().sum::<u32>() as isize - on_a_new_line.count_ones() as isize
    }
}

#[inline]
fn within(bytes: u8x16, first: u8, last: u8) -> u8x16 {
    let from_first = bytes - u8x16::splat(first);
    from_first.min(u8x16::splat(last - first)).simd_eq(from_first)
}

#[cold]
fn pad(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use crate::texts::Texts;

    #[test]
    fn decision_1_no_vocabulary_has_fewer_tokens_for_any_text() {
        let mut texts = Texts::new(5);
        for _ in 0..3000 {
            let text = texts.next_text();
            for vocabulary in Vocabulary::ALL {
                let count = vocabulary.table().count(&text);
                let floor = tokens(*vocabulary, &text);
                assert!(floor <= count, "{vocabulary}: {count} for {text:?}");
            }
        }
    }

    /// Every kind of byte next to every other, in every order.
    #[test]
    fn decision_1_no_vocabulary_has_fewer_tokens_for_any_short_text() {
        const KINDS: [char; 13] =
            ['s', '1', '.', '/', '\'', '\n', ' ', '\t', '\r', 'é', '\u{a0}', '٣', '—'];
        for (kinds, length) in [(9, 5), (KINDS.len(), 4)] {
            for number in 0..kinds.pow(length) {
                let kinds = (0..length).map(|at| KINDS[number / kinds.pow(at) % kinds]);
                let text: String = kinds.collect();
                for vocabulary in Vocabulary::ALL {
                    let count = vocabulary.table().count(&text);
                    let floor = tokens(*vocabulary, &text);
                    assert!(floor <= count, "{vocabulary}: {count} for {text:?}");
                }
            }
        }
    }

    #[test]
    fn runs_are_counted_once() {
        for (text, expected) in [
            ("", 0),
            ("x", 1),
            ("--", 1),
            ("two words", 2),
            ("don't", 1),
            ("x1 = y", 4),
            ("x 1", 3),
            ("x  y", 3),
            ("x  1", 4),
            ("12 1234 1234567", 8),
            ("one\ntwo\r\n\n  three.\n", 7),
            (&"7".repeat(1000), 334),
            (r#"{"id":1,"name":"ada","ok":true}"#, 13),
            ("naïve", 1),
            ("—,,—", 0),
            (".\n/", 1),
            (".\n//.x", 2),
            ("/etc\n/usr/bin\n", 5),
            (&"word, ".repeat(1000), 2000),
        ] {
            assert_eq!(tokens(Vocabulary::O200k, text), expected, "{text}");
        }
    }

    #[test]
    fn in_json_it_is_close() {
        let rows = (0..100).map(|n| format!(r#"{{"id":{n},"name":"user {n}","ok":true}}"#));
        let text = rows.collect::<Vec<_>>().join(",");
        let count = Vocabulary::O200k.table().count(&text);
        let floor = tokens(Vocabulary::O200k, &text);
        assert!(floor * 10 > count * 9, "{floor} of {count}");
    }
}
