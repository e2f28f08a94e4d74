//! Gemini `generateContent`: what it refuses, and how it answers.

mod reply;
mod rules;

pub(crate) use reply::{array, events, whole};

use crate::refusal::{self, Asked, Broken, Refusal, Rule};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "fc";

/// What Gemini refuses.
pub(crate) const RULES: &[&[Rule]] = &[rules::RULES];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), Refusal> {
    refusal::check(RULES, asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({ "error": { "code": 400, "message": broken.message, "status": "INVALID_ARGUMENT" } })
}

/// Models from the third generation on give ids to their calls and demand their signatures back.
fn is_strict(model: &str) -> bool {
    model.starts_with("gemini-3")
}

/// What the signature of a call is over.
fn signed(call: &Value) -> String {
    // The id's checksum is the same for every spelling of the arguments.
    let arguments = call["args"].to_string();
    crate::seal::call_id("", 0, 0, true, refusal::text(&call["name"]), &arguments)
}
