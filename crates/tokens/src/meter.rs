//! Counting a text piece by piece, and stopping early.

use crate::Vocabulary;
use crate::seam;

/// Bytes counted between two looks at whether the answer is known already.
///
/// Small pieces do more than stop early. After every run of blanks outside ASCII the tokenizer
/// validates all the text that remains, which is quadratic: 200 KB with no-break spaces took it
/// 2.9 s in one go. In pieces the cost is bounded by the piece.
const STRIDE: usize = 2048;

/// A text being counted.
#[derive(Debug)]
pub(crate) struct Meter<'t> {
    vocabulary: Vocabulary,
    rest: &'t str,
    tokens: usize,
    examined: usize,
}

impl<'t> Meter<'t> {
    pub(crate) fn new(vocabulary: Vocabulary, text: &'t str) -> Self {
        Meter { vocabulary, rest: text, tokens: 0, examined: 0 }
    }

    /// The count of the whole text.
    pub(crate) fn finish(mut self) -> usize {
        while !self.is_done() {
            self.step();
        }
        self.tokens
    }

    /// The count, unless it is more than `limit`.
    pub(crate) fn finish_within(&mut self, limit: usize) -> Option<usize> {
        while !self.is_done() && self.at_least() <= limit {
            self.step();
        }
        (self.at_least() <= limit).then_some(self.tokens)
    }

    /// Counts up to the first seam past the stride.
    fn step(&mut self) {
        let (piece, rest) = self.rest.split_at(seam::at_or_after(self.rest, STRIDE));
        self.tokens += self.vocabulary.table().count(piece);
        self.examined += piece.len();
        self.rest = rest;
    }

    fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// No text but the empty one has no tokens.
    fn at_least(&self) -> usize {
        self.tokens + usize::from(!self.is_done())
    }

    /// No token is shorter than a byte.
    fn at_most(&self) -> usize {
        self.tokens + self.rest.len()
    }
}

/// Two texts being counted until it is known which has fewer tokens.
#[derive(Debug)]
pub(crate) struct Race<'t> {
    a: Meter<'t>,
    b: Meter<'t>,
}

impl<'t> Race<'t> {
    /// What both texts begin or end with costs both the same, so it is not counted at all: a
    /// stage that changed three lines of a long output is judged by those three lines.
    pub(crate) fn new(vocabulary: Vocabulary, a: &'t str, b: &'t str) -> Self {
        let head = seam::last_inside(a, shared_head(a.as_bytes(), b.as_bytes()));
        let (a, b) = (&a[head..], &b[head..]);
        let tail = a.len() - seam_in_tail(a, shared_tail(a.as_bytes(), b.as_bytes()));
        Race {
            a: Meter::new(vocabulary, &a[..a.len() - tail]),
            b: Meter::new(vocabulary, &b[..b.len() - tail]),
        }
    }

    /// Does `a` have strictly fewer tokens than `b`?
    pub(crate) fn first_is_cheaper(&mut self) -> bool {
        let Race { a, b } = self;
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
