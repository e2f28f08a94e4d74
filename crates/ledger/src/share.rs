//! A saving against four denominators, each with its name, so that the reader takes none for another.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a saving is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShareDenominator {
    /// The tool outputs that were made smaller, each counted when it first appears.
    OutputsTouched,
    /// All tool outputs, each counted when it first appears.
    AllToolOutput,
    /// All input of all requests: prompts, schemas, history sent again and again.
    WholeContext,
    /// What the provider charged, in dollars.
    Bill,
}

impl ShareDenominator {
    const ALL: [Self; 4] =
        [Self::OutputsTouched, Self::AllToolOutput, Self::WholeContext, Self::Bill];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ShareDenominator::OutputsTouched => "outputs touched",
            ShareDenominator::AllToolOutput => "all tool output",
            ShareDenominator::WholeContext => "whole context",
            ShareDenominator::Bill => "bill",
        }
    }
}

impl Serialize for ShareDenominator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ShareDenominator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|of| of.name() == name);
        found.ok_or_else(|| D::Error::custom("expected the name of a denominator"))
    }
}

/// A saving as a part of something. What the model fetched back is taken off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavingShare {
    /// Of what.
    pub of: ShareDenominator,
    /// How much that would have been without us: tokens, or dollars of the bill.
    pub before: f64,
    /// How much less it was.
    pub saved: f64,
    /// The part; none where there is nothing to be a part of.
    pub share: Option<f64>,
    /// How many requests, or calls of a hook or a tool, this is about.
    pub requests: u64,
    /// How it was counted, or why it is not known: one sentence.
    pub note: String,
}

impl SavingShare {
    pub(crate) fn new(
        of: ShareDenominator,
        before: f64,
        saved: f64,
        requests: u64,
        note: String,
    ) -> Self {
        let share = (before > 0.0).then(|| round_to(saved / before, 1e4));
        let (before, saved) = (round_to(before, 1e6), round_to(saved, 1e6));
        SavingShare { of, before, saved, share, requests, note }
    }
}

/// Without the digits that only arithmetic made.
pub(crate) fn round_to(number: f64, parts: f64) -> f64 {
    let rounded = (number * parts).round() / parts;
    // Zero has no sign in a report: -0 becomes 0.
    if rounded == 0.0 { 0.0 } else { rounded }
}
