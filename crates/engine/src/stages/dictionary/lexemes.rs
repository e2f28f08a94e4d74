//! The words, numbers, punctuation and line ends of a text, ready to be searched.

use std::ops::Range;

use super::MAX_INPUT;
use super::cuts::{ByteClass, cuts, kind_at};
use crate::lexeme;

/// Repeats are looked for at so many lexemes. Of nearly every text that is all; of one that is nothing but short numbers
/// and blanks the rest stays as it is.
const MAX_STARTS: usize = 14_000;

/// A place in a text, counted in bytes or lexemes. Small, since tables of them decide how fast a text is searched.
pub(super) type LexemeIndex = u16;

const _: () = assert!(MAX_INPUT < LexemeIndex::MAX as usize);

/// The lexemes of a text.
pub(super) struct Lexemes<'t> {
    text: &'t str,
    /// Where each of them begins, and where the last one ends.
    cuts: Vec<LexemeIndex>,
    /// The hash of all that is before each cut.
    hashes: Vec<u64>,
    /// The line ends before each cut.
    lines: Vec<u16>,
}

impl<'t> Lexemes<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut cuts = cuts(bytes);
        leave_whole(text, &mut cuts);
        let (mut hashes, mut lines) = (vec![0; cuts.len()], vec![0; cuts.len()]);
        let (mut hash, mut newlines) = (0u64, 0);
        for (index, cut) in cuts.windows(2).enumerate() {
            let (lexeme, length) = (&bytes[usize::from(cut[0])..], usize::from(cut[1] - cut[0]));
            hash = hash.wrapping_mul(BASE).wrapping_add(hash_of(lexeme, length));
            if kind_at(lexeme, 0) == ByteClass::Newline {
                newlines += memchr::memchr_iter(b'\n', &lexeme[..length]).count().max(1) as u16;
            }
            hashes[index + 1] = hash;
            lines[index + 1] = newlines;
        }
        Lexemes { text, cuts, hashes, lines }
    }

    pub(super) fn count(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The text that they are of.
    pub(super) fn whole(&self) -> &'t str {
        self.text
    }

    /// Where some lexemes are in the text, in bytes.
    pub(super) fn span(&self, lexemes: Range<usize>) -> Range<usize> {
        self.cuts[lexemes.start].into()..self.cuts[lexemes.end].into()
    }

    pub(super) fn text(&self, lexemes: Range<usize>) -> &'t str {
        &self.text[self.span(lexemes)]
    }

    /// How many line ends there are in some lexemes.
    pub(super) fn newlines(&self, lexemes: Range<usize>) -> u16 {
        self.lines[lexemes.end] - self.lines[lexemes.start]
    }

    /// The lexemes that a repeat is looked for at: words and numbers, with the blanks before them.
    pub(super) fn starts(&self) -> Vec<LexemeIndex> {
        let bytes = self.text.as_bytes();
        let is_start = |cut: LexemeIndex| {
            !matches!(
                kind_at(bytes, cut.into()),
                ByteClass::Mark | ByteClass::Newline | ByteClass::End
            )
        };
        let mut starts = vec![0; self.cuts.len()];
        let mut count = 0;
        for (lexeme, &cut) in self.cuts.iter().enumerate() {
            starts[count] = lexeme as LexemeIndex;
            count += usize::from(is_start(cut));
        }
        starts.truncate(count.min(MAX_STARTS));
        starts
    }

    /// What hashes so many lexemes from a given one on.
    pub(super) fn hasher(&self, length: usize) -> impl Fn(usize) -> u32 {
        let power = BASE.wrapping_pow(length as u32);
        move |start| {
            let before = self.hashes[start].wrapping_mul(power);
            (mix(self.hashes[start + length].wrapping_sub(before)) >> 32) as u32
        }
    }

    /// The parts of some lexemes that have no more line ends than allowed, one after the other; a part that would be
    /// too short is left out.
    pub(super) fn split_at_newlines(
        &self,
        lexemes: Range<usize>,
        shortest: usize,
        max_newlines: u16,
    ) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = lexemes.start;
        while start + shortest <= lexemes.end {
            let mut end = start;
            while end < lexemes.end && self.newlines(start..end + 1) <= max_newlines {
                end += 1;
            }
            if end - start >= shortest {
                parts.push(start..end);
            }
            start = end.max(start + 1);
        }
        parts
    }
}

/// Takes away the cuts inside of timestamps, URLs and numbers: an entry has all of one, or nothing.
fn leave_whole(text: &str, cuts: &mut Vec<LexemeIndex>) {
    let mut spans = lexeme::spans(text).peekable();
    cuts.retain(|&cut| {
        let cut = usize::from(cut);
        while spans.next_if(|span| span.end <= cut).is_some() {}
        spans.peek().is_none_or(|span| span.start >= cut)
    });
}

/// Odd, so that no factor is lost; otherwise any number with well mixed bits.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a lexeme, which begins a text.
fn hash_of(text: &[u8], length: usize) -> u64 {
    let mut hash = length as u64;
    for offset in (0..length).step_by(8) {
        let rest = &text[offset..];
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        let unused = 64 - 8 * (length - offset).min(8);
        hash = mix(hash ^ word << unused);
    }
    hash
}

/// Spreads what a number differs in over all its bits.
fn mix(number: u64) -> u64 {
    let product = number.wrapping_mul(BASE);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lexemes_have_the_same_hash_wherever_they_are() {
        let lexemes = Lexemes::new(
            "one two-three 4 internationalisation, then one two-three 4 internationalisation",
        );
        for length in 1..6 {
            let hash = lexemes.hasher(length);
            let text = |start| lexemes.text(start..start + length);
            let starts = 0..=lexemes.count() - length;
            for (a, b) in starts.clone().flat_map(|a| starts.clone().map(move |b| (a, b))) {
                assert_eq!(hash(a) == hash(b), text(a) == text(b), "{:?}, {:?}", text(a), text(b));
            }
        }
    }

    #[test]
    fn line_ends_are_counted_and_split_at() {
        let lexemes = Lexemes::new("a\r\nb\n\nc\rd");
        assert_eq!(lexemes.newlines(0..lexemes.count()), 4);
        let parts = lexemes.split_at_newlines(0..lexemes.count(), 1, 2);
        let parts: Vec<&str> = parts.into_iter().map(|part| lexemes.text(part)).collect();
        assert_eq!(parts, ["a\r\nb", "\n\nc", "\rd"]);
    }
}
