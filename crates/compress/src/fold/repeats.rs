//! Finding what repeats: lines as numbers, equal ones the same, so that a block is compared number by number.

use std::collections::HashMap;

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
    /// `None` if no line repeats.
    pub(super) fn new(lines: &'a [&'a str]) -> Option<Self> {
        let mut last: HashMap<&str, (usize, usize)> = HashMap::with_capacity(lines.len());
        let mut repeats = Self {
            lines,
            ids: Vec::with_capacity(lines.len()),
            previous: Vec::with_capacity(lines.len()),
            firsts: Firsts::default(),
            shown: vec![true; lines.len()],
        };
        for (index, line) in lines.iter().enumerate() {
            let id = last.len();
            let seen = last.entry(line).or_insert((id, usize::MAX));
            repeats.ids.push(seen.0);
            repeats.previous.push(Some(seen.1).filter(|&seen| seen != usize::MAX));
            seen.1 = index;
        }
        if last.len() == lines.len() {
            return None;
        }
        lines.iter().enumerate().for_each(|(index, line)| repeats.firsts.add(line, index));
        Some(repeats)
    }

    /// The notes that pay, each with the first line it stands for.
    pub(super) fn notes(mut self) -> Vec<(usize, Note<'a>)> {
        let mut notes = Vec::new();
        let mut index = 0;
        while index < self.lines.len() {
            if self.previous[index].is_none() {
                index += 1;
                continue;
            }
            let above = self.above(index);
            let note = above.or_else(|| self.again(index));
            let covered = note.map_or(1, |note| note.lines());
            let end = index + covered;
            if let Some(note) = note.filter(|note| self.pays(index..end, note)) {
                self.shown[index..end].fill(false);
                notes.push((index, note));
            }
            index = end;
        }
        notes
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

    fn pays(&self, lines: std::ops::Range<usize>, note: &Note) -> bool {
        let lines = &self.lines[lines];
        let bytes: usize = lines.iter().map(|line| line.len()).sum();
        let tokens: usize = lines.iter().map(|line| line_weight(line)).sum();
        let note = note.to_string();
        bytes >= FEWEST_BYTES && bytes > note.len() && tokens >= line_weight(&note) + LEAST_SAVED
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
