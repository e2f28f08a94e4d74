//! Finding what repeats: lines as numbers, equal ones the same, so that a block is compared number by number.

use foldhash::HashMap;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

use super::note::{FirstLines, FoldNote, line_name};
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
pub(super) struct FoldedRun<'a> {
    pub(super) first: usize,
    pub(super) note: FoldNote<'a>,
    /// Tokens, by a rough guess.
    pub(super) saved: usize,
}

/// The lines of a text and where each was seen before.
#[derive(Debug)]
pub(super) struct LineRepeats<'a> {
    lines: &'a [&'a str],
    /// Equal for equal lines.
    ids: Vec<usize>,
    /// The line before that is equal.
    previous: Vec<Option<usize>>,
    firsts: FirstLines<'a>,
    /// Is the line in the folded text?
    shown: Vec<bool>,
}

impl<'a> LineRepeats<'a> {
    /// `None` if notes surely save fewer than `least` tokens.
    pub(super) fn new(lines: &'a [&'a str], least: usize) -> Option<Self> {
        if most_saved(lines) < least {
            return None;
        }
        let mut last: HashMap<&str, (usize, usize)> =
            HashMap::with_capacity_and_hasher(lines.len(), Default::default());
        let mut repeats = Self {
            lines,
            ids: Vec::with_capacity(lines.len()),
            previous: Vec::with_capacity(lines.len()),
            firsts: FirstLines::default(),
            shown: vec![true; lines.len()],
        };
        for (index, line) in lines.iter().enumerate() {
            let id = last.len();
            let seen = last.entry(line).or_insert((id, usize::MAX));
            repeats.ids.push(seen.0);
            repeats.previous.push(Some(seen.1).filter(|&seen| seen != usize::MAX));
            seen.1 = index;
        }
        lines.iter().enumerate().for_each(|(index, line)| repeats.firsts.add(line, index));
        Some(repeats)
    }

    /// What is worth folding.
    pub(super) fn folds(mut self) -> Vec<FoldedRun<'a>> {
        let mut folds = Vec::new();
        let mut first = 0;
        while first < self.lines.len() {
            let note = match self.previous[first] {
                Some(_) => self.above(first).or_else(|| self.again(first)),
                None => None,
            };
            let end = first + note.map_or(1, |note| note.lines());
            let saved = note.and_then(|note| self.saving_of(first..end, &note));
            if let (Some(note), Some(saved)) = (note, saved) {
                self.shown[first..end].fill(false);
                folds.push(FoldedRun { first, note, saved });
            }
            first = end;
        }
        folds
    }

    /// Does the block right above come again, and how often? The shortest that covers most.
    fn above(&self, index: usize) -> Option<FoldNote<'a>> {
        let places = std::iter::successors(self.previous[index], |&place| self.previous[place]);
        let periods = places.map(|place| index - place).take(TRIED);
        let periods = periods.take_while(|&period| period <= LONGEST_PERIOD);
        let notes = periods.filter_map(|lines| {
            let block = &self.ids[index - lines..index];
            let all_shown = self.shown[index - lines..index].iter().all(|&shown| shown);
            let rest = self.ids[index..].chunks_exact(lines);
            let times = rest.take_while(|next| all_shown && *next == block).count();
            (times > 0).then_some(FoldNote::Above { lines, times })
        });
        notes.max_by_key(|note| (note.lines(), std::cmp::Reverse(period(note))))
    }

    /// The block that starts here and stands at its first line's first place.
    fn again(&self, index: usize) -> Option<FoldNote<'a>> {
        let from = line_name(self.lines[index]);
        if from.trim().len() < SHORTEST_NAME {
            return None;
        }
        let source = self.firsts.get(from).filter(|&source| source < index)?;
        let pairs = (source..index).zip(index..self.lines.len());
        let equal = pairs.take_while(|&(a, b)| self.shown[a] && self.ids[a] == self.ids[b]);
        let lines = equal.count();
        (lines >= FEWEST_LINES).then_some(FoldNote::Again { lines, from })
    }

    /// The tokens that a note saves, if they are worth it.
    fn saving_of(&self, lines: Range<usize>, note: &FoldNote) -> Option<usize> {
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

/// Notes save no more tokens than this. The lines that they can stand for are found by one bit of a hash, so that some
/// which do not repeat are among them; and no line has more tokens than bytes, with its end.
fn most_saved(lines: &[&str]) -> usize {
    let bits = (lines.len() * 64).next_power_of_two().max(64);
    let mut seen = vec![0u64; bits / 64];
    let mut is_seen = |line: &str| {
        let at = xxh3_64(line.as_bytes()) as usize & (bits - 1);
        let (word, bit) = (&mut seen[at / 64], 1 << (at % 64));
        std::mem::replace(word, *word | bit) & bit != 0
    };
    // A run too short to be pointed to can only repeat the line or two right above it.
    let is_near =
        |index: usize| lines[index.saturating_sub(FEWEST_LINES - 1)..index].contains(&lines[index]);
    let (mut bytes, mut first) = (0, 0);
    for index in 0..=lines.len() {
        if lines.get(index).is_some_and(|line| is_seen(line)) {
            continue;
        }
        let mut run = first..index;
        if run.len() >= FEWEST_LINES || run.any(is_near) {
            bytes += lines[first..index].iter().map(|line| line.len() + 1).sum::<usize>();
        }
        first = index + 1;
    }
    bytes
}

fn period(note: &FoldNote) -> usize {
    match note {
        FoldNote::Above { lines, .. } | FoldNote::Again { lines, .. } => *lines,
    }
}

/// A line end costs a token, but those of empty lines go together.
fn line_weight(line: &str) -> usize {
    weight(line) + usize::from(!line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn notes_never_save_more_than_the_most(
            lines in vec(prop_oneof!["[1}.-]{1,2}", "[a-c]{1,3}", "[ab] (far longer|line|of words)"], 0..80),
            times in 1usize..120,
        ) {
            let repeated = vec!["1"; times];
            let lines: Vec<&str> = repeated.into_iter().chain(lines.iter().map(|line| &**line)).collect();
            let most = most_saved(&lines);
            let folds = LineRepeats::new(&lines, 0).expect("nothing is less than nothing").folds();
            let saved: usize = folds.iter().map(|fold| fold.saved).sum();
            prop_assert!(saved <= most, "{saved} of {most}");
        }
    }
}
