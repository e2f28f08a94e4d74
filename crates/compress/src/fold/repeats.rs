//! Finding what repeats: lines as numbers, equal ones the same, so that a block is compared number by number.

use foldhash::HashMap;
use std::ops::Range;

use super::note::{Firsts, Note, name};
use crate::weight::weight;

/// Blocks longer than this are not looked for right behind themselves.
const LONGEST_PERIOD: usize = 32;
/// So many earlier places of a line are tried as the start of a period.
const TRIED: usize = 4;
/// Tokens that a note must save.
const LEAST_SAVED: usize = 8;
/// A block that is pointed to has at least this many lines and characters.
const FEWEST_LINES: usize = 3;
const FEWEST_BYTES: usize = 40;
/// A line shorter than this is no name to find a block by.
const SHORTEST_NAME: usize = 8;

/// Lines from `first` on that a note stands for.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    pub(super) first: usize,
    pub(super) note: Note<'a>,
    /// Tokens, by a rough guess.
    pub(super) saved: usize,
}

/// The lines of a text and where each was seen before.
#[derive(Debug)]
pub(super) struct Repeats<'a> {
    lines: &'a [&'a str],
    /// Equal for equal lines.
    ids: Vec<usize>,
    /// The line before that is equal.
    previous: Vec<Option<usize>>,
    firsts: Firsts<'a>,
    /// Is the line in the folded text?
    shown: Vec<bool>,
}

impl<'a> Repeats<'a> {
    /// `None` if the lines that repeat have fewer than `least` bytes.
    pub(super) fn new(lines: &'a [&'a str], least: usize) -> Option<Self> {
        let mut last: HashMap<&str, (usize, usize)> =
            HashMap::with_capacity_and_hasher(lines.len(), Default::default());
        let mut repeats = Self {
            lines,
            ids: Vec::with_capacity(lines.len()),
            previous: Vec::with_capacity(lines.len()),
            firsts: Firsts::default(),
            shown: vec![true; lines.len()],
        };
        let mut repeated = 0;
        for (index, line) in lines.iter().enumerate() {
            let id = last.len();
            let seen = last.entry(line).or_insert((id, usize::MAX));
            repeats.ids.push(seen.0);
            repeats.previous.push(Some(seen.1).filter(|&seen| seen != usize::MAX));
            repeated += if seen.0 == id { 0 } else { line.len() };
            seen.1 = index;
        }
        if repeated < least {
            return None;
        }
        lines.iter().enumerate().for_each(|(index, line)| repeats.firsts.add(line, index));
        Some(repeats)
    }

    /// What is worth folding.
    pub(super) fn folds(mut self) -> Vec<Fold<'a>> {
        let mut folds = Vec::new();
        let mut first = 0;
        while first < self.lines.len() {
            let note = match self.previous[first] {
                Some(_) => self.above(first).or_else(|| self.again(first)),
                None => None,
            };
            let end = first + note.map_or(1, |note| note.lines());
            let saved = note.and_then(|note| self.saved(first..end, &note));
            if let (Some(note), Some(saved)) = (note, saved) {
                self.shown[first..end].fill(false);
                folds.push(Fold { first, note, saved });
            }
            first = end;
        }
        folds
    }

    /// Does the block right above come again, and how often? The shortest that covers most.
    fn above(&self, index: usize) -> Option<Note<'a>> {
        let places = std::iter::successors(self.previous[index], |&place| self.previous[place]);
        let periods = places.map(|place| index - place).take(TRIED);
        let periods = periods.take_while(|&period| period <= LONGEST_PERIOD);
        let notes = periods.filter_map(|lines| {
            let block = &self.ids[index - lines..index];
            let all_shown = self.shown[index - lines..index].iter().all(|&shown| shown);
            let rest = self.ids[index..].chunks_exact(lines);
            let times = rest.take_while(|next| all_shown && *next == block).count();
            (times > 0).then_some(Note::Above { lines, times })
        });
        notes.max_by_key(|note| (note.lines(), std::cmp::Reverse(period(note))))
    }

    /// The block that starts here and stands at its first line's first place.
    fn again(&self, index: usize) -> Option<Note<'a>> {
        let from = name(self.lines[index]);
        if from.trim().len() < SHORTEST_NAME {
            return None;
        }
        let source = self.firsts.get(from).filter(|&source| source < index)?;
        let pairs = (source..index).zip(index..self.lines.len());
        let equal = pairs.take_while(|&(a, b)| self.shown[a] && self.ids[a] == self.ids[b]);
        let lines = equal.count();
        (lines >= FEWEST_LINES).then_some(Note::Again { lines, from })
    }

    /// The tokens that a note saves, if they are worth it.
    fn saved(&self, lines: Range<usize>, note: &Note) -> Option<usize> {
        let lines = &self.lines[lines];
        let note = note.to_string();
        let bytes: usize = lines.iter().map(|line| line.len()).sum();
        if bytes < FEWEST_BYTES || bytes <= note.len() {
            return None;
        }
        let tokens: usize = lines.iter().map(|line| line_weight(line)).sum();
        tokens.checked_sub(line_weight(&note)).filter(|&saved| saved >= LEAST_SAVED)
    }
}

fn period(note: &Note) -> usize {
    match note {
        Note::Above { lines, .. } | Note::Again { lines, .. } => *lines,
    }
}

/// A line end costs a token, but those of empty lines go together.
fn line_weight(line: &str) -> usize {
    weight(line) + usize::from(!line.is_empty())
}
