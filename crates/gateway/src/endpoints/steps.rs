//! What a stage did, for people.

use serde_json::{Value, json};
use tokenforge_engine::Step;

/// A step, with the text that it left if that was kept.
pub(super) fn step_document(step: &Step) -> Value {
    json!({
        "stage": step.stage,
        "fidelity": format!("{:?}", step.fidelity).to_lowercase(),
        "is_applied": step.is_applied(),
        "outcome": step.outcome.describe(),
        "tokens_before": step.tokens.map(|(before, _)| before),
        "tokens_after": step.tokens.map(|(_, after)| after),
        "text": step.texts.as_ref().map(|texts| &texts.1),
    })
}
