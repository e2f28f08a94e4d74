//! OpenAI Chat Completions: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{events, whole};

use crate::refusal::{self, Asked, Broken, Refusal};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "call_";

/// Refuses what OpenAI refuses.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), Refusal> {
    refusal::check(&[request::RULES, pairing::RULES], asked)
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
        let filled = |example: &str| match example.strip_prefix('M') {
            Some(messages) => format!(r#"{{"model":"gpt","messages":{messages}}}"#),
            None => example.to_owned(),
        };
        let all: Vec<_> =
            all.iter().map(|(name, good, bad)| (*name, filled(good), filled(bad))).collect();
        let all: Vec<_> =
            all.iter().map(|(name, good, bad)| (*name, good.as_str(), bad.as_str())).collect();
        refusal::prove(&[request::RULES, pairing::RULES], "gpt", &all);
    }
}
