//! A bit set of the lexemes that entries replace, and what is left of a repeat beside them.

use std::ops::Range;

use super::MIN_OCCURRENCES;
use super::lexemes::{LexemeIndex, Lexemes};
use super::repeats::LexemeRepeat;

/// About how many lexemes a marker costs. No repeat is shorter.
const MARKER: usize = 6;

/// The lexemes that entries replace already: a bit for each.
pub(super) struct TakenLexemes<'l> {
    lexemes: &'l Lexemes<'l>,
    max_newlines: u16,
    words: Vec<u64>,
}

impl<'l> TakenLexemes<'l> {
    pub(super) fn nothing(lexemes: &'l Lexemes, max_newlines: u16) -> Self {
        TakenLexemes { lexemes, max_newlines, words: vec![0; lexemes.count() / 64 + 1] }
    }

    /// Takes the places of an entry.
    pub(super) fn take(&mut self, entry: &LexemeRepeat) {
        for place in entry.occurrences() {
            for (word, bits) in words(place) {
                self.words[word] |= bits;
            }
        }
    }

    /// What can be had of a repeat: its free places, or more of them if it is cut down to what the first of the others
    /// has left; then made as long as all of them allow.
    pub(super) fn fit(&self, repeat: LexemeRepeat) -> Option<LexemeRepeat> {
        let cut = self.cut_to_free(&repeat).map(|cut| self.free(cut));
        let mut fitted = self.free(repeat);
        if let Some(cut) = cut
            && cut.places.len() * (cut.length - MARKER)
                > fitted.places.len() * (fitted.length - MARKER)
        {
            fitted = cut;
        }
        (fitted.places.len() >= MIN_OCCURRENCES).then(|| self.extend(fitted))
    }

    /// The repeat with its free places only.
    fn free(&self, mut repeat: LexemeRepeat) -> LexemeRepeat {
        let length = repeat.length;
        repeat.places.retain(|&place| self.is_free(place.into()..usize::from(place) + length));
        repeat
    }

    /// The repeat cut down to what is free of its first place that is not free as a whole.
    fn cut_to_free(&self, repeat: &LexemeRepeat) -> Option<LexemeRepeat> {
        let blocked = repeat.occurrences().find(|place| !self.is_free(place.clone()))?;
        let mut start = blocked.start;
        let mut longest = start..start;
        for lexeme in blocked.clone() {
            if !self.is_free(lexeme..lexeme + 1) {
                start = lexeme + 1;
            } else if lexeme + 1 - start > longest.len() {
                longest = start..lexeme + 1;
            }
        }
        let shift = (longest.start - blocked.start) as LexemeIndex;
        (longest.len() > MARKER).then(|| LexemeRepeat {
            places: repeat.places.iter().map(|place| place + shift).collect(),
            length: longest.len(),
        })
    }

    /// The repeat with what precedes and follows it everywhere.
    fn extend(&self, mut repeat: LexemeRepeat) -> LexemeRepeat {
        while self.agree(&repeat, |place| Some(place.end), |place| place.start..place.end + 1) {
            repeat.length += 1;
        }
        while self.agree(
            &repeat,
            |place| place.start.checked_sub(1),
            |place| place.start - 1..place.end,
        ) {
            repeat.length += 1;
            for place in &mut repeat.places {
                *place -= 1;
            }
        }
        repeat
    }

    /// Can every place be made longer by a lexeme, and is that the same lexeme everywhere?
    fn agree(
        &self,
        repeat: &LexemeRepeat,
        neighbour: impl Fn(&Range<usize>) -> Option<usize>,
        longer: impl Fn(&Range<usize>) -> Range<usize>,
    ) -> bool {
        let text = |place: &Range<usize>| {
            let lexeme = neighbour(place).filter(|&lexeme| lexeme < self.lexemes.count())?;
            self.is_free(lexeme..lexeme + 1).then(|| self.lexemes.text(lexeme..lexeme + 1))
        };
        let first = repeat.first();
        let Some(same) = text(&first) else { return false };
        let mut end = 0;
        self.lexemes.newlines(longer(&first)) <= self.max_newlines
            && repeat.occurrences().all(|place| {
                let longer = longer(&place);
                let is_apart = longer.start >= end;
                end = longer.end;
                is_apart && text(&place) == Some(same)
            })
    }

    fn is_free(&self, lexemes: Range<usize>) -> bool {
        words(lexemes).all(|(word, bits)| self.words[word] & bits == 0)
    }
}

/// The words in which the bits of some lexemes are, and those bits.
fn words(lexemes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (lexemes.start / 64, (lexemes.end - 1) / 64);
    (first..=last).map(move |word| {
        let low = if word == first { u64::MAX << (lexemes.start % 64) } else { u64::MAX };
        let high = if word == last { u64::MAX >> (63 - (lexemes.end - 1) % 64) } else { u64::MAX };
        (word, low & high)
    })
}
