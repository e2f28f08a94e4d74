//! Google's Interactions: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{events, remember, whole};

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule, items, text};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "call_";

/// What Google refuses. It documents none of its words: these are ours.
pub(crate) const RULES: &[&[Rule]] = &[request::RULES, pairing::RULES];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(RULES, asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({ "error": { "code": "invalid_request", "message": broken.message } })
}

/// The type of a step, or of a content.
fn kind(step: &Value) -> &str {
    text(&step["type"])
}

/// The steps of a request; none if it has something else in their place.
fn steps<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    match &asked.body["input"] {
        step @ Value::Object(_) => std::slice::from_ref(step),
        list => items(list),
    }
}

/// What the signature of a thought is over.
fn sealed(thought: &Value) -> String {
    let summary: Vec<_> =
        items(&thought["summary"]).iter().map(|part| text(&part["text"])).collect();
    summary.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let all = [request::EXAMPLES, &pairing::examples()].concat();
        refusal::prove(RULES, "gemini-3-pro", ('I', r#"{"model":"gemini-3-pro","input":"#), &all);
    }
}
