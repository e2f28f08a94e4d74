//! Which sequences of lexemes occur at least three times?
//!
//! Windows of a few lexemes get a name by rolling hash, then longer ones: only what still repeats goes on to the next
//! length, so that a text without repetition is done after one pass. At every length, windows that always follow one
//! another are one longer repeat. No text takes more than a bounded number of passes.
//!
//! Two windows with the same hash are taken to be the same: whoever replaces one by the other has to compare them.

use std::ops::Range;

use super::MIN_OCCURRENCES;
use super::lexemes::Lexemes;

/// How many lexemes the windows have. A marker costs six tokens, so a shorter entry would hardly pay.
const LENGTHS: [usize; 5] = [8, 16, 32, 64, 128];

/// A sequence of lexemes that occurs several times.
pub(super) struct Repeat {
    /// The lexemes that it begins with, ascending. Occurrences do not overlap.
    pub(super) places: Vec<u32>,
    /// How many lexemes it has.
    pub(super) length: usize,
}

impl Repeat {
    /// The lexemes of the first occurrence.
    pub(super) fn range(&self) -> Range<usize> {
        self.at(self.places[0])
    }

    /// The lexemes of every occurrence.
    pub(super) fn occurrences(&self) -> impl Iterator<Item = Range<usize>> {
        self.places.iter().map(|&place| self.at(place))
    }

    /// The lexemes of the occurrence at a place.
    pub(super) fn at(&self, place: u32) -> Range<usize> {
        place as usize..place as usize + self.length
    }
}

/// Finds repeats with at most `max_newlines` line ends. Some of them are part of others.
pub(super) fn find(
    lexemes: &Lexemes,
    max_newlines: u32,
    is_worthwhile: impl Fn(usize, Range<usize>) -> bool,
) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    let starts = lexemes.starts();
    let everywhere: Vec<u32> = (0..starts.len() as u32).collect();
    let mut windows = Window::all(lexemes, &starts, everywhere.into_iter(), LENGTHS[0], max_newlines);
    leave_out_rare(&mut windows);
    for (index, length) in LENGTHS.into_iter().enumerate() {
        if index > 0 {
            let indices = windows.iter().map(|window| window.index);
            windows = Window::all(lexemes, &starts, indices, length, max_newlines);
        }
        let names = Names::new(starts.len(), &mut windows);
        if windows.is_empty() {
            break;
        }
        // What is as long as the next windows is found among them, and perhaps goes on there.
        let too_long = LENGTHS.get(index + 1).copied().unwrap_or(usize::MAX);
        for chain in names.chains(&windows, &starts, length) {
            let repeat = starts[chain.start] as usize..starts[chain.end - 1] as usize + length;
            let occurrences = names.0[chain.start].occurrences as usize;
            for part in lexemes.split(repeat, length, max_newlines) {
                if part.len() < too_long && is_worthwhile(occurrences, part.clone()) {
                    let shift = part.start as u32 - starts[chain.start];
                    let places = names.places(chain.start).map(|index| starts[index] + shift);
                    let places = apart(places, part.len() as u32);
                    if is_worthwhile(places.len(), part.clone()) {
                        repeats.push(Repeat { places, length: part.len() });
                    }
                }
            }
        }
    }
    repeats
}

/// The places that are at least so far apart.
fn apart(places: impl Iterator<Item = u32>, distance: u32) -> Vec<u32> {
    let mut free = 0;
    let is_apart = |&place: &u32| {
        let is_apart = place >= free;
        free = if is_apart { place + distance } else { free };
        is_apart
    };
    places.filter(is_apart).collect()
}

/// Leaves out windows that occur too rarely. That is most of many texts, and a small table of counters finds nearly all
/// of it without naming any.
fn leave_out_rare(windows: &mut Vec<Window>) {
    const COUNTERS: u32 = 15;
    let bucket = |window: &Window| (window.hash >> (64 - COUNTERS)) as usize;
    let mut counters = vec![0u8; 1 << COUNTERS];
    for window in windows.iter() {
        let counter = &mut counters[bucket(window)];
        *counter = counter.saturating_add(1);
    }
    windows.retain(|window| usize::from(counters[bucket(window)]) >= MIN_OCCURRENCES);
}

/// Some lexemes in a row.
struct Window {
    /// The start with which it begins, as an index.
    index: u32,
    hash: u64,
}

impl Window {
    /// The windows of so many lexemes at the given starts, without those that have too many line ends or end beyond
    /// the text.
    fn all(
        lexemes: &Lexemes,
        starts: &[u32],
        indices: impl Iterator<Item = u32>,
        length: usize,
        max_newlines: u32,
    ) -> Vec<Self> {
        let hash = lexemes.hasher(length);
        indices
            .filter_map(|index| {
                let start = starts[index as usize] as usize;
                let end = start + length;
                let fits = end <= lexemes.count() && lexemes.newlines(start..end) <= max_newlines;
                fits.then(|| Window { index, hash: hash(start) })
            })
            .collect()
    }
}

/// The windows of one length by start: the same name for the same hash.
struct Names(Vec<Name>);

#[derive(Clone, Copy)]
struct Name {
    /// The first window like this one, or [`NONE`] if there are too few.
    first: u32,
    /// The next window like this one.
    next: u32,
    /// Of a first window: the last like it.
    last: u32,
    /// Of a first window: how many there are like it.
    occurrences: u32,
}

const NONE: u32 = u32::MAX;

impl Names {
    /// Names the windows and leaves out those that occur too rarely.
    fn new(starts: usize, windows: &mut Vec<Window>) -> Self {
        let slots = (2 * windows.len()).next_power_of_two();
        let mut table = vec![(0u64, NONE); slots];
        let mut names = vec![Name { first: NONE, next: NONE, last: NONE, occurrences: 0 }; starts];
        for &Window { index, hash } in windows.iter() {
            let mut slot = hash as usize % slots;
            while table[slot].1 != NONE && table[slot].0 != hash {
                slot = (slot + 1) % slots;
            }
            if table[slot].1 == NONE {
                table[slot] = (hash, index);
                names[index as usize] = Name { first: index, next: NONE, last: index, occurrences: 1 };
                continue;
            }
            let name = table[slot].1;
            let first = &mut names[name as usize];
            first.occurrences += 1;
            let last = std::mem::replace(&mut first.last, index);
            names[last as usize].next = index;
            names[index as usize].first = name;
        }
        windows.retain(|window| {
            let name = names[window.index as usize].first;
            let is_repeat = names[name as usize].occurrences as usize >= MIN_OCCURRENCES;
            if !is_repeat {
                names[window.index as usize].first = NONE;
            }
            is_repeat
        });
        Names(names)
    }

    /// The runs of first windows each of which is always followed by the next and never occurs without it.
    fn chains(&self, windows: &[Window], starts: &[u32], length: usize) -> Vec<Range<usize>> {
        let first = |index: usize| self.0.get(index).map_or(NONE, |name| name.first);
        // Whether every window like this one is followed by what follows the first of them.
        let mut always = vec![true; self.0.len()];
        for window in windows {
            let index = window.index as usize;
            let name = first(index) as usize;
            if name != index && first(index + 1) != first(name + 1) {
                always[name] = false;
            }
        }
        let mut chains = Vec::<Range<usize>>::new();
        for window in windows {
            let index = window.index as usize;
            if first(index) != window.index {
                continue;
            }
            match chains.last_mut() {
                Some(chain)
                    if chain.end == index
                        && always[index - 1]
                        && self.0[index].occurrences == self.0[index - 1].occurrences
                        && starts[index] - starts[index - 1] <= length as u32 =>
                {
                    chain.end += 1;
                }
                _ => chains.push(index..index + 1),
            }
        }
        chains
    }

    /// The windows like this first one.
    fn places(&self, first: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(first as u32), |&index| {
            Some(self.0[index as usize].next).filter(|&next| next != NONE)
        })
        .map(|index| index as usize)
    }
}
