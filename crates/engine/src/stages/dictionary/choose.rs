//! Which repeats become entries: those that save most tokens, one after the other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use tokenforge_tokens::Counter;

use super::lexemes::{LexemeIndex, Lexemes};
use super::notation::DictionaryNotation;
use super::repeats::LexemeRepeat;
use super::taken_lexemes::TakenLexemes;
use super::{MAX_ENTRIES, MIN_OCCURRENCES, MIN_SAVED_BYTES};

/// A dictionary must save one in so many tokens: it makes a text harder to read.
const MIN_SAVED_PART: usize = 50;

/// How many lexemes may be looked at, in units of what the text has: however many repeats there are.
const LOOKS: usize = 2;

/// Could a repeat save tokens? Right often enough to leave most of them out before they are counted.
pub(super) fn may_pay(lexemes: &Lexemes, occurrences: usize, part: Range<usize>) -> bool {
    let typical = MarkerPrice { marker: 6, entry: 9, header: 0 };
    typical.saving_of(occurrences, estimate(lexemes, part)) > 0
}

/// About how many tokens some lexemes have.
fn estimate(lexemes: &Lexemes, part: Range<usize>) -> usize {
    part.len().max(lexemes.span(part).len() / 4)
}

/// Chooses the entries, the most valuable first, with the places that each of them replaces: no two overlap.
/// None if they save too little.
pub(super) fn choose(
    lexemes: &Lexemes,
    repeats: Vec<LexemeRepeat>,
    notation: &DictionaryNotation,
    counter: &Counter,
) -> Option<Vec<LexemeRepeat>> {
    let price = MarkerPrice::new(notation, counter);
    let mut taken = TakenLexemes::nothing(lexemes, notation.max_newlines());
    let mut queue: BinaryHeap<Candidate> = repeats
        .into_iter()
        .map(|repeat| {
            let tokens = estimate(lexemes, repeat.first());
            Candidate { saved: price.saving_of(repeat.places.len(), tokens), repeat }
        })
        .collect();
    let mut entries: Vec<LexemeRepeat> = Vec::new();
    let mut saved = -(price.header as i64);
    let mut looks = LOOKS * lexemes.count();
    while let Some(Candidate { repeat, .. }) = queue.pop()
        && entries.len() < MAX_ENTRIES
        && looks > 0
    {
        let length = repeat.length;
        looks = looks.saturating_sub(repeat.places.len() + length);
        let Some(repeat) = taken.fit(repeat) else { continue };
        let grown = repeat.length.saturating_sub(length);
        looks = looks.saturating_sub(repeat.places.len() * grown);
        let entry = lexemes.text(repeat.first());
        let candidate =
            Candidate { saved: price.saving_of(repeat.places.len(), counter.count(entry)), repeat };
        if candidate.saved <= 0 {
            continue;
        }
        if queue.peek().is_some_and(|next| next.saved > candidate.saved) {
            queue.push(candidate);
            continue;
        }
        let repeat = alike(candidate.repeat, lexemes);
        let occurrences = repeat.places.len();
        let bytes = notation.saved_bytes(entries.len() + 1, entry, occurrences);
        if occurrences >= MIN_OCCURRENCES && bytes >= MIN_SAVED_BYTES {
            saved += candidate.saved;
            taken.take(&repeat);
            entries.push(repeat);
        }
    }
    (saved > (lexemes.count() / MIN_SAVED_PART) as i64).then_some(entries)
}

/// The repeat with those places only where the same text is indeed, and not just the same hash.
fn alike(mut repeat: LexemeRepeat, lexemes: &Lexemes) -> LexemeRepeat {
    let (entry, length) = (lexemes.text(repeat.first()), repeat.length);
    repeat.places.retain(|&place| {
        let place = usize::from(place);
        lexemes.text(place..place + length) == entry
    });
    repeat
}

/// What markers, entries and the header cost in tokens.
struct MarkerPrice {
    marker: usize,
    entry: usize,
    header: usize,
}

impl MarkerPrice {
    fn new(notation: &DictionaryNotation, counter: &Counter) -> Self {
        MarkerPrice {
            marker: counter.count(&notation.marker(MAX_ENTRIES)),
            entry: counter.count(&notation.entry(MAX_ENTRIES, "")),
            header: counter.count(notation.header()),
        }
    }

    /// How many tokens an entry saves that occurs so often.
    fn saving_of(&self, occurrences: usize, tokens: usize) -> i64 {
        (occurrences * tokens) as i64 - (occurrences * self.marker + tokens + self.entry) as i64
    }
}

/// A repeat in the queue, ordered by what it is thought to save.
struct Candidate {
    saved: i64,
    repeat: LexemeRepeat,
}

impl Candidate {
    fn key(&self) -> (i64, Reverse<LexemeIndex>, usize) {
        (self.saved, Reverse(self.repeat.places[0]), self.repeat.length)
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Candidate {}
