//! Rules about calls, their outputs, and the reasoning that led to them.

use super::{CALL, ITEM, conversation, kind, reasoning_id, sealed};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, invalid, items, text, twice};
use crate::seal::{Origin, is_signature, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "the response before is known",
        says: Provider("Previous response with id '…' not found."),
        check: previous,
    },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule {
        name: "an output has its call before it",
        says: Provider("No tool call found for function call output with call_id …."),
        check: expected,
    },
    Rule { name: "a call has one output", says: Assumed, check: once },
    Rule {
        name: "every call has its output",
        says: Provider("No tool output found for function call …."),
        check: answered,
    },
    Rule {
        name: "reasoning comes with its content",
        says: Provider(
            "Item with id '…' not found. Items are not persisted when `store` is set to false.",
        ),
        check: carried,
    },
    Rule {
        name: "encrypted reasoning is unchanged",
        says: Provider("The encrypted content for item … could not be verified."),
        check: encrypted,
    },
    Rule {
        name: "reasoning is followed by what it led to",
        says: Provider(
            "Item '…' of type 'reasoning' was provided without its required following item.",
        ),
        check: followed,
    },
    Rule {
        name: "a call comes with its reasoning",
        says: Provider(
            "Item '…' of type 'function_call' was provided without its required 'reasoning' item: '…'.",
        ),
        check: reasoned,
    },
];

fn input<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(&asked.body["input"])
}

fn is_call(item: &Value) -> bool {
    matches!(kind(item), "function_call" | "custom_tool_call")
}

fn is_output(item: &Value) -> bool {
    matches!(kind(item), "function_call_output" | "custom_tool_call_output")
}

/// The calls that the conversation, or the response before, left open; none if there is no such.
fn open_before(asked: &Asked<'_>) -> Vec<String> {
    if let Some(id) = conversation(asked.body) {
        return asked.memory.conversation(id).open_calls;
    }
    let previous = asked.body["previous_response_id"].as_str();
    previous.and_then(|id| asked.memory.open_calls(id)).unwrap_or_default()
}

fn previous(asked: &Asked<'_>) -> Result<(), Broken> {
    match asked.body["previous_response_id"].as_str() {
        Some(id) if asked.memory.open_calls(id).is_none() => invalid(
            format!("Previous response with id '{id}' not found."),
            "previous_response_id",
            Some("previous_response_not_found"),
        ),
        _ => Ok(()),
    }
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for item in input(asked).iter().filter(|item| kind(item) == "function_call") {
        let (name, arguments) = (text(&item["name"]), text(&item["arguments"]));
        let call_id = text(&item["call_id"]);
        let by_call = origin(CALL, call_id, name, arguments);
        let by_item = origin(ITEM, text(&item["id"]), name, arguments);
        let is_foreign = by_call == Origin::Foreign && asked.memory.refuses_foreign_ids();
        if by_call == Origin::Changed || by_item == Origin::Changed || is_foreign {
            return invalid(
                format!("The function call '{call_id}' is not as the model made it."),
                "input",
                None,
            );
        }
    }
    Ok(())
}

fn expected(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut known = open_before(asked);
    for item in input(asked) {
        let id = text(&item["call_id"]);
        if is_call(item) {
            known.push(id.to_owned());
        } else if is_output(item) && !known.iter().any(|known| known == id) {
            let message = format!("No tool call found for function call output with call_id {id}.");
            return invalid(message, "input", None);
        }
    }
    Ok(())
}

fn once(asked: &Asked<'_>) -> Result<(), Broken> {
    let outputs = input(asked).iter().filter(|item| is_output(item));
    match twice(outputs.map(|item| text(&item["call_id"]))) {
        Some(id) => invalid(format!("Duplicate output for function call {id}."), "input", None),
        None => Ok(()),
    }
}

fn answered(asked: &Asked<'_>) -> Result<(), Broken> {
    let outputs: Vec<_> = input(asked)
        .iter()
        .filter(|item| is_output(item))
        .map(|item| text(&item["call_id"]))
        .collect();
    let calls = input(asked)
        .iter()
        .filter(|item| is_call(item))
        .map(|item| text(&item["call_id"]).to_owned());
    match open_before(asked).into_iter().chain(calls).find(|id| !outputs.contains(&id.as_str())) {
        Some(id) => invalid(format!("No tool output found for function call {id}."), "input", None),
        None => Ok(()),
    }
}

fn reasoning<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (usize, &'a Value)> {
    input(asked).iter().enumerate().filter(|(_, item)| kind(item) == "reasoning")
}

fn carried(asked: &Asked<'_>) -> Result<(), Broken> {
    let bare = |item: &Value| !item["encrypted_content"].is_string();
    match reasoning(asked).find(|(_, item)| bare(item)) {
        Some((_, item)) if asked.body["store"] == false => invalid(
            format!(
                "Item with id '{}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input.",
                text(&item["id"])
            ),
            "input",
            None,
        ),
        _ => Ok(()),
    }
}

fn encrypted(asked: &Asked<'_>) -> Result<(), Broken> {
    for (_, item) in reasoning(asked) {
        if let Some(content) = item["encrypted_content"].as_str()
            && !is_signature(&sealed(item), content)
        {
            return invalid(
                format!(
                    "The encrypted content for item {} could not be verified.",
                    text(&item["id"])
                ),
                "input",
                Some("invalid_encrypted_content"),
            );
        }
    }
    Ok(())
}

fn followed(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, item) in reasoning(asked) {
        let next = input(asked)[at..].iter().find(|item| kind(item) != "reasoning");
        let is_followed = next.is_some_and(|next| {
            let made = is_call(next) || next["role"] == "assistant";
            made && same_reply(item, next)
        });
        if !is_followed {
            let id = text(&item["id"]);
            let message = format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            );
            return invalid(message, "input", None);
        }
    }
    Ok(())
}

/// Whether the item is of the reply that the reasoning is of, as far as its id tells.
fn same_reply(reasoning: &Value, item: &Value) -> bool {
    match item_origin(item) {
        Origin::Own { reply, .. } => reasoning["id"] == reasoning_id(reply),
        _ => true,
    }
}

fn item_origin(item: &Value) -> Origin {
    origin(ITEM, text(&item["id"]), text(&item["name"]), text(&item["arguments"]))
}

fn reasoned(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut seen = Vec::new();
    for item in input(asked) {
        match (kind(item), item_origin(item)) {
            ("reasoning", _) => seen.push(text(&item["id"]).to_owned()),
            ("function_call", Origin::Own { reply, thought: true })
                if !seen.contains(&reasoning_id(reply)) =>
            {
                let message = format!(
                    "Item '{}' of type 'function_call' was provided without its required 'reasoning' item: '{}'.",
                    text(&item["id"]),
                    reasoning_id(reply)
                );
                return invalid(message, "input", None);
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let list = |items: &[&str]| -> &'static str { format!("I[{}]", items.join(",")).leak() };
    let a = r#"{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}"#;
    let of_a = r#"{"type":"function_call_output","call_id":"a","output":"x"}"#;
    let both = list(&[a, of_a]);
    let custom = list(&[
        r#"{"type":"custom_tool_call","call_id":"a","name":"t","input":"x"}"#,
        r#"{"type":"custom_tool_call_output","call_id":"a","output":"x"}"#,
    ]);

    let call = crate::seal::call_id(CALL, 3, 0, true, "t", "{}");
    let item = crate::seal::call_id(ITEM, 3, 0, true, "t", "{}");
    let own = format!(
        r#"{{"type":"function_call","id":"{item}","call_id":"{call}","name":"t","arguments":"{{}}"}}"#
    );
    let other = own.replace(r#""{}""#, r#""{\"x\":1}""#);
    let of_own = format!(r#"{{"type":"function_call_output","call_id":"{call}","output":"x"}}"#);
    let id = reasoning_id(3);
    let content = crate::seal::signature("hm");
    let thought = format!(
        r#"{{"type":"reasoning","id":"{id}","summary":[{{"type":"summary_text","text":"hm"}}],"encrypted_content":"{content}"}}"#
    );
    let changed = thought.replace("hm", "ah");
    let bare = format!(r#"{{"type":"reasoning","id":"{id}","summary":[]}}"#);
    let whole = list(&[&thought, &own, &of_own]);
    let unstored: &str = format!(r#"{},"store":false"#, list(&[&bare, &own, &of_own])).leak();
    vec![
        ("the response before is known", both, r#"I"x","previous_response_id":"resp_1""#),
        ("calls come back as they were made", whole, list(&[&thought, &other, &of_own])),
        ("an output has its call before it", both, list(&[of_a, a])),
        ("a call has one output", custom, list(&[a, of_a, of_a])),
        ("every call has its output", both, list(&[a])),
        ("reasoning comes with its content", list(&[&bare, &own, &of_own]), unstored),
        ("encrypted reasoning is unchanged", whole, list(&[&changed, &own, &of_own])),
        ("reasoning is followed by what it led to", whole, list(&[&thought])),
        ("a call comes with its reasoning", whole, list(&[&own, &of_own])),
    ]
}
