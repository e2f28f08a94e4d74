//! What a strategy made of the results of a request, found by their texts.

use crate::strategy_decision::StrategyRefusal;
use std::collections::HashMap;
use tokenforge_engine::{CompressedOutput, Output};

/// What strategies made of the results of a request.
#[derive(Debug, Default)]
pub struct StrategyAnswers {
    /// What is forwarded, by the hash of the result.
    pub by_text: HashMap<blake3::Hash, CompressedOutput>,
    /// Why the strategy's text is not used for others.
    pub refusals: HashMap<blake3::Hash, StrategyRefusal>,
    /// What the strategy reported where it failed.
    pub errors: HashMap<blake3::Hash, Box<str>>,
    /// The strategy by name.
    pub strategy: Option<&'static str>,
}

impl StrategyAnswers {
    /// What was made of this output.
    pub(crate) fn find(&self, output: &Output<'_>) -> Option<CompressedOutput> {
        if self.by_text.is_empty() {
            return None;
        }
        self.by_text.get(&blake3::hash(output.text.as_bytes())).cloned()
    }

    /// Why the strategy's text is not used for this output, if it was asked.
    pub(crate) fn refusal_of(&self, output: &Output<'_>) -> Option<StrategyRefusal> {
        if self.refusals.is_empty() {
            return None;
        }
        self.refusals.get(&blake3::hash(output.text.as_bytes())).copied()
    }

    /// What the strategy reported for this output, if it failed.
    pub(crate) fn error_of(&self, output: &Output<'_>) -> Option<Box<str>> {
        if self.errors.is_empty() {
            return None;
        }
        self.errors.get(&blake3::hash(output.text.as_bytes())).cloned()
    }

    /// The strategy whose words are in these.
    pub(crate) fn strategy_of(&self, output: &Output<'_>) -> Option<&'static str> {
        self.find(output).and(self.strategy)
    }
}
