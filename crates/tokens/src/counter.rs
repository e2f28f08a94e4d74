//! The questions: how many, at most this many, which is fewer.

use crate::meter::{Meter, Race};
use crate::{Vocabulary, estimate};

/// What counts tokens. Made for free, copied for free; see the crate page for when tables are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Counter {
    /// The real tokenizer of a vocabulary (decision 1).
    Exact(Vocabulary),
    /// A heuristic without tables, close to o200k. For callers that ask for speed.
    ///
    /// Letters, digits, punctuation, blanks and bytes outside ASCII are weighted separately, for
    /// the first of a run and for each further one, in 1/256 token:
    ///
    #[doc = include_str!("estimate.md")]
    Estimate,
}

impl Default for Counter {
    fn default() -> Self {
        Counter::Exact(Vocabulary::default())
    }
}

impl From<Vocabulary> for Counter {
    fn from(vocabulary: Vocabulary) -> Self {
        Counter::Exact(vocabulary)
    }
}

impl Counter {
    /// How many tokens `text` has.
    pub fn count(&self, text: &str) -> usize {
        match *self {
            Counter::Exact(vocabulary) => Meter::new(vocabulary, text).finish(),
            Counter::Estimate => estimate::count(text),
        }
    }

    /// `Some(n)` if `text` has at most `limit` tokens; `None` as soon as it is known to have more.
    pub fn count_within(&self, text: &str, limit: usize) -> Option<usize> {
        match *self {
            Counter::Exact(vocabulary) => Meter::new(vocabulary, text).finish_within(limit),
            Counter::Estimate => Some(estimate::count(text)).filter(|&tokens| tokens <= limit),
        }
    }

    /// Has `a` strictly fewer tokens than `b`? Counts no more than the answer needs: not what both
    /// begin or end with, and of the dearer text about as much as the cheaper one has.
    pub fn is_cheaper(&self, a: &str, b: &str) -> bool {
        match *self {
            Counter::Exact(vocabulary) => Race::new(vocabulary, a, b).first_is_cheaper(),
            Counter::Estimate => estimate::count(a) < estimate::count(b),
        }
    }

    /// Builds the table now, so that no later call waits for it.
    pub fn warm(&self) {
        match *self {
            Counter::Exact(vocabulary) => {
                vocabulary.table();
            }
            Counter::Estimate => {}
        }
    }
}
