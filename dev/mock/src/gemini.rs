//! Gemini `generateContent`: what it refuses, and how it answers.

mod pairing;
mod reply;
mod request;

pub(crate) use reply::{array, events, whole};

use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule, items};
use serde_json::{Value, json};

/// How the ids of its calls begin.
pub(crate) const PREFIX: &str = "fc";

/// What Gemini refuses.
pub(crate) const RULES: &[&[Rule]] = &[request::RULES, pairing::RULES];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
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

fn contents<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(member(asked.body, "contents"))
}

/// A member in camel case or, failing that, in snake case.
fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    match &value[name] {
        Value::Null => &value[snake(name).as_str()],
        found => found,
    }
}

fn snake(name: &str) -> String {
    name.chars()
        .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()))
        .collect()
}

/// Those parts of a content that are calls, or responses.
fn of_kind<'a>(content: &'a Value, kind: &str) -> Vec<&'a Value> {
    items(&content["parts"])
        .iter()
        .map(|part| member(part, kind))
        .filter(|call| !call.is_null())
        .collect()
}

fn calls(content: &Value) -> Vec<&Value> {
    of_kind(content, "functionCall")
}

fn answers(content: &Value) -> Vec<&Value> {
    of_kind(content, "functionResponse")
}

/// Every part, with the places of its content and of itself.
fn each(
    asked: &Asked<'_>,
    mut look: impl FnMut(usize, usize, &Value) -> Result<(), Broken>,
) -> Result<(), Broken> {
    for (c, content) in contents(asked).iter().enumerate() {
        for (p, part) in items(&content["parts"]).iter().enumerate() {
            look(c, p, part)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let user = r#"{"role":"user","parts":[{"text":"x"}]}"#;
        let list = |contents: &[&str]| format!(r#"{{"contents":[{}]}}"#, contents.join(","));
        let model = |parts: &[&str]| format!(r#"{{"role":"model","parts":[{}]}}"#, parts.join(","));
        let answer = |parts: &[&str]| format!(r#"{{"role":"user","parts":[{}]}}"#, parts.join(","));
        let id = crate::seal::call_id(PREFIX, 1, 0, false, "t", "{}");
        let signature =
            crate::seal::signature(&signed(&serde_json::json!({"name": "t", "args": {}})));
        let of_t = r#"{"functionResponse":{"name":"t","response":{"output":"x"}}}"#;
        let call = format!(
            r#"{{"functionCall":{{"id":"{id}","name":"t","args":{{}}}},"thoughtSignature":"{signature}"}}"#
        );
        let changed = call.replace(r#""args":{}"#, r#""args":{"x":1}"#);
        let bare = call.replace(&format!(r#","thoughtSignature":"{signature}""#), "");
        let whole = list(&[user, &model(&[&call]), &answer(&[of_t])]);
        let foreign = r#"{"functionCall":{"name":"t","args":{"x":1}},"thoughtSignature":"S"}"#;
        let misplaced = foreign.replace(r#""S""#, &format!(r#""{signature}""#));
        let turn =
            |contents: &[String]| list(&contents.iter().map(String::as_str).collect::<Vec<_>>());
        let hi = user.to_owned();
        let declared = |names: &str| {
            format!(r#"{{"contents":[{user}],"tools":[{{"functionDeclarations":[{names}]}}]}}"#)
        };
        let examples = [
            (
                "no unknown members",
                list(&[user]),
                format!(r#"{{"contents":[{user}],"_forge":{{}}}}"#),
            ),
            (
                "contents are given",
                format!(r#"{{"contents":[{user}],"generation_config":{{}}}}"#),
                list(&[]),
            ),
            (
                "roles are known",
                list(&[user]),
                list(&[r#"{"role":"assistant","parts":[{"text":"x"}]}"#]),
            ),
            (
                "a content has parts",
                list(&[r#"{"parts":[{"text":""}]}"#]),
                list(&[r#"{"role":"user","parts":[]}"#]),
            ),
            (
                "parts have no unknown members",
                list(&[r#"{"role":"user","parts":[{"inline_data":{}}]}"#]),
                list(&[r#"{"role":"user","parts":[{"type":"text"}]}"#]),
            ),
            (
                "a response is an object",
                whole.clone(),
                turn(&[
                    hi.clone(),
                    model(&[foreign]),
                    answer(&[r#"{"functionResponse":{"name":"t","response":"x"}}"#]),
                ]),
            ),
            (
                "declarations are unique",
                declared(r#"{"name":"a"},{"name":"b"}"#),
                declared(r#"{"name":"a"},{"name":"a"}"#),
            ),
            (
                "a call comes after the user",
                turn(&[
                    hi.clone(),
                    model(&[r#"{"text":"x"}"#]),
                    model(&[&call]),
                    model(&[r#"{"functionCall":{"name":"t","args":{}}}"#]),
                    answer(&[of_t, of_t]),
                ]),
                turn(&[model(&[foreign]), answer(&[of_t])]),
            ),
            (
                "a response comes after its call",
                whole.clone(),
                turn(&[hi.clone(), answer(&[of_t])]),
            ),
            (
                "every call has its response",
                turn(&[
                    hi.clone(),
                    model(&[foreign, foreign]),
                    answer(&[of_t, of_t, r#"{"text":"x"}"#]),
                ]),
                turn(&[hi.clone(), model(&[foreign, foreign]), answer(&[of_t])]),
            ),
            (
                "responses name their calls",
                whole.clone(),
                turn(&[
                    hi.clone(),
                    model(&[foreign]),
                    answer(&[&of_t.replace(r#""t""#, r#""u""#)]),
                ]),
            ),
            (
                "calls come back as they were made",
                whole.clone(),
                turn(&[hi.clone(), model(&[&changed]), answer(&[of_t])]),
            ),
            (
                "signatures are unchanged",
                whole.clone(),
                turn(&[hi.clone(), model(&[&misplaced]), answer(&[of_t])]),
            ),
            (
                "a call comes with its signature",
                whole.clone(),
                turn(&[hi, model(&[&bare]), answer(&[of_t])]),
            ),
        ];
        let examples: Vec<_> =
            examples.iter().map(|(name, good, bad)| (*name, &**good, &**bad)).collect();
        crate::refusal::prove(RULES, "gemini-3-pro", ('M', ""), &examples);
    }
}
