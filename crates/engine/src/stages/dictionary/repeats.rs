//! Repeated substrings by rolling hash: which sequences of lexemes occur at least three times?
//!
//! Windows of a few lexemes get a name by rolling hash, then longer ones: only what still repeats goes on to the next
//! length, so that a text without repetition is done after one pass. At every length, windows that always follow one
//! another are one longer repeat. No text takes more than a bounded number of passes.
//!
//! Two windows with the same hash are taken to be the same: code that replaces one by the other has to compare them.

use std::ops::Range;

use super::MIN_OCCURRENCES;
use super::lexemes::{LexemeIndex, Lexemes};

/// How many lexemes the windows have. A marker costs six tokens, so a shorter entry would hardly pay; more lengths
/// than these find hardly more.
const LENGTHS: [usize; 3] = [8, 16, 32];

/// A sequence of lexemes that occurs several times.
pub(super) struct LexemeRepeat {
    /// The lexemes that it begins with, ascending. Occurrences do not overlap.
    pub(super) places: Vec<LexemeIndex>,
    /// How many lexemes it has.
    pub(super) length: usize,
}

impl LexemeRepeat {
    /// The lexemes of the first occurrence.
    pub(super) fn first(&self) -> Range<usize> {
        self.at(self.places[0])
    }

    /// The lexemes of every occurrence.
    pub(super) fn occurrences(&self) -> impl Iterator<Item = Range<usize>> {
        self.places.iter().map(|&place| self.at(place))
    }

    /// The lexemes of the occurrence at a place.
    pub(super) fn at(&self, place: LexemeIndex) -> Range<usize> {
        usize::from(place)..usize::from(place) + self.length
    }
}

/// Finds repeats with at most `max_newlines` line ends that pass a test of how often and where they occur.
pub(super) fn find(
    lexemes: &Lexemes,
    max_newlines: u16,
    is_worthwhile: impl Fn(&Lexemes, usize, Range<usize>) -> bool,
) -> Vec<LexemeRepeat> {
    let mut repeats = Vec::new();
    if lexemes.count() < LENGTHS[0] * MIN_OCCURRENCES {
        return repeats;
    }
    let starts = lexemes.starts();
    let mut live: Vec<LexemeIndex> = (0..starts.len() as LexemeIndex).collect();
    for (index, length) in LENGTHS.into_iter().enumerate() {
        let mut windows = windows(lexemes, &starts, &live, length, max_newlines);
        leave_out_rare(&mut windows);
        let names = WindowNames::new(starts.len(), &windows);
        live.clear();
        live.extend(windows.iter().map(|window| window.start).filter(|&start| names.has(start)));
        if live.is_empty() {
            break;
        }
        // What is as long as the next windows is found among them, and perhaps goes on there.
        let too_long = LENGTHS.get(index + 1).copied().unwrap_or(usize::MAX);
        for chain in names.chains(&live, &starts, length) {
            let first = starts[chain.start];
            let repeat = usize::from(first)..usize::from(starts[chain.end - 1]) + length;
            let occurrences = names.occurrences(chain.start);
            for part in lexemes.split_at_newlines(repeat, length, max_newlines) {
                if part.len() >= too_long || !is_worthwhile(lexemes, occurrences, part.clone()) {
                    continue;
                }
                let shift = part.start as LexemeIndex - first;
                let places = names.alike(chain.start).map(|start| starts[start] + shift);
                let places = apart(places, part.len());
                if is_worthwhile(lexemes, places.len(), part.clone()) {
                    repeats.push(LexemeRepeat { places, length: part.len() });
                }
            }
        }
    }
    repeats
}

/// The places that are at least so far apart.
fn apart(places: impl Iterator<Item = LexemeIndex>, distance: usize) -> Vec<LexemeIndex> {
    let mut free = 0;
    let is_apart = |&place: &LexemeIndex| {
        let is_apart = usize::from(place) >= free;
        free = if is_apart { usize::from(place) + distance } else { free };
        is_apart
    };
    places.filter(is_apart).collect()
}

/// Some lexemes in a row.
struct Window {
    hash: u32,
    /// The start that it begins at.
    start: LexemeIndex,
}

/// The windows of so many lexemes at the given starts, without those that have too many line ends or end beyond the
/// text.
fn windows(
    lexemes: &Lexemes,
    starts: &[LexemeIndex],
    live: &[LexemeIndex],
    length: usize,
    max_newlines: u16,
) -> Vec<Window> {
    let hash = lexemes.hasher(length);
    let mut windows = Vec::with_capacity(live.len());
    for &start in live {
        let first = usize::from(starts[usize::from(start)]);
        let end = first + length;
        if end <= lexemes.count() && lexemes.newlines(first..end) <= max_newlines {
            windows.push(Window { hash: hash(first), start });
        }
    }
    windows
}

/// Leaves out windows that occur too rarely. That is most of many texts, and a small table of counters finds nearly all
/// of it without naming any.
fn leave_out_rare(windows: &mut Vec<Window>) {
    const COUNTERS: u32 = 15;
    let bucket = |window: &Window| (window.hash >> (u32::BITS - COUNTERS)) as usize;
    let mut counters = vec![0u8; 1 << COUNTERS];
    for window in windows.iter() {
        let counter = &mut counters[bucket(window)];
        *counter = counter.saturating_add(1);
    }
    windows.retain(|window| usize::from(counters[bucket(window)]) >= MIN_OCCURRENCES);
}

/// The windows of one length by start: the same name for the same hash.
struct WindowNames(Vec<WindowName>);

#[derive(Clone, Copy)]
struct WindowName {
    /// The first window like this one, or [`NONE`] if there are too few.
    first: LexemeIndex,
    /// The next window like this one, or [`NONE`].
    next: LexemeIndex,
    /// Of a first window: the last like it.
    last: LexemeIndex,
    /// Of a first window: how many there are like it.
    occurrences: LexemeIndex,
}

const NONE: LexemeIndex = LexemeIndex::MAX;

impl WindowNames {
    fn new(starts: usize, windows: &[Window]) -> Self {
        let slots = (2 * windows.len()).next_power_of_two();
        // Each slot holds the first window of a name, as an index into the windows.
        let mut table = vec![NONE; slots];
        let mut names =
            vec![WindowName { first: NONE, next: NONE, last: NONE, occurrences: 0 }; starts];
        for (index, &Window { hash, start }) in windows.iter().enumerate() {
            let mut slot = hash as usize % slots;
            while table[slot] != NONE && windows[usize::from(table[slot])].hash != hash {
                slot = (slot + 1) % slots;
            }
            if table[slot] == NONE {
                table[slot] = index as LexemeIndex;
                names[usize::from(start)] =
                    WindowName { first: start, next: NONE, last: start, occurrences: 1 };
            } else {
                let name = windows[usize::from(table[slot])].start;
                let first = &mut names[usize::from(name)];
                first.occurrences += 1;
                let last = std::mem::replace(&mut first.last, start);
                names[usize::from(last)].next = start;
                names[usize::from(start)].first = name;
            }
        }
        for window in windows {
            let name = names[usize::from(window.start)].first;
            if usize::from(names[usize::from(name)].occurrences) < MIN_OCCURRENCES {
                names[usize::from(window.start)].first = NONE;
            }
        }
        WindowNames(names)
    }

    /// Has the window at this start a name?
    fn has(&self, start: LexemeIndex) -> bool {
        self.0[usize::from(start)].first != NONE
    }

    /// How many windows are like this first one.
    fn occurrences(&self, first: usize) -> usize {
        self.0[first].occurrences.into()
    }

    /// The windows like this first one, by start.
    fn alike(&self, first: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(first), |&start| {
            Some(self.0[start].next).filter(|&next| next != NONE).map(usize::from)
        })
    }

    /// The runs of first windows each of which is always followed by the next and never occurs without it.
    fn chains(
        &self,
        live: &[LexemeIndex],
        starts: &[LexemeIndex],
        length: usize,
    ) -> Vec<Range<usize>> {
        let first = |start: usize| self.0.get(start).map_or(NONE, |name| name.first);
        // Whether every window like this one is followed by what follows the first of them.
        let mut always = vec![true; self.0.len()];
        for start in live.iter().map(|&start| usize::from(start)) {
            let name = usize::from(first(start));
            if first(start + 1) != first(name + 1) {
                always[name] = false;
            }
        }
        let mut chains = Vec::<Range<usize>>::new();
        for start in live.iter().map(|&start| usize::from(start)) {
            if usize::from(first(start)) != start {
                continue;
            }
            match chains.last_mut() {
                Some(chain)
                    if chain.end == start
                        && always[start - 1]
                        && self.0[start].occurrences == self.0[start - 1].occurrences
                        && usize::from(starts[start] - starts[start - 1]) <= length =>
                {
                    chain.end += 1;
                }
                _ => chains.push(start..start + 1),
            }
        }
        chains
    }
}
