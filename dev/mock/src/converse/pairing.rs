//! Rules about calls, their results, and the thinking that led to them.

use super::{PREFIX, messages, of_kind};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice};
use crate::seal::{Origin, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ids of calls are unique in their message",
        says: Provider("The toolUse blocks at messages.….content contain duplicate Ids: "),
        check: |asked| unique(asked, "toolUse"),
    },
    Rule {
        name: "a call has one result",
        says: Provider("The toolResult blocks at messages.….content contain duplicate Ids: "),
        check: |asked| unique(asked, "toolResult"),
    },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule {
        name: "a call has its result after it",
        says: Provider("Expected toolResult blocks at messages.….content for the following Ids: "),
        check: answered,
    },
    Rule {
        name: "a result has its call before it",
        says: Provider(
            "The number of toolResult blocks at messages.….content exceeds the number of toolUse blocks of previous turn.",
        ),
        check: expected,
    },
    Rule {
        name: "thinking comes back before its calls",
        says: Provider(
            "The model returned the following errors: messages.….content.0.type: Expected `thinking` or \
             `redacted_thinking`, but found `tool_use`.",
        ),
        check: thinking,
    },
];

fn ids<'a>(message: &'a Value, kind: &'a str) -> Vec<&'a str> {
    of_kind(message, kind).map(|block| text(&block["toolUseId"])).collect()
}

fn unique(asked: &Asked<'_>, kind: &str) -> Result<(), Broken> {
    for (at, message) in messages(asked) {
        if let Some(id) = twice(ids(message, kind)) {
            return broken(format!(
                "The {kind} blocks at messages.{at}.content contain duplicate Ids: {id}"
            ));
        }
    }
    Ok(())
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, message) in messages(asked) {
        for call in of_kind(message, "toolUse") {
            let origin = origin_of(call);
            let is_foreign = origin == Origin::Foreign && asked.memory.refuses_foreign_ids();
            if origin == Origin::Changed || is_foreign {
                let id = text(&call["toolUseId"]);
                return broken(format!(
                    "The toolUse block {id} at messages.{at}.content is not as the model made it."
                ));
            }
        }
    }
    Ok(())
}

fn origin_of(call: &Value) -> Origin {
    origin(PREFIX, text(&call["toolUseId"]), text(&call["name"]), &call["input"].to_string())
}

fn answered(asked: &Asked<'_>) -> Result<(), Broken> {
    let all = items(&asked.body["messages"]);
    for (at, message) in messages(asked) {
        // Results stand first: one behind a text does not count.
        let next = all.get(at + 1).map_or(&[][..], |next| items(&next["content"]));
        let results: Vec<_> =
            next.iter().map_while(|block| block["toolResult"]["toolUseId"].as_str()).collect();
        let open: Vec<_> =
            ids(message, "toolUse").into_iter().filter(|id| !results.contains(id)).collect();
        if !open.is_empty() {
            return broken(format!(
                "Expected toolResult blocks at messages.{}.content for the following Ids: {}",
                at + 1,
                open.join(", ")
            ));
        }
    }
    Ok(())
}

fn expected(asked: &Asked<'_>) -> Result<(), Broken> {
    let nothing = Value::Null;
    let mut before = &nothing;
    for (at, message) in messages(asked) {
        let calls = ids(before, "toolUse");
        if ids(message, "toolResult").iter().any(|id| !calls.contains(id)) {
            return broken(format!(
                "The number of toolResult blocks at messages.{at}.content exceeds the number of toolUse blocks of \
                 previous turn."
            ));
        }
        before = message;
    }
    Ok(())
}

/// In the turn that goes on. The ids of the mock's calls tell whether it had thought before.
fn thinking(asked: &Asked<'_>) -> Result<(), Broken> {
    let wanted = &asked.body["additionalModelRequestFields"]["thinking"]["type"];
    if !matches!(text(wanted), "enabled" | "adaptive") {
        return Ok(());
    }
    let goes_on = |message: &Value| {
        message["role"] != "user" || of_kind(message, "toolResult").next().is_some()
    };
    for (at, message) in messages(asked).rev().take_while(|(_, message)| goes_on(message)) {
        let thought = |call| matches!(origin_of(call), Origin::Own { thought: true, .. });
        let is_thinking = of_kind(message, "reasoningContent").next().is_some();
        if !is_thinking && of_kind(message, "toolUse").any(thought) {
            return broken(format!(
                "The model returned the following errors: messages.{at}.content.0.type: Expected `thinking` or \
                 `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must \
                 start with a thinking block."
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let with = |assistant: &[&str], user: &[&str]| -> &'static str {
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"text":"x"}}]}},{{"role":"assistant","content":[{}]}},
                {{"role":"user","content":[{}]}}],"toolConfig":{{}},
                "additionalModelRequestFields":{{"thinking":{{"type":"enabled"}}}}}}"#,
            assistant.join(","),
            user.join(",")
        )
        .leak()
    };
    let a = r#"{"toolUse":{"toolUseId":"a","name":"t","input":{}}}"#;
    let b = r#"{"toolUse":{"toolUseId":"b","name":"t","input":{}}}"#;
    let of_a = r#"{"toolResult":{"toolUseId":"a","content":[{"json":{}}]}}"#;
    let of_b = r#"{"toolResult":{"toolUseId":"b","content":[]}}"#;
    let note = r#"{"text":"x"}"#;
    let both = with(&[a, b], &[of_b, of_a, note]);
    let id = crate::seal::call_id(PREFIX, 1, 0, true, "t", "{}");
    let own = &*format!(r#"{{"toolUse":{{"toolUseId":"{id}","name":"t","input":{{}}}}}}"#);
    let other = &*own.replace("{}", r#"{"x":1}"#);
    let of_own = &*format!(r#"{{"toolResult":{{"toolUseId":"{id}","content":[]}}}}"#);
    let signature = crate::seal::signature("hm");
    let thought = &*format!(
        r#"{{"reasoningContent":{{"reasoningText":{{"text":"hm","signature":"{signature}"}}}}}}"#
    );
    vec![
        ("ids of calls are unique in their message", both, with(&[a, a], &[of_a])),
        ("a call has one result", both, with(&[a], &[of_a, of_a])),
        (
            "calls come back as they were made",
            with(&[thought, own], &[of_own]),
            with(&[thought, other], &[of_own]),
        ),
        ("a call has its result after it", both, with(&[a, b], &[of_a, note, of_b])),
        ("a result has its call before it", both, with(&[a], &[of_a, of_b])),
        (
            "thinking comes back before its calls",
            with(&[thought, own], &[of_own]),
            with(&[own], &[of_own]),
        ),
    ]
}
