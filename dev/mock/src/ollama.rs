//! Ollama `/api/chat`: the little that it refuses, and how it answers.

use crate::answer::Turn;
use crate::fragments::fragments;
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{self, Asked, Broken, ProviderRefusal, Rule, broken, items, text};
use crate::script::Part;
use crate::seal::{Origin, call_id, origin};
use bytes::Bytes;
use serde_json::{Value, json};

const PREFIX: &str = "call_";

/// What Ollama refuses. It pairs nothing and passes over members it does not know.
pub(crate) const RULES: &[&[Rule]] = &[&[
    Rule { name: "the model is named", says: Provider("model is required"), check: model },
    Rule {
        name: "roles are known",
        says: Provider("invalid role: …, must be one of [system, user, assistant, tool]"),
        check: roles,
    },
    Rule {
        name: "content is a string",
        says: Provider(
            "json: cannot unmarshal … into Go struct field ChatRequest.messages.content of type string",
        ),
        check: contents,
    },
    Rule {
        name: "arguments are an object",
        says: Provider(
            "json: cannot unmarshal … into Go struct field ChatRequest.messages.tool_calls.function.arguments",
        ),
        check: arguments,
    },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
]];

/// Refuses it.
pub(crate) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    refusal::check(RULES, asked)
}

/// The body of a refusal.
pub(crate) fn error(broken: &Broken) -> Value {
    json!({ "error": broken.message })
}

/// The answer as one JSON.
pub(crate) fn whole(turn: &Turn<'_>) -> Value {
    let joined = |wanted: fn(&Part) -> Option<&str>| {
        turn.parts.iter().filter_map(wanted).collect::<String>()
    };
    let mut message = json!({ "role": "assistant", "content": joined(said) });
    let thoughts = joined(thought);
    if !thoughts.is_empty() {
        message["thinking"] = json!(thoughts);
    }
    let calls: Vec<_> = (0..turn.parts.len()).filter_map(|at| call(turn, at)).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    finished(turn, message)
}

/// The answer as lines.
pub(crate) fn lines(turn: &Turn<'_>) -> Vec<Bytes> {
    let line = |message: Value| {
        let mut line = envelope(turn, message);
        line["done"] = json!(false);
        line
    };
    let mut all = Vec::new();
    for (at, part) in turn.parts.iter().enumerate() {
        for piece in thought(part).into_iter().flat_map(fragments) {
            all.push(line(json!({ "role": "assistant", "content": "", "thinking": piece })));
        }
        for piece in said(part).into_iter().flat_map(fragments) {
            all.push(line(json!({ "role": "assistant", "content": piece })));
        }
        if let Some(call) = call(turn, at) {
            all.push(line(json!({ "role": "assistant", "content": "", "tool_calls": [call] })));
        }
    }
    all.push(finished(turn, json!({ "role": "assistant", "content": "" })));
    all.iter().map(|line| Bytes::from(format!("{line}\n"))).collect()
}

fn envelope(turn: &Turn<'_>, message: Value) -> Value {
    json!({ "model": turn.model, "created_at": "2026-01-01T00:00:00Z", "message": message })
}

fn finished(turn: &Turn<'_>, message: Value) -> Value {
    let mut last = envelope(turn, message);
    let figures = json!({
        "done": true,
        "done_reason": turn.stop.unwrap_or("stop"),
        "total_duration": 3_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": turn.usage.input,
        "prompt_eval_duration": 1_000_000,
        "eval_count": turn.usage.output,
        "eval_duration": 1_000_000,
    });
    for (name, value) in figures.as_object().into_iter().flatten() {
        last[name] = value.clone();
    }
    last
}

fn said(part: &Part) -> Option<&str> {
    if let Part::Text(text) = part { Some(text) } else { None }
}

fn thought(part: &Part) -> Option<&str> {
    if let Part::Thinking(text) = part { Some(text) } else { None }
}

fn call(turn: &Turn<'_>, at: usize) -> Option<Value> {
    let Part::Call { name, arguments } = &turn.parts[at] else { return None };
    let index = turn.parts[..at].iter().filter(|part| matches!(part, Part::Call { .. })).count();
    let id = call_id(PREFIX, turn.serial, at, turn.thought(), name, arguments);
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    Some(json!({ "id": id, "function": { "index": index, "name": name, "arguments": arguments } }))
}

fn messages<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(&asked.body["messages"])
}

fn model(asked: &Asked<'_>) -> Result<(), Broken> {
    if text(&asked.body["model"]).is_empty() { broken("model is required") } else { Ok(()) }
}

fn roles(asked: &Asked<'_>) -> Result<(), Broken> {
    for role in messages(asked).iter().map(|message| text(&message["role"])) {
        if !matches!(role, "system" | "user" | "assistant" | "tool") {
            return broken(format!(
                "invalid role: {role}, must be one of [system, user, assistant, tool]"
            ));
        }
    }
    Ok(())
}

fn contents(asked: &Asked<'_>) -> Result<(), Broken> {
    let strange =
        |message: &Value| !message["content"].is_string() && !message["content"].is_null();
    if messages(asked).iter().any(strange) {
        broken(
            "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        )
    } else {
        Ok(())
    }
}

fn calls<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = &'a Value> {
    messages(asked).iter().flat_map(|message| items(&message["tool_calls"]))
}

fn arguments(asked: &Asked<'_>) -> Result<(), Broken> {
    if calls(asked).all(|call| call["function"]["arguments"].is_object()) {
        Ok(())
    } else {
        broken(
            "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of \
             type api.ToolCallFunctionArguments",
        )
    }
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for call in calls(asked) {
        let (id, function) = (text(&call["id"]), &call["function"]);
        let origin =
            origin(PREFIX, id, text(&function["name"]), &function["arguments"].to_string());
        if origin == Origin::Changed {
            return broken(format!("the tool call {id} is not as the model made it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_and_refuses() {
        let with = |message: &str| format!(r#"{{"model":"m","unknown":1,"messages":[{message}]}}"#);
        let user = with(r#"{"role":"user","content":"x"}"#);
        let id = call_id(PREFIX, 1, 0, false, "t", "{}");
        let own = format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"name":"t","arguments":{{}}}}}}]}}"#
        );
        let examples = [
            ("the model is named", user.clone(), r#"{"messages":[]}"#.to_owned()),
            ("roles are known", user.clone(), with(r#"{"role":"developer","content":"x"}"#)),
            ("content is a string", user.clone(), with(r#"{"role":"user","content":[]}"#)),
            ("arguments are an object", with(&own), with(&own.replace("{}", r#""{}""#))),
            (
                "calls come back as they were made",
                with(&own),
                with(&own.replace("{}", r#"{"x":1}"#)),
            ),
        ];
        let examples: Vec<_> =
            examples.iter().map(|(name, good, bad)| (*name, &**good, &**bad)).collect();
        refusal::prove(RULES, "m", ('M', ""), &examples);
    }
}
