//! What is measured on live traffic beside it, and what that may cost.

/// The shadow comparison: `tokenforge shadow`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShadowSettings {
    /// Which part of the requests is asked three times more; 0 is none.
    pub share: f64,
    /// What that may cost in a day (UTC), in dollars.
    pub budget_usd: f64,
    /// How much more often a model may act otherwise on compressed requests before what compresses is held.
    pub harm_bound: f64,
}

impl Default for ShadowSettings {
    fn default() -> Self {
        ShadowSettings { share: 0.0, budget_usd: 1.0, harm_bound: 0.01 }
    }
}

impl ShadowSettings {
    /// Is anything measured?
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.share > 0.0 && self.budget_usd > 0.0
    }
}
