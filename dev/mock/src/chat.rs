//! OpenAI Chat Completions: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{events, whole};

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "call_";

/// What OpenAI refuses.
pub(crate) const RULES: &[&[Rule]] = &[request::RULES, pairing::RULES];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(RULES, asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({
        "error": {
            "message": broken.message,
            "type": "invalid_request_error",
            "param": broken.param,
            "code": broken.code,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let all = [request::EXAMPLES, &pairing::examples()].concat();
        refusal::prove(RULES, "gpt", ('M', r#"{"model":"gpt","messages":"#), &all);
    }
}
