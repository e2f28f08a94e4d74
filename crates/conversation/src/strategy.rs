//! Strategies: what may shorten results that are still large after the stages.
//!
//! Here is what decides: which results a strategy may be asked about, whether its text is taken, and that a later request
//! gets the same. To ask a service or a model is up to the program.

mod candidate;

pub use crate::strategy_answers::StrategyAnswers;
pub use crate::strategy_decision::{StrategyDecision, StrategyRefusal};
pub use candidate::{StrategyCandidate, find_candidates};
