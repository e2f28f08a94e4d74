//! Which sequences of lexemes occur at least three times?
//!
//! Windows of a few lexemes get a name by rolling hash, the same name only if they are the same bytes. Windows twice
//! as long are pairs of names, and so on: only what still repeats goes on to the next length, so that a text without
//! repetition is done after one pass. At every length, windows that always follow one another are one longer repeat.
//! No step looks at a text more than a bounded number of times, whatever the text.

use std::ops::Range;

use super::{MIN_OCCURRENCES, choose};

/// Lexemes in the shortest window. A marker costs six tokens, so a shorter entry would hardly pay.
const WINDOW: usize = 6;

/// How often the window is doubled: up to 192 lexemes.
const LENGTHS: usize = 6;

/// A sequence of lexemes that occurs several times.
pub(super) struct Repeat {
    /// The lexemes that it begins with, ascending. Occurrences may overlap.
    pub(super) places: Vec<u32>,
    /// How many lexemes it has.
    pub(super) length: usize,
}

/// Finds repeats with at most `max_newlines` line ends that may be worth an entry, in no useful order.
pub(super) fn find(text: &str, cuts: &[u32], max_newlines: u32) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    let count = cuts.len() - 1;
    if count < WINDOW * MIN_OCCURRENCES {
        return repeats;
    }
    let lexemes = Lexemes::new(text, cuts);
    let mut window = WINDOW;
    let mut names = Names::new(
        count + 1 - window,
        |at| (lexemes.newlines(at..at + window) <= max_newlines).then(|| lexemes.hash(at)),
        |a, b| lexemes.window(a) == lexemes.window(b),
    );
    for _ in 0..LENGTHS {
        if !names.any {
            break;
        }
        names.chains(|chain| {
            lexemes.split(chain, window, max_newlines, |start, length| {
                let occurrences = names.occurrences[start] as usize;
                let bytes = (cuts[start + length] - cuts[start]) as usize;
                if choose::may_pay(occurrences, length, bytes) {
                    repeats.push(Repeat { places: names.places(start), length });
                }
            })
        });
        if count < 2 * window {
            break;
        }
        names = names.pairs(window, count + 1 - 2 * window);
        window *= 2;
    }
    repeats
}

/// The lexemes of a text with what is asked of them often.
struct Lexemes<'t> {
    text: &'t [u8],
    cuts: &'t [u32],
    /// Hash of everything before each cut.
    hashes: Vec<u64>,
    /// Line ends before each cut.
    lines: Vec<u32>,
}

/// Odd, so that no factor is lost; otherwise any number with well mixed bits.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

const BASE_TO_THE_WINDOW: u64 = BASE.wrapping_pow(WINDOW as u32);

impl<'t> Lexemes<'t> {
    fn new(text: &'t str, cuts: &'t [u32]) -> Self {
        let text = text.as_bytes();
        let (mut hashes, mut lines) =
            (Vec::with_capacity(cuts.len()), Vec::with_capacity(cuts.len()));
        let (mut hash, mut newlines) = (0u64, 0);
        for cut in cuts.windows(2) {
            hashes.push(hash);
            lines.push(newlines);
            let lexeme = &text[cut[0] as usize..cut[1] as usize];
            hash = hash.wrapping_mul(BASE).wrapping_add(hash_of(lexeme));
            if matches!(lexeme[0], b'\n' | b'\r') {
                newlines += memchr::memchr_iter(b'\n', lexeme).count().max(1) as u32;
            }
        }
        hashes.push(hash);
        lines.push(newlines);
        Lexemes { text, cuts, hashes, lines }
    }

    fn newlines(&self, lexemes: Range<usize>) -> u32 {
        self.lines[lexemes.end] - self.lines[lexemes.start]
    }

    /// The hash of the shortest window at a lexeme.
    fn hash(&self, at: usize) -> u64 {
        self.hashes[at + WINDOW].wrapping_sub(self.hashes[at].wrapping_mul(BASE_TO_THE_WINDOW))
    }

    /// The bytes of the shortest window at a lexeme.
    fn window(&self, at: usize) -> &'t [u8] {
        &self.text[self.cuts[at] as usize..self.cuts[at + WINDOW] as usize]
    }

    /// Tells the parts of a chain of windows that have no more line ends than allowed, one after the other.
    fn split(
        &self,
        chain: Range<usize>,
        window: usize,
        max_newlines: u32,
        mut part: impl FnMut(usize, usize),
    ) {
        let mut start = chain.start;
        while start < chain.end {
            let mut end = start + window;
            while end < chain.end + window - 1 && self.newlines(start..end + 1) <= max_newlines {
                end += 1;
            }
            part(start, end - start);
            start = end;
        }
    }
}

fn hash_of(lexeme: &[u8]) -> u64 {
    lexeme.iter().fold(0, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// The windows of one length: the same name for the same bytes.
struct Names {
    /// For each window the first one like it, or [`NONE`] if there are too few.
    first: Vec<u32>,
    /// For each window the next one like it.
    next: Vec<u32>,
    /// For each first one, how many there are.
    occurrences: Vec<u32>,
    /// Whether there is any repeat at all.
    any: bool,
}

const NONE: u32 = u32::MAX;

impl Names {
    /// Names `count` windows. Those without a hash are left out; those with the same hash are compared.
    fn new(
        count: usize,
        hash: impl Fn(usize) -> Option<u64>,
        same: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let slots = (2 * count).next_power_of_two();
        let shift = 64 - slots.trailing_zeros();
        // Position and the part of the hash that the slot's own number does not tell.
        let mut table = vec![(NONE, 0u32); slots];
        let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
        let (mut last, mut occurrences) = (vec![NONE; count], vec![0u32; count]);
        let mut any = false;
        for at in 0..count {
            let Some(hash) = hash(at) else { continue };
            let mixed = hash.wrapping_mul(BASE);
            let (mut slot, tag) = ((mixed >> shift) as usize, mixed as u32);
            let name = loop {
                match table[slot] {
                    (NONE, _) => {
                        table[slot] = (at as u32, tag);
                        break at;
                    }
                    (found, its) if its == tag && same(found as usize, at) => break found as usize,
                    _ => slot = (slot + 1) % slots,
                }
            };
            if name != at {
                next[last[name] as usize] = at as u32;
            }
            first[at] = name as u32;
            last[name] = at as u32;
            occurrences[name] += 1;
            any |= occurrences[name] as usize >= MIN_OCCURRENCES;
        }
        for name in &mut first {
            if *name != NONE && (occurrences[*name as usize] as usize) < MIN_OCCURRENCES {
                *name = NONE;
            }
        }
        Names { first, next, occurrences, any }
    }

    /// Names the windows twice as long, of which there are `count`.
    fn pairs(&self, window: usize, count: usize) -> Names {
        let pair = |at: usize| (self.first[at], self.first[at + window]);
        Names::new(
            count,
            |at| match pair(at) {
                (NONE, _) | (_, NONE) => None,
                (a, b) => Some((u64::from(a) << 32 | u64::from(b)).wrapping_mul(BASE) >> 7),
            },
            |a, b| pair(a) == pair(b),
        )
    }

    /// Tells the runs of first windows each of which is always followed by the next and never occurs without it.
    fn chains(&self, mut chain: impl FnMut(Range<usize>)) {
        // Whether every window like this one is followed by what follows the first of them.
        let mut always = vec![true; self.first.len()];
        for (at, &name) in self.first.iter().enumerate() {
            if name != NONE {
                let follower = self.first.get(at + 1);
                always[name as usize] &= follower == self.first.get(name as usize + 1);
            }
        }
        let is_first = |at: usize| self.first.get(at) == Some(&(at as u32));
        let mut at = 0;
        while at < self.first.len() {
            let start = at;
            at += 1;
            if !is_first(start) {
                continue;
            }
            while always[at - 1] && is_first(at) && self.occurrences[at] == self.occurrences[at - 1]
            {
                at += 1;
            }
            chain(start..at);
        }
    }

    /// Where the windows like this one are.
    fn places(&self, first: usize) -> Vec<u32> {
        let mut places = Vec::with_capacity(self.occurrences[first] as usize);
        let mut at = first as u32;
        while at != NONE {
            places.push(at);
            at = self.next[at as usize];
        }
        places
    }
}
