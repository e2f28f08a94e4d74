//! Which repeats become entries: those that save most tokens, one after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tokenforge_tokens::Counter;

use super::notation::Notation;
use super::repeats::Repeat;
use super::{MAX_ENTRIES, MIN_OCCURRENCES, MIN_SAVED_BYTES};

/// How many repeats are looked at, however many there are.
const LOOKS: usize = 400;

/// Could a repeat of that many lexemes and bytes save tokens? Right often enough to leave most of them out early.
pub(super) fn may_pay(occurrences: usize, lexemes: usize, bytes: usize) -> bool {
    let tokens = estimate(lexemes, bytes);
    occurrences * tokens > occurrences * 6 + tokens + 9
}

fn estimate(lexemes: usize, bytes: usize) -> usize {
    lexemes.max(bytes / 4)
}

/// Chooses the entries, dearest first, with the places that each of them replaces: none of them overlap.
pub(super) fn choose(
    text: &str,
    cuts: &[u32],
    repeats: Vec<Repeat>,
    notation: &Notation,
    counter: &Counter,
) -> Vec<Repeat> {
    let mut entries: Vec<Repeat> = Vec::new();
    let mut taken = Taken::new(cuts.len());
    let marker = counter.count(&notation.marker(MAX_ENTRIES)) as i64;
    let overhead = counter.count(&notation.entry(MAX_ENTRIES, "")) as i64;
    let text_of = |repeat: &Repeat| {
        let start = repeat.places[0] as usize;
        &text[cuts[start] as usize..cuts[start + repeat.length] as usize]
    };
    let worth = |occurrences: usize, tokens: usize| {
        occurrences as i64 * (tokens as i64 - marker) - tokens as i64 - overhead
    };
    let mut queue: BinaryHeap<_> = repeats
        .into_iter()
        .map(|repeat| {
            let tokens = estimate(repeat.length, text_of(&repeat).len());
            Candidate { worth: worth(repeat.places.len(), tokens), tokens: None, repeat }
        })
        .collect();
    let mut looks = LOOKS;
    while let Some(mut candidate) = queue.pop()
        && looks > 0
        && entries.len() < MAX_ENTRIES
    {
        looks -= 1;
        let places = taken.free(&candidate.repeat);
        if places.len() < MIN_OCCURRENCES {
            continue;
        }
        let entry = text_of(&candidate.repeat);
        let tokens = *candidate.tokens.get_or_insert_with(|| counter.count(entry));
        candidate.worth = worth(places.len(), tokens);
        if candidate.worth <= 0 {
            continue;
        }
        if queue.peek().is_some_and(|next| next.worth > candidate.worth) {
            queue.push(candidate);
            continue;
        }
        let number = entries.len() + 1;
        let (before, after) = (
            entry.len() * places.len(),
            notation.marker(number).len() * places.len() + notation.entry(number, entry).len(),
        );
        if before < after + MIN_SAVED_BYTES {
            continue;
        }
        let chosen = Repeat { places, length: candidate.repeat.length };
        taken.take(&chosen);
        entries.push(chosen);
    }
    entries
}

/// A repeat in the queue, ordered by what it is thought to save.
struct Candidate {
    worth: i64,
    tokens: Option<usize>,
    repeat: Repeat,
}

impl Candidate {
    fn key(&self) -> (i64, Reverse<u32>, usize) {
        (self.worth, Reverse(self.repeat.places[0]), self.repeat.length)
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Candidate {}

/// The lexemes that entries already replace.
struct Taken {
    is_taken: Vec<bool>,
    /// How many are taken before each lexeme.
    before: Vec<u32>,
}

impl Taken {
    fn new(cuts: usize) -> Self {
        Taken { is_taken: vec![false; cuts], before: vec![0; cuts] }
    }

    /// The places of a repeat that overlap neither each other nor what is taken.
    fn free(&self, repeat: &Repeat) -> Vec<u32> {
        let mut end = 0;
        let is_free = |&place: &u32| {
            let start = place as usize;
            let free = start >= end && self.before[start] == self.before[start + repeat.length];
            if free {
                end = start + repeat.length;
            }
            free
        };
        let mut is_free = is_free;
        repeat.places.iter().copied().filter(|place| is_free(place)).collect()
    }

    fn take(&mut self, repeat: &Repeat) {
        for &place in &repeat.places {
            self.is_taken[place as usize..][..repeat.length].fill(true);
        }
        let mut count = 0;
        for (before, &is_taken) in self.before.iter_mut().zip(&self.is_taken) {
            *before = count;
            count += u32::from(is_taken);
        }
    }
}
