//! OpenAI Responses: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{compacted, events, remember, whole};

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule, text};
use crate::route::AsksFor;
use serde_json::Value;

/// How the ids of its calls begin, as the client answers them.
pub(crate) const CALL: &str = "call_";
/// How the ids of the same calls begin, as items of the conversation.
pub(crate) const ITEM: &str = "fc_";

/// What OpenAI refuses.
pub(crate) const RULES: &[&[Rule]] = &[request::ANSWER, request::RULES, pairing::RULES];
/// What only a compaction refuses.
pub(crate) const COMPACT_ONLY: &[&[Rule]] = &[request::COMPACT];

/// Refuses it. The refusal's body is that of its chat.
pub(crate) fn check(asked: &Asked<'_>, what: AsksFor) -> Result<(), ProviderRefusal> {
    if what == AsksFor::Compaction {
        refusal::check(COMPACT_ONLY, asked)?;
        return refusal::check(&[request::RULES, pairing::RULES], asked);
    }
    refusal::check(RULES, asked)?;
    said_before(asked)
}

/// The conversation that a request goes on with.
fn conversation(body: &Value) -> Option<&str> {
    body["conversation"].as_str().or(body["conversation"]["id"].as_str())
}

/// Refuses items that the conversation has already. Told by memory, since no body alone shows it.
fn said_before(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    let Some(id) = conversation(asked.body) else { return Ok(()) };
    let known = asked.memory.conversation(id).items;
    let mut said = refusal::items(&asked.body["input"]).iter().filter_map(|i| i["id"].as_str());
    let Some(twice) = said.find(|id| known.contains(*id)) else { return Ok(()) };
    let message = format!(
        "Duplicate item found with id {twice}. Remove duplicate items from your input and try again."
    );
    let broken = Broken { message, param: Some("input".to_owned()), ..Broken::default() };
    Err(ProviderRefusal { rule: "items are said once in a conversation", broken })
}

/// The type of an item; one without is a message.
fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or("message")
}

/// The id of the reasoning in a reply.
fn reasoning_id(reply: u64) -> String {
    format!("rs_mk{reply:016x}")
}

/// What the encrypted content of a reasoning item is over: not its id, which clients leave out that store nothing.
fn sealed(item: &Value) -> String {
    let summary: Vec<_> =
        refusal::items(&item["summary"]).iter().map(|part| text(&part["text"])).collect();
    summary.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let all = [request::EXAMPLES, &pairing::examples()].concat();
        refusal::prove(RULES, "gpt", ('I', r#"{"model":"gpt","input":"#), &all);
        let compact = request::COMPACT_EXAMPLES;
        refusal::prove(COMPACT_ONLY, "gpt", ('I', r#"{"model":"gpt","input":"#), compact);
    }
}
