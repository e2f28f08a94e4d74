//! Calibration: what providers count of whole requests, against what we count of the same text.
//!
//! Savings are counted with a public vocabulary, which is not always the model's own, and providers add to a prompt what is
//! in no body. So a figure of ours is not a figure on the provider's bill, and this says how far apart the two are, for
//! each model that was asked here. Money is not counted by it: it says what is measured, with how few requests ever.

use crate::{BoundedName, LedgerEntry};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tokenforge_tokens::for_model;

/// Models beyond this many are not told: clients choose their names.
const MODELS: usize = 50;

/// What a provider counts for a model, and what we count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCalibration {
    /// The model.
    pub model: String,
    /// The vocabulary that it is counted with here.
    pub vocabulary: String,
    /// That is the model's own.
    pub exact: bool,
    /// Requests of which both counts are known.
    pub requests: u64,
    /// Their input as the provider counted it, cached or not.
    pub provider: u64,
    /// Their text as we count it.
    pub counted: u64,
    /// The provider's tokens for one of ours.
    pub ratio: f64,
    /// Between which values that was in single requests.
    pub lowest: f64,
    /// The highest.
    pub highest: f64,
    /// The provider's tokens for one of ours that money is counted with.
    pub used: f64,
}

/// The sums so far.
#[derive(Debug, Default)]
pub(crate) struct CalibrationSums(BTreeMap<BoundedName, ModelSums>);

#[derive(Debug)]
struct ModelSums {
    requests: u64,
    provider: u64,
    counted: u64,
    lowest: f64,
    highest: f64,
}

impl CalibrationSums {
    /// Adds an entry, if both counted the same: not where the provider was asked again for one answer.
    pub(crate) fn add(&mut self, entry: &LedgerEntry) {
        let (Some(model), Some(usage), Some(counted)) =
            (&entry.model, &entry.usage, entry.counted.filter(|counted| *counted > 0))
        else {
            return;
        };
        let provider = usage.all_input();
        let is_once = entry.extra.is_none() && entry.advisors.is_empty() && provider > 0;
        let is_known = self.0.len() < MODELS || self.0.contains_key(model);
        if !is_once || !is_known {
            return;
        }
        let ratio = provider as f64 / counted as f64;
        let none =
            ModelSums { requests: 0, provider: 0, counted: 0, lowest: ratio, highest: ratio };
        let sums = self.0.entry(model.clone()).or_insert(none);
        sums.requests += 1;
        sums.provider = sums.provider.saturating_add(provider);
        sums.counted = sums.counted.saturating_add(counted);
        sums.lowest = sums.lowest.min(ratio);
        sums.highest = sums.highest.max(ratio);
    }

    /// By model, the one with the most requests first.
    pub(crate) fn report(&self) -> Vec<ModelCalibration> {
        let row = |(name, sums): (&BoundedName, &ModelSums)| {
            let model = for_model(name.as_str());
            ModelCalibration {
                model: name.to_string(),
                vocabulary: model.vocabulary.to_string(),
                exact: model.exact,
                requests: sums.requests,
                provider: sums.provider,
                counted: sums.counted,
                ratio: round(sums.provider as f64 / sums.counted as f64),
                lowest: round(sums.lowest),
                highest: round(sums.highest),
                used: model.cost_factor,
            }
        };
        let mut rows: Vec<ModelCalibration> = self.0.iter().map(row).collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.requests), row.model.clone()));
        rows
    }
}

fn round(ratio: f64) -> f64 {
    crate::share::round_to(ratio, 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntrySource, TokenUsage};

    fn entry(model: &str, provider: u64, counted: Option<u64>) -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        entry.model = Some(model.into());
        let usage = TokenUsage { input: provider / 2, ..TokenUsage::default() };
        entry.usage = Some(TokenUsage { cache_read: Some(provider - provider / 2), ..usage });
        entry.counted = counted;
        entry
    }

    #[test]
    fn v14_a_models_ratio_is_of_all_its_tokens_and_says_whose_vocabulary_counts() {
        let mut sums = CalibrationSums::default();
        sums.add(&entry("gpt-4o", 1_010, Some(1_000)));
        for (provider, counted) in [(1_200, 1_000), (5_200, 4_000)] {
            sums.add(&entry("claude-sonnet-4-5", provider, Some(counted)));
        }
        let report = sums.report();
        let [claude, gpt] = &report[..] else { panic!("{report:?}") };
        assert_eq!(
            (claude.model.as_str(), claude.requests, claude.ratio),
            ("claude-sonnet-4-5", 2, 1.28)
        );
        assert_eq!((claude.lowest, claude.highest, claude.used), (1.2, 1.3, 1.18));
        assert_eq!((&*claude.vocabulary, claude.exact), ("o200k_base", false));
        assert_eq!((gpt.ratio, gpt.exact), (1.01, true));
    }

    #[test]
    fn v14_what_only_one_of_them_counted_is_left_out() {
        let mut sums = CalibrationSums::default();
        sums.add(&entry("gpt-4o", 1_000, None));
        let mut not_told = entry("gpt-4o", 1_000, Some(900));
        not_told.usage = None;
        sums.add(&not_told);
        let mut asked_twice = entry("gpt-4o", 2_000, Some(900));
        asked_twice.extra = Some(TokenUsage::default());
        sums.add(&asked_twice);
        sums.add(&entry("gpt-4o", 0, Some(900)));
        assert_eq!(sums.report(), []);
    }
}
