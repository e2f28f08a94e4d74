//! Anthropic Messages: what it refuses, and how it answers.

mod blocks;
mod pairing;
mod reply;
mod request;

pub(crate) use reply::{events, payloads, whole};

use crate::refusal::{self, Asked, Broken, Refusal};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "toolu_01";

/// Refuses what Anthropic refuses, in a question or in a count of its tokens.
pub(crate) fn check(asked: &Asked<'_>, counts: bool) -> Result<(), Refusal> {
    let top = if counts { request::COUNT } else { request::QUESTION };
    refusal::check(&[top, request::RULES, blocks::RULES, pairing::RULES], asked)
}

/// The same for a body in Bedrock's InvokeModel, where model and stream are in the path.
pub(crate) fn check_invoke(asked: &Asked<'_>) -> Result<(), Refusal> {
    refusal::check(&[request::INVOKE, request::RULES, blocks::RULES, pairing::RULES], asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({
        "type": "error",
        "error": { "type": "invalid_request_error", "message": broken.message },
        "request_id": "req_011mock",
    })
}

/// The messages with their places.
fn messages<'a>(asked: &'a Asked<'_>) -> impl DoubleEndedIterator<Item = (usize, &'a Value)> {
    refusal::items(&asked.body["messages"]).iter().enumerate()
}

/// The blocks of a message with their places; none if its content is a string.
fn blocks(message: &Value) -> impl Iterator<Item = (usize, &Value)> {
    refusal::items(&message["content"]).iter().enumerate()
}

fn is(block: &Value, kind: &str) -> bool {
    block["type"] == kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::prove;

    pub(super) fn prove_all(examples: &[(&str, &str, &str)]) {
        prove(
            &[request::QUESTION, request::RULES, blocks::RULES, pairing::RULES],
            "claude",
            examples,
        );
    }

    #[test]
    fn every_rule_accepts_and_refuses() {
        let all = [request::EXAMPLES, blocks::EXAMPLES, &pairing::examples()].concat();
        let all: Vec<_> =
            all.iter().map(|(name, good, bad)| (*name, filled(good), filled(bad))).collect();
        let all: Vec<_> =
            all.iter().map(|(name, good, bad)| (*name, good.as_str(), bad.as_str())).collect();
        prove_all(&all);
    }

    /// `M[...]` is a request with these messages.
    fn filled(example: &str) -> String {
        match example.strip_prefix('M') {
            Some(messages) => {
                format!(r#"{{"model":"claude","max_tokens":2000,"messages":{messages}}}"#)
            }
            None => example.to_owned(),
        }
    }
}
