//! Which repeats become entries: those that save most tokens, one after the other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use tokenforge_tokens::Counter;

use super::lexemes::Lexemes;
use super::notation::Notation;
use super::repeats::Repeat;
use super::taken::Taken;
use super::{MAX_ENTRIES, MIN_OCCURRENCES, MIN_SAVED_BYTES};

/// Places looked at, however many repeats there are: so many times the lexemes of the text.
const LOOKS: usize = 1;

/// What a dictionary must save to be worth reading: this part of the tokens.
const MIN_SAVED_PART: usize = 50;

/// Could a repeat save tokens? Right often enough to leave most of them out early.
pub(super) fn may_pay(lexemes: &Lexemes, occurrences: usize, part: Range<usize>) -> bool {
    let tokens = estimate(lexemes, part);
    occurrences * tokens > occurrences * 6 + tokens + 9
}

fn estimate(lexemes: &Lexemes, part: Range<usize>) -> usize {
    part.len().max(lexemes.span(part).len() / 4)
}

/// Chooses the entries, the most valuable first, with the places that each of them replaces: no two overlap.
pub(super) fn choose(
    lexemes: &Lexemes,
    repeats: Vec<Repeat>,
    max_newlines: u16,
    notation: &Notation,
    counter: &Counter,
) -> Option<Vec<Repeat>> {
    let price = Price::new(notation, counter);
    let mut queue: BinaryHeap<Candidate> = repeats
        .into_iter()
        .map(|repeat| {
            let tokens = estimate(lexemes, repeat.first());
            Candidate { worth: price.worth(repeat.places.len(), tokens), repeat, tokens: None }
        })
        .collect();
    let mut entries: Vec<Repeat> = Vec::new();
    let mut taken = Taken::nothing(lexemes, max_newlines);
    let mut looks = LOOKS * lexemes.count();
    let mut saved = -(price.header as i64);
    while let Some(Candidate { repeat, tokens, .. }) = queue.pop()
        && entries.len() < MAX_ENTRIES
    {
        looks = match looks.checked_sub(repeat.places.len()) {
            Some(looks) => looks,
            None => break,
        };
        let Some(fitted) = taken.fit(&repeat) else { continue };
        let tokens = tokens.filter(|_| fitted.length == repeat.length);
        let entry = lexemes.text(fitted.first());
        let tokens = tokens.unwrap_or_else(|| counter.count(entry));
        let worth = price.worth(fitted.places.len(), tokens);
        if worth <= 0 {
            continue;
        }
        if queue.peek().is_some_and(|next| next.worth > worth) {
            let repeat = if fitted.length == repeat.length { repeat } else { fitted };
            queue.push(Candidate { worth, tokens: Some(tokens), repeat });
            continue;
        }
        let mut chosen = fitted;
        let length = chosen.length;
        let chosen_at = |place: u16| usize::from(place)..usize::from(place) + length;
        chosen.places.retain(|&place| lexemes.text(chosen_at(place)) == entry);
        if chosen.places.len() < MIN_OCCURRENCES
            || !notation.saves(entries.len() + 1, entry, chosen.places.len(), MIN_SAVED_BYTES)
        {
            continue;
        }
        taken.take(&chosen);
        entries.push(chosen);
        saved += worth;
    }
    (saved > (lexemes.count() / MIN_SAVED_PART) as i64).then_some(entries)
}

/// What markers, entries and the header cost in tokens.
struct Price {
    marker: usize,
    entry: usize,
    header: usize,
}

impl Price {
    fn new(notation: &Notation, counter: &Counter) -> Self {
        Price {
            marker: counter.count(&notation.marker(MAX_ENTRIES)),
            entry: counter.count(&notation.entry(MAX_ENTRIES, "")),
            header: counter.count(notation.header()),
        }
    }

    /// What an entry saves.
    fn worth(&self, occurrences: usize, tokens: usize) -> i64 {
        (occurrences * tokens) as i64 - (occurrences * self.marker + tokens + self.entry) as i64
    }
}

/// A repeat in the queue, ordered by what it is thought to save.
struct Candidate {
    worth: i64,
    repeat: Repeat,
    tokens: Option<usize>,
}

impl Candidate {
    fn key(&self) -> (i64, Reverse<u16>, usize) {
        (self.worth, Reverse(self.repeat.places[0]), self.repeat.length)
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
