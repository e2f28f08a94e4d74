//! Rules about calls and the messages that answer them.

use super::PREFIX;
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, invalid, items, text, twice};
use crate::seal::{Origin, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "a tool message names its call",
        says: Provider(
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
        ),
        check: named,
    },
    Rule {
        name: "calls are complete",
        says: Provider("Missing required parameter: 'messages[…].tool_calls[…].…'."),
        check: complete,
    },
    Rule { name: "ids of calls are unique in their message", says: Assumed, check: unique },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule {
        name: "a tool message follows its call",
        says: Provider(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        check: follows,
    },
    Rule { name: "a call is answered once", says: Assumed, check: once },
    Rule {
        name: "every call is answered at once",
        says: Provider(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
             The following tool_call_ids did not have response messages: ",
        ),
        check: answered,
    },
];

fn messages<'a>(asked: &'a Asked<'_>) -> &'a [Value] {
    items(&asked.body["messages"])
}

fn is_tool(message: &Value) -> bool {
    message["role"] == "tool"
}

/// Each message that calls, with its place and the tool messages directly after it.
fn turns<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (usize, &'a [Value], &'a [Value])> {
    let all = messages(asked);
    let calling =
        all.iter().enumerate().filter(|(_, message)| !items(&message["tool_calls"]).is_empty());
    calling.map(move |(at, message)| {
        let after = all.get(at + 1..).unwrap_or_default();
        let answers = after.iter().take_while(|message| is_tool(message)).count();
        (at, items(&message["tool_calls"]), &after[..answers])
    })
}

fn named(asked: &Asked<'_>) -> Result<(), Broken> {
    match messages(asked)
        .iter()
        .position(|message| is_tool(message) && !message["tool_call_id"].is_string())
    {
        Some(at) => invalid(
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
            format!("messages.[{at}].tool_call_id"),
            None,
        ),
        None => Ok(()),
    }
}

fn complete(asked: &Asked<'_>) -> Result<(), Broken> {
    for (m, calls, _) in turns(asked) {
        for (c, call) in calls.iter().enumerate() {
            let body = if call["type"] == "custom" {
                ("custom", "input")
            } else {
                ("function", "arguments")
            };
            let missing = [
                ("id", !call["id"].is_string()),
                ("type", !call["type"].is_string()),
                (body.0, !call[body.0].is_object()),
                ("function.name", !call[body.0]["name"].is_string()),
                ("function.arguments", !call[body.0][body.1].is_string()),
            ];
            if let Some((name, _)) = missing.iter().find(|(_, is_missing)| *is_missing) {
                let param = format!("messages[{m}].tool_calls[{c}].{name}");
                let message = format!("Missing required parameter: '{param}'.");
                return invalid(message, param, Some("missing_required_parameter"));
            }
        }
    }
    Ok(())
}

fn unique(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, calls, _) in turns(asked) {
        if let Some(id) = twice(calls.iter().map(|call| text(&call["id"]))) {
            let message = format!("Duplicate value for 'tool_call_id' of '{id}' in message[{at}].");
            return invalid(message, format!("messages.[{at}].tool_calls"), None);
        }
    }
    Ok(())
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, calls, _) in turns(asked) {
        for call in calls.iter().filter(|call| call["type"] == "function") {
            let (id, function) = (text(&call["id"]), &call["function"]);
            let origin = origin(PREFIX, id, text(&function["name"]), text(&function["arguments"]));
            let is_foreign = origin == Origin::Foreign && asked.memory.refuses_foreign_ids();
            if origin == Origin::Changed || is_foreign {
                let message = format!("The tool call '{id}' is not as the model made it.");
                return invalid(message, format!("messages.[{at}].tool_calls"), None);
            }
        }
    }
    Ok(())
}

fn follows(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages(asked).iter().enumerate() {
        if !is_tool(message) {
            open = items(&message["tool_calls"]).iter().map(|call| text(&call["id"])).collect();
        } else if !open.contains(&text(&message["tool_call_id"])) {
            let message = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                           'tool_calls'.";
            return invalid(message, format!("messages.[{at}].role"), None);
        }
    }
    Ok(())
}

fn once(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, _, answers) in turns(asked) {
        if let Some(id) = twice(answers.iter().map(|answer| text(&answer["tool_call_id"]))) {
            let message =
                format!("Duplicate value for 'tool_call_id' of '{id}' after message[{at}].");
            return invalid(message, "messages", None);
        }
    }
    Ok(())
}

fn answered(asked: &Asked<'_>) -> Result<(), Broken> {
    for (at, calls, answers) in turns(asked) {
        let is_answered = |id: &&str| answers.iter().any(|answer| answer["tool_call_id"] == *id);
        let open: Vec<_> =
            calls.iter().map(|call| text(&call["id"])).filter(|id| !is_answered(id)).collect();
        if !open.is_empty() {
            let message = format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                open.join(", ")
            );
            return invalid(message, format!("messages.[{}].role", at + 1 + answers.len()), None);
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let with = |calls: &str, rest: &str| -> &'static str {
        format!(r#"M[{{"role":"user","content":"x"}},{{"role":"assistant","tool_calls":[{calls}]}},{rest}]"#).leak()
    };
    let call = |id: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"t","arguments":"{{}}"}}}}"#)
    };
    let tool = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let (a, b, of_a, of_b) = (call("a"), call("b"), tool("a"), tool("b"));
    let both = with(&format!("{a},{b}"), &format!("{of_b},{of_a}"));
    let user = r#"{"role":"user","content":"x"}"#;
    let id = crate::seal::call_id(PREFIX, 1, 0, false, "t", "{}");
    let own = call(&id);
    let other = own.replace(r#""{}""#, r#""{\"x\":1}""#);
    vec![
        ("a tool message names its call", both, r#"M[{"role":"tool","content":"x"}]"#),
        (
            "calls are complete",
            both,
            with(r#"{"id":"a","type":"function","function":{"name":"t"}}"#, &of_a),
        ),
        ("ids of calls are unique in their message", both, with(&format!("{a},{a}"), &of_a)),
        ("calls come back as they were made", with(&own, &tool(&id)), with(&other, &tool(&id))),
        ("a tool message follows its call", both, with(&a, &format!("{of_a},{user},{of_a}"))),
        ("a call is answered once", both, with(&a, &format!("{of_a},{of_a}"))),
        ("every call is answered at once", both, with(&format!("{a},{b}"), &of_a)),
    ]
}
