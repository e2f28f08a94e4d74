//! The tariff of a model: what its tokens cost, and how long the provider keeps them.

use super::cold_cache::CacheLifetimes;
use crate::plan::ReplayPlan;
use tokenforge_config::Price;
use tokenforge_tokens::for_model;

/// What the tokens of a model cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tariff {
    pub(super) price: Price,
    pub(super) is_known: bool,
    /// Tokens that the provider bills for each one counted.
    pub(super) factor: f64,
    /// How long it keeps them.
    pub(super) lifetimes: CacheLifetimes,
}

impl Tariff {
    pub(super) fn of(plan: &ReplayPlan<'_>, model: Option<&str>) -> Self {
        let (price, is_known) = plan.price(model);
        let factor = model.map_or(1.0, |model| for_model(model).cost_factor);
        Tariff { price, is_known, factor, lifetimes: CacheLifetimes::new(model) }
    }
}
