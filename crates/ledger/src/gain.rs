//! The gain report: what was gained, as one document, `tokenforge gain --json` and `GET /_forge/api/gain`.

use crate::{
    ColdCacheReport, DeclarationReport, GroupBy, ModelCalibration, SavingShare, ShadowCost,
};
use serde::{Deserialize, Serialize};

/// What was gained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GainReport {
    /// The time of the first entry, in RFC 3339.
    pub since: Option<String>,
    /// The time of the last entry.
    pub until: Option<String>,
    /// Requests, and calls of hooks and tools.
    pub requests: u64,
    /// Those of them that were paid for with a subscription: their tokens are counted and have no price.
    #[serde(default)]
    pub subscription_requests: u64,
    /// Tool results, each counted when it first appears.
    pub results: u64,
    /// Their tokens.
    pub tokens: TokenSums,
    /// The same results as they were sent again with later requests.
    pub repeated: RepeatedResults,
    /// The saving against four denominators.
    pub shares: Vec<SavingShare>,
    /// The saving in money, if any price is known.
    pub cost: Option<CostSaving>,
    /// What would have been saved where it was only measured; no part of anything above.
    pub observed: RepeatedResults,
    /// What it costs that providers' caches were cold after pauses, and in which sessions.
    #[serde(default)]
    pub cold_caches: ColdCacheReport,
    /// Tools that were declared, and those of them that were never called; nothing where no request says.
    #[serde(default)]
    pub declarations: Option<DeclarationReport>,
    /// What providers count for one token of ours, by model.
    #[serde(default)]
    pub calibration: Vec<ModelCalibration>,
    /// What was spent on shadow requests: no part of anything above.
    #[serde(default)]
    pub shadow: Option<ShadowCost>,
    /// What the rows are.
    pub by: GroupBy,
    /// The sums by name, largest saving first; days in their order. They add up to the figures above.
    pub rows: Vec<GainRow>,
    /// Lines of the ledger that were no entries: torn, or written by another program or version.
    pub skipped_lines: u64,
}

/// Tokens of results, each counted when it first appears.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenSums {
    /// As they came.
    pub before: u64,
    /// As they went on.
    pub after: u64,
    /// What that is less.
    pub saved: i64,
    /// What the model fetched back.
    pub expanded: u64,
    /// What is saved after that.
    pub net: i64,
}

/// Results that are counted apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedResults {
    /// How many.
    pub results: u64,
    /// Their tokens as they came.
    pub before: u64,
    /// Their tokens as they went on.
    pub after: u64,
}

/// The currency of prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Currency {
    /// US dollars.
    #[serde(rename = "USD")]
    Usd,
}

/// A saving in money.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CostSaving {
    /// The currency of the prices.
    pub currency: Currency,
    /// What the requests would have cost whose bill is known.
    pub before: f64,
    /// What they cost, by the tokens that the provider counted.
    pub after: f64,
    /// The difference.
    pub saved: f64,
    /// How many requests these are.
    pub requests: u64,
    /// What was saved, at list prices, in requests whose bill is not known.
    pub saved_elsewhere: f64,
}

/// The sums of one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GainRow {
    /// The tool, client, project or day, or the stages that were taken.
    pub name: String,
    /// Results, each counted when it first appears.
    pub results: u64,
    /// Their tokens as they came.
    pub before: u64,
    /// Their tokens as they went on.
    pub after: u64,
    /// What that is less.
    pub saved: i64,
    /// What the model fetched back.
    pub expanded: u64,
    /// What is saved after that.
    pub net: i64,
    /// The same results as they were sent again.
    pub repeated: RepeatedResults,
    /// What new and repeated results saved in dollars, after what was fetched back; none where no price is known.
    pub cost_saved: Option<f64>,
}
