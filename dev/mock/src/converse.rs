//! Bedrock Converse: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{events, whole};

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "tooluse_";

/// What Bedrock refuses.
pub(crate) const RULES: &[&[Rule]] = &[request::RULES, pairing::RULES];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(RULES, asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({ "message": broken.message })
}

/// The messages with their places.
fn messages<'a>(asked: &'a Asked<'_>) -> impl DoubleEndedIterator<Item = (usize, &'a Value)> {
    refusal::items(&asked.body["messages"]).iter().enumerate()
}

/// The blocks of a message that have this member, as the values of it.
fn of_kind<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    refusal::items(&message["content"])
        .iter()
        .map(move |block| &block[kind])
        .filter(|inner| !inner.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let all = [request::EXAMPLES, &pairing::examples()].concat();
        refusal::prove(RULES, "claude", ('M', ""), &all);
    }
}
