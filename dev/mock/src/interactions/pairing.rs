//! Rules about calls, their results, and the thoughts that led to them.

use super::{PREFIX, kind, sealed, steps};
use crate::refusal::Says::Assumed;
use crate::refusal::{Asked, Broken, Rule, broken, text, twice};
use crate::seal::{Origin, is_signature, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "the interaction before is known", says: Assumed, check: previous },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule { name: "a result has its call before it", says: Assumed, check: expected },
    Rule { name: "a call has one result", says: Assumed, check: once },
    Rule { name: "every call has its result", says: Assumed, check: answered },
    Rule { name: "a thought is unchanged", says: Assumed, check: signed },
    Rule { name: "a thought is followed by what it led to", says: Assumed, check: followed },
    Rule { name: "a call comes with its thought", says: Assumed, check: thought_of },
];

/// The calls that the interaction before left open; none if there is no such.
fn open_before(asked: &Asked<'_>) -> Vec<String> {
    let previous = asked.body["previous_interaction_id"].as_str();
    previous.and_then(|id| asked.memory.open_calls(id)).unwrap_or_default()
}

fn previous(asked: &Asked<'_>) -> Result<(), Broken> {
    match asked.body["previous_interaction_id"].as_str() {
        Some(id) if asked.memory.open_calls(id).is_none() => {
            broken(format!("Interaction '{id}' not found."))
        }
        _ => Ok(()),
    }
}

fn call_origin(step: &Value) -> Origin {
    origin(PREFIX, text(&step["id"]), text(&step["name"]), &step["arguments"].to_string())
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for step in steps(asked).iter().filter(|step| kind(step) == "function_call") {
        let of = call_origin(step);
        let is_foreign = of == Origin::Foreign && asked.memory.refuses_foreign_ids();
        if of == Origin::Changed || is_foreign {
            return broken(format!(
                "The call '{}' is not as the model made it.",
                text(&step["id"])
            ));
        }
    }
    Ok(())
}

fn expected(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut known = open_before(asked);
    for step in steps(asked) {
        match kind(step) {
            "function_call" => known.push(text(&step["id"]).to_owned()),
            "function_result" if !known.iter().any(|known| *known == text(&step["call_id"])) => {
                return broken(format!("No function call with id '{}'.", text(&step["call_id"])));
            }
            _ => {}
        }
    }
    Ok(())
}

fn results<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = &'a str> {
    let results = steps(asked).iter().filter(|step| kind(step) == "function_result");
    results.map(|step| text(&step["call_id"]))
}

fn once(asked: &Asked<'_>) -> Result<(), Broken> {
    match twice(results(asked)) {
        Some(id) => broken(format!("Two results for the function call '{id}'.")),
        None => Ok(()),
    }
}

fn answered(asked: &Asked<'_>) -> Result<(), Broken> {
    let calls = steps(asked).iter().filter(|step| kind(step) == "function_call");
    let calls = calls.map(|step| text(&step["id"]).to_owned());
    let is_open = |id: &String| !results(asked).any(|answered| answered == id);
    match open_before(asked).into_iter().chain(calls).find(is_open) {
        Some(id) => broken(format!("No result for the function call '{id}'.")),
        None => Ok(()),
    }
}

fn thoughts<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (usize, &'a Value)> {
    steps(asked).iter().enumerate().filter(|(_, step)| kind(step) == "thought")
}

fn signed(asked: &Asked<'_>) -> Result<(), Broken> {
    if thoughts(asked).any(|(_, step)| !is_signature(&sealed(step), text(&step["signature"]))) {
        broken("The signature of a thought is not valid.")
    } else {
        Ok(())
    }
}

fn followed(asked: &Asked<'_>) -> Result<(), Broken> {
    let is_made = |step: &Value| matches!(kind(step), "function_call" | "model_output");
    if thoughts(asked).any(|(at, _)| !steps(asked).get(at + 1).is_some_and(is_made)) {
        broken("A thought is not followed by what it led to.")
    } else {
        Ok(())
    }
}

/// A turn of the model ends at the next result of a tool or input of the user.
fn thought_of(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut has_thought = false;
    for step in steps(asked) {
        match (kind(step), call_origin(step)) {
            ("thought", _) => has_thought = true,
            ("function_result" | "user_input", _) => has_thought = false,
            ("function_call", Origin::Own { thought: true, .. }) if !has_thought => {
                return broken(format!(
                    "The call '{}' comes without its thought.",
                    text(&step["id"])
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let list = |steps: &[&str]| -> &'static str { format!("I[{}]", steps.join(",")).leak() };
    let a = r#"{"type":"function_call","id":"a","name":"t","arguments":{}}"#;
    let of_a = r#"{"type":"function_result","call_id":"a","result":"x"}"#;
    let both = list(&[a, of_a]);
    let id = crate::seal::call_id(PREFIX, 3, 0, true, "t", "{}");
    let own = format!(r#"{{"type":"function_call","id":"{id}","name":"t","arguments":{{}}}}"#);
    let other = own.replace("{}", r#"{"x":1}"#);
    let of_own = format!(r#"{{"type":"function_result","call_id":"{id}","result":"x"}}"#);
    let signature = crate::seal::signature("hm");
    let thought = format!(
        r#"{{"type":"thought","signature":"{signature}","summary":[{{"type":"text","text":"hm"}}]}}"#
    );
    let changed = thought.replace("hm", "ah");
    let whole = list(&[&thought, &own, &of_own]);
    vec![
        ("the interaction before is known", both, r#"I"x","previous_interaction_id":"v1_1""#),
        ("calls come back as they were made", whole, list(&[&thought, &other, &of_own])),
        ("a result has its call before it", both, list(&[of_a, a])),
        ("a call has one result", both, list(&[a, of_a, of_a])),
        ("every call has its result", both, list(&[a])),
        ("a thought is unchanged", whole, list(&[&changed, &own, &of_own])),
        (
            "a thought is followed by what it led to",
            whole,
            list(&[&thought, &thought, &own, &of_own]),
        ),
        ("a call comes with its thought", whole, list(&[&own, &of_own])),
    ]
}
