//! Anthropic Messages: what it refuses, and how it answers.

mod batch;
mod blocks;
mod pairing;
mod reply;
mod request;
mod unaltered;

pub(crate) use batch::batch;
pub(crate) use reply::{events, payloads, whole};
pub(crate) use unaltered::remember;

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule};
use crate::route::AsksFor;
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "toolu_01";

/// What is refused in a question to a model.
pub(crate) const QUESTION: &[&[Rule]] =
    &[request::QUESTION, request::RULES, blocks::RULES, pairing::RULES];
/// What only a count of tokens refuses.
pub(crate) const COUNT_ONLY: &[&[Rule]] = &[request::COUNT];
/// What only a batch refuses.
pub(crate) const BATCH_ONLY: &[&[Rule]] = &[batch::RULES];
/// What only a body by way of Bedrock refuses, where model and stream are in the path.
pub(crate) const INVOKE_ONLY: &[&[Rule]] = &[request::INVOKE];
/// What all of them refuse.
const ALL: &[&[Rule]] = &[request::RULES, blocks::RULES, pairing::RULES];

/// Refuses what Anthropic refuses, in a question, in a count of its tokens, or in a batch of questions.
pub(crate) fn check(asked: &Asked<'_>, what: AsksFor) -> Result<(), ProviderRefusal> {
    match what {
        AsksFor::Count => {
            refusal::check(COUNT_ONLY, asked)?;
            refusal::check(ALL, asked)
        }
        AsksFor::Batch => batch::check(asked),
        AsksFor::Answer | AsksFor::Compaction => {
            refusal::check(QUESTION, asked)?;
            unaltered::check(asked)
        }
    }
}

/// The same for a body in Bedrock's InvokeModel.
pub(crate) fn check_invoke(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(INVOKE_ONLY, asked)?;
    refusal::check(ALL, asked)?;
    unaltered::check(asked)
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

    #[test]
    fn every_rule_accepts_and_refuses() {
        let messages = ('M', r#"{"model":"claude","max_tokens":2000,"messages":"#);
        let all = [request::EXAMPLES, blocks::EXAMPLES, &pairing::examples()].concat();
        prove(QUESTION, "claude", messages, &all);
        prove(BATCH_ONLY, "claude", ('R', r#"{"requests":"#), batch::EXAMPLES);
        prove(COUNT_ONLY, "claude", messages, request::COUNT_EXAMPLES);
        prove(INVOKE_ONLY, "claude", messages, request::INVOKE_EXAMPLES);
    }
}
