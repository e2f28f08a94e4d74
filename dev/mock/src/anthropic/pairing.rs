//! Rules about calls, their results, and the thinking that led to them.

use super::{PREFIX, blocks, is, messages};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice};
use crate::seal::{Origin, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ids of calls are unique",
        says: Provider("messages: `tool_use` ids must be unique"),
        check: unique,
    },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule {
        name: "a call has one result",
        says: Provider(
            "messages.…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ",
        ),
        check: single,
    },
    Rule {
        name: "a result has its call before it",
        says: Provider(
            "messages.…: unexpected `tool_use_id` found in `tool_result` blocks: …. Each `tool_result` block must have a \
             corresponding `tool_use` block in the previous message.",
        ),
        check: expected,
    },
    Rule {
        name: "a call has its result after it",
        says: Provider(
            "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …. Each `tool_use` \
             block must have a corresponding `tool_result` block in the next message.",
        ),
        check: answered,
    },
    Rule {
        name: "thinking comes back before its calls",
        says: Provider(
            "messages.…: Expected `thinking` or `redacted_thinking`, but found `…`. When `thinking` is enabled, a final \
             `assistant` message must start with a thinking block",
        ),
        check: thinking,
    },
];

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    let is_turn = message["role"] == "assistant";
    items(&message["content"]).iter().filter(move |block| is_turn && is(block, "tool_use"))
}

fn unique(asked: &Asked<'_>) -> Result<(), Broken> {
    let ids = items(&asked.body["messages"]).iter().flat_map(calls).map(|call| text(&call["id"]));
    match twice(ids) {
        Some(_) => broken("messages: `tool_use` ids must be unique"),
        None => Ok(()),
    }
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, message) in messages(asked) {
        for call in calls(message) {
            let id = text(&call["id"]);
            match origin_of(call) {
                Origin::Changed => {
                    return broken(format!(
                        "messages.{at}: `tool_use` {id} is not as the model made it"
                    ));
                }
                Origin::Foreign if asked.memory.refuses_foreign_ids() => {
                    return broken(format!("messages.{at}: `tool_use` id {id} is not one of ours"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn origin_of(call: &Value) -> Origin {
    origin(PREFIX, text(&call["id"]), text(&call["name"]), &call["input"].to_string())
}

/// The ids that results of a message name.
fn results(message: &Value) -> impl Iterator<Item = (usize, &str)> {
    blocks(message)
        .filter(|(_, block)| is(block, "tool_result"))
        .map(|(at, block)| (at, text(&block["tool_use_id"])))
}

fn single(asked: &Asked<'_>) -> Result<(), Broken> {
    for (m, message) in messages(asked) {
        if let Some(id) = twice(results(message).map(|(_, id)| id)) {
            let at =
                results(message).filter(|(_, other)| *other == id).nth(1).map_or(0, |(at, _)| at);
            return broken(format!(
                "messages.{m}.content.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks \
                 with id: {id}"
            ));
        }
    }
    Ok(())
}

fn expected(asked: &Asked<'_>) -> Result<(), Broken> {
    // The calls are in the thread, at the provider.
    if !asked.body["thread"].is_null() {
        return Ok(());
    }
    let nothing = Value::Null;
    let mut before = &nothing;
    for (m, message) in messages(asked) {
        let stray = results(message).find(|(_, id)| {
            message["role"] != "user" || !calls(before).any(|call| call["id"] == *id)
        });
        if let Some((at, id)) = stray {
            return broken(format!(
                "messages.{m}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        before = message;
    }
    Ok(())
}

fn answered(asked: &Asked<'_>) -> Result<(), Broken> {
    let all = items(&asked.body["messages"]);
    for (m, message) in messages(asked) {
        // Results stand first: one behind a text does not count.
        let first = all.get(m + 1).map_or(&[][..], |next| items(&next["content"]));
        let answers: Vec<_> = first
            .iter()
            .take_while(|block| is(block, "tool_result"))
            .map(|block| text(&block["tool_use_id"]))
            .collect();
        let open: Vec<_> = calls(message)
            .map(|call| text(&call["id"]))
            .filter(|id| !answers.contains(id))
            .collect();
        if !open.is_empty() {
            return broken(format!(
                "messages.{m}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
                 `tool_use` block must have a corresponding `tool_result` block in the next message.",
                open.join(", ")
            ));
        }
    }
    Ok(())
}

/// In the turn that goes on. The ids of the mock's calls tell whether it had thought before.
fn thinking(asked: &Asked<'_>) -> Result<(), Broken> {
    if !matches!(text(&asked.body["thinking"]["type"]), "enabled" | "adaptive") {
        return Ok(());
    }
    let goes_on = |message: &Value| {
        message["role"] != "user" || blocks(message).any(|(_, block)| is(block, "tool_result"))
    };
    for (m, message) in messages(asked).rev().take_while(|(_, message)| goes_on(message)) {
        let thought = |call| matches!(origin_of(call), Origin::Own { thought: true, .. });
        let is_thinking = |block: &Value| is(block, "thinking") || is(block, "redacted_thinking");
        let first = blocks(message).map(|(_, block)| block).find(|block| !is(block, "text"));
        if let Some(first) = first.filter(|first| !is_thinking(first))
            && calls(message).any(thought)
        {
            return broken(format!(
                "messages.{m}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{}`. When \
                 `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the \
                 lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from \
                 previous turns. To avoid this requirement, disable `thinking`.",
                text(&first["type"])
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let with = |assistant: &str, user: &str, rest: &str| -> &'static str {
        let question = r#"{"role":"user","content":"x"}"#;
        format!(
            r#"M[{question},{{"role":"assistant","content":[{assistant}]}},{{"role":"user","content":[{user}]}}]{rest}"#
        )
        .leak()
    };
    let a = r#"{"type":"tool_use","id":"a","name":"t","input":{}}"#;
    let b = r#"{"type":"tool_use","id":"b","name":"t","input":{}}"#;
    let of_a = r#"{"type":"tool_result","tool_use_id":"a","content":"x"}"#;
    let of_b = r#"{"type":"tool_result","tool_use_id":"b"}"#;
    let note = r#"{"type":"text","text":"x"}"#;
    let both = with(&format!("{a},{b}"), &format!("{of_b},{of_a},{note}"), "");

    let id = crate::seal::call_id(PREFIX, 1, 0, true, "t", "{}");
    let own = format!(r#"{{"type":"tool_use","id":"{id}","name":"t","input":{{}}}}"#);
    let other = own.replace("{}", r#"{"x":1}"#);
    let of_own = format!(r#"{{"type":"tool_result","tool_use_id":"{id}"}}"#);
    let signature = crate::seal::signature("hm");
    let thought = format!(r#"{{"type":"thinking","thinking":"hm","signature":"{signature}"}}"#);
    let on = r#","thinking":{"type":"adaptive"}"#;
    vec![
        ("ids of calls are unique", both, with(&format!("{a},{a}"), of_a, "")),
        ("calls come back as they were made", with(&own, &of_own, ""), with(&other, &of_own, "")),
        ("a call has one result", both, with(a, &format!("{of_a},{of_a}"), "")),
        ("a result has its call before it", both, with(note, of_a, "")),
        (
            "a call has its result after it",
            both,
            with(&format!("{a},{b}"), &format!("{of_a},{note},{of_b}"), ""),
        ),
        (
            "thinking comes back before its calls",
            with(&format!("{thought},{own}"), &of_own, on),
            with(&own, &of_own, on),
        ),
    ]
}
