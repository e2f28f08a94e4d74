//! Incremental counting: a text piece by piece, stopping as soon as the answer is known.

use crate::interrupt::tick;
use crate::{Vocabulary, floor, seam};

/// Bytes counted between two looks at whether the answer is known already.
///
/// Small pieces do more than stop early. After every run of blanks outside ASCII the tokenizer
/// validates all the text that remains, which is quadratic: 200 KB with no-break spaces took it
/// 2.9 s in one go. In pieces the cost is bounded by the piece.
const STRIDE: usize = 2048;

/// No token of any vocabulary has more bytes. A bound, so that a word of a megabyte need not be merged to know that it
/// has more than a few tokens.
pub(crate) const LONGEST_TOKEN: usize = 1024;

/// A longer piece is cut where there is no seam: to merge a piece takes 28 bytes for each of its own. Its count may then be
/// larger, by less than one token in ten thousand.
const LONGEST_PIECE: usize = 64 << 10;

/// A text being counted.
#[derive(Debug)]
pub(crate) struct TokenMeter<'t> {
    vocabulary: Vocabulary,
    rest: &'t str,
    tokens: usize,
    examined: usize,
}

impl<'t> TokenMeter<'t> {
    pub(crate) fn new(vocabulary: Vocabulary, text: &'t str) -> Self {
        TokenMeter { vocabulary, rest: text, tokens: 0, examined: 0 }
    }

    /// The count of the whole text.
    pub(crate) fn finish(&mut self) -> usize {
        self.finish_with(|_| {})
    }

    /// The count of the whole text, telling `progress` after each piece how many bytes are done.
    pub(crate) fn finish_with(&mut self, mut progress: impl FnMut(usize)) -> usize {
        while !self.is_done() {
            self.step();
            progress(self.examined);
        }
        self.tokens
    }

    /// The count, unless it is more than `limit`. What surely has more tokens is not counted: of every piece a number is
    /// known that it has at least, and only those pieces are counted that it takes to pass the limit.
    pub(crate) fn finish_within(&mut self, limit: usize) -> Option<usize> {
        if limit >= self.at_most() {
            return Some(self.finish());
        }
        let mut floors = Vec::with_capacity(self.rest.len() / STRIDE + 1);
        let mut at_least = self.tokens;
        let mut rest = self.rest;
        while !rest.is_empty() {
            let (piece, others) = split_piece(rest);
            tick(piece.len());
            let floor = floor::tokens(self.vocabulary, piece).max(shortest(piece));
            floors.push(floor);
            at_least += floor;
            if at_least > limit {
                return None;
            }
            rest = others;
        }
        for floor in floors {
            at_least = at_least - floor + self.step();
            if at_least > limit {
                return None;
            }
        }
        Some(at_least)
    }

    /// Counts the next piece.
    fn step(&mut self) -> usize {
        let (piece, rest) = split_piece(self.rest);
        tick(piece.len());
        let tokens = self.vocabulary.table().count(piece);
        self.tokens += tokens;
        self.examined += piece.len();
        self.rest = rest;
        tokens
    }

    fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    fn at_least(&self) -> usize {
        self.tokens + shortest(self.rest)
    }

    /// No token is shorter than a byte.
    fn at_most(&self) -> usize {
        self.tokens + self.rest.len()
    }
}

/// A text up to the first seam past the stride, and what follows it.
fn split_piece(text: &str) -> (&str, &str) {
    let near = &text[..text.floor_char_boundary(LONGEST_PIECE)];
    text.split_at(seam::at_or_after(near, STRIDE))
}

/// A number of tokens that a text of its length has: only the empty one has none, and none is longer than the longest.
fn shortest(text: &str) -> usize {
    text.len().div_ceil(LONGEST_TOKEN)
}

/// Two texts being counted until it is known which has fewer tokens.
#[derive(Debug)]
pub(crate) struct TokenRace<'t> {
    a: TokenMeter<'t>,
    b: TokenMeter<'t>,
}

impl<'t> TokenRace<'t> {
    /// What both texts begin or end with costs both the same, so it is not counted at all: a
    /// stage that changed three lines of a long output is judged by those three lines.
    pub(crate) fn new(vocabulary: Vocabulary, a: &'t str, b: &'t str) -> Self {
        let head = seam::last_inside(a, shared_head(a.as_bytes(), b.as_bytes()));
        let (a, b) = (&a[head..], &b[head..]);
        let tail = a.len() - seam_in_tail(a, shared_tail(a.as_bytes(), b.as_bytes()));
        TokenRace {
            a: TokenMeter::new(vocabulary, &a[..a.len() - tail]),
            b: TokenMeter::new(vocabulary, &b[..b.len() - tail]),
        }
    }

    /// Does `a` have strictly fewer tokens than `b`?
    pub(crate) fn first_is_cheaper(&mut self) -> bool {
        let TokenRace { a, b } = self;
        loop {
            if a.at_most() < b.at_least() {
                return true;
            }
            if a.at_least() >= b.at_most() {
                return false;
            }
            // Stepping whichever is behind counts about as much of the dearer text as the
            // cheaper one has, and no more.
            if b.is_done() || !a.is_done() && a.tokens <= b.tokens {
                a.step();
            } else {
                b.step();
            }
        }
    }
}

/// The first seam whose two neighbours lie in the last `shared` bytes, or the end.
fn seam_in_tail(text: &str, shared: usize) -> usize {
    let start = text.ceil_char_boundary(text.len() - shared);
    let first = text[start..].chars().next().map_or(0, char::len_utf8);
    seam::at_or_after(text, start + first)
}

fn shared_head(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let start = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let bytes = a[start..].iter().zip(&b[start..]);
    start + bytes.take_while(|(a, b)| a == b).count()
}

fn shared_tail(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let end = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let bytes = a.iter().rev().zip(b.iter().rev());
    end + bytes.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 1 << 20;

    fn long(line: &str) -> String {
        line.repeat(LONG / line.len())
    }

    /// Whether `a` is cheaper, and how many bytes were counted to know it.
    fn race(a: &str, b: &str) -> (bool, usize) {
        let mut race = TokenRace::new(Vocabulary::O200k, a, b);
        let cheaper = race.first_is_cheaper();
        (cheaper, race.a.examined + race.b.examined)
    }

    #[test]
    fn count_within_stops_once_the_limit_is_passed() {
        let text = long("words and 12 numbers; ");
        let mut meter = TokenMeter::new(Vocabulary::O200k, &text);
        assert_eq!(meter.finish_within(100), None);
        assert!(meter.examined <= 2 * STRIDE, "{} bytes", meter.examined);
    }

    #[test]
    fn a_text_of_too_many_words_is_not_counted() {
        let text = long("words and 12 numbers; ");
        let words = 4 * (LONG / "words and 12 numbers; ".len());
        let mut meter = TokenMeter::new(Vocabulary::O200k, &text);
        assert_eq!((meter.finish_within(words), meter.examined), (None, 0));
    }

    #[test]
    fn a_limit_of_nothing_is_answered_without_counting() {
        let mut meter = TokenMeter::new(Vocabulary::O200k, "x");
        assert_eq!((meter.finish_within(0), meter.examined), (None, 0));
    }

    #[test]
    fn l2_a_short_text_against_a_long_one_leaves_the_long_one_alone() {
        for line in
            ["words and 12 numbers; ", "{\"id\":7,\"ok\":true},", "汉字，汉字。\n", "0a1b2c"]
        {
            let text = long(line);
            let (cheaper, examined) = race("see the earlier result", &text);
            assert!(cheaper && examined <= 2 * STRIDE, "{line}: {examined} bytes");
            let (cheaper, examined) = race(&text, "see the earlier result");
            assert!(!cheaper && examined <= 2 * STRIDE, "{line}: {examined} bytes");
        }
    }

    #[test]
    fn l2_of_two_long_texts_only_the_difference_is_counted() {
        let (head, tail) = (long("one line of a log\n"), long("and what follows it\n"));
        let before = format!("{head}a change in the middle, spelt out\n{tail}");
        let after = format!("{head}a change\n{tail}");
        let (cheaper, examined) = race(&after, &before);
        assert!(cheaper && examined < 100, "{examined} bytes");
    }

    #[test]
    fn equal_texts_are_not_counted() {
        let text = long("the same\n");
        assert_eq!(race(&text, &text.clone()), (false, 0));
    }

    /// In one go this took the tokenizer seconds; here it would take minutes.
    #[test]
    fn blanks_outside_ascii_stay_linear() {
        for line in ["x\u{a0}\u{a0}", "\n\u{3000}\u{3000}汉字，汉字。"] {
            let text = long(line);
            assert!(TokenMeter::new(Vocabulary::O200k, &text).finish() > 0, "{line}");
        }
    }

    #[test]
    fn shared_ends_are_found_to_the_byte() {
        for length in [0, 1, 63, 64, 65, 200] {
            let (a, b) = ("s".repeat(length) + "a", "s".repeat(length) + "b");
            assert_eq!(shared_head(a.as_bytes(), b.as_bytes()), length);
            let (a, b) = ("a".to_owned() + &a[..length], "b".to_owned() + &b[..length]);
            assert_eq!(shared_tail(a.as_bytes(), b.as_bytes()), length);
        }
    }
}
