//! The model behind the mock: it makes the calls that the scenario gives it, reads what is in its request, and answers
//! with the facts that it finds there. What it does not find it asks for, if there is a reference to ask for.

use super::scenario::Scenario;
use serde_json::{Value, json};
use tokenforge_engine::expand_tool;
use tokenforge_formats::{MAX_OUTPUT, stc2};
use tokenforge_mock::Reply;

/// So many references are asked for at once.
const MOST_REFERENCES: usize = 5;

/// What the model says to a request.
pub(super) fn reply(scenario: &Scenario, body: &Value) -> Reply {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let expand = expand_name();
    let answers: Vec<&Value> =
        messages.iter().filter(|message| message["role"] == "assistant").collect();
    let is_expansion = |message: &&&Value| calls(message).any(|name| name == expand);
    let said = answers.iter().filter(|message| !is_expansion(message)).count();
    let script = scenario
        .turns
        .iter()
        .flat_map(|turn| turn.mock.iter().map(Some).chain(std::iter::once(None)));
    if let Some(Some(call)) = script.into_iter().nth(said) {
        let arguments = if call.arguments.is_null() { json!({}) } else { call.arguments.clone() };
        return Reply::new().call(&call.tool, arguments);
    }
    let texts = texts(messages);
    let facts = || scenario.expect.facts.iter();
    let found = |fact: &&String| texts.iter().any(|text| says(text, fact));
    let has_asked = answers.last().is_some_and(|message| is_expansion(&message));
    if !has_asked && !facts().all(|fact| found(&fact)) {
        let references = references(&texts);
        if !references.is_empty() {
            let ask = |reply: Reply, id: &&str| reply.call(&expand, json!({"id": id}));
            return references.iter().take(MOST_REFERENCES).fold(Reply::new(), ask);
        }
    }
    let facts: Vec<&str> = facts().filter(found).map(String::as_str).collect();
    Reply::from(format!("I found: {}", facts.join("; ")).as_str())
}

/// Does a text say so? STC 2 is read as what it stands for: a model would, and `ord_4471` may be written as `ord_` above a
/// column and `4471` in it.
fn says(text: &str, fact: &str) -> bool {
    let decoded = || {
        // With or without the legend that models are given.
        let mut starts = text.match_indices("stc2").map(|(at, _)| &text[at..]);
        let document = starts.find(|rest| stc2::is_stc2(rest))?;
        stc2::decode(document.trim_end(), MAX_OUTPUT).ok()
    };
    text.contains(fact) || decoded().is_some_and(|json| json.contains(fact))
}

fn expand_name() -> String {
    let definition: Value = serde_json::from_str(expand_tool::DEFINITION).unwrap_or_default();
    definition["name"].as_str().unwrap_or_default().to_owned()
}

/// The names of the tools that a message calls.
fn calls(message: &Value) -> impl Iterator<Item = &str> {
    let openai = message["tool_calls"].as_array().into_iter().flatten();
    let openai = openai.filter_map(|call| call["function"]["name"].as_str());
    let anthropic = message["content"].as_array().into_iter().flatten();
    openai.chain(anthropic.filter_map(|block| block["name"].as_str()))
}

/// The texts of all tool results.
fn texts(messages: &[Value]) -> Vec<&str> {
    let mut texts = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            texts.extend(message["content"].as_str());
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                texts.extend(block["content"].as_str());
                let parts = block["content"].as_array().into_iter().flatten();
                texts.extend(parts.filter_map(|part| part["text"].as_str()));
            }
        }
    }
    texts
}

/// The references in texts.
fn references<'t>(texts: &[&'t str]) -> Vec<&'t str> {
    let after = texts.iter().flat_map(|text| text.split("<<<SHADOW:").skip(1));
    after.filter_map(|rest| rest.split_once(">>>")).map(|(id, _)| id).collect()
}
