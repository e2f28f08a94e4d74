//! Rules about calls, their responses, and the signatures that come with them.

use super::{PREFIX, answers, calls, contents, each, is_strict, member, signed};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text};
use crate::seal::{Origin, is_signature, origin};
use serde_json::Value;

/// The words with which Google lets a client skip the check; as bytes, which a signature is, they are in base64.
const SKIPPED: [&str; 2] =
    ["skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "a call comes after the user",
        says: Provider(
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        ),
        check: call_turns,
    },
    Rule {
        name: "a response comes after its call",
        says: Provider(
            "Please ensure that function response turn comes immediately after a function call turn.",
        ),
        check: response_turns,
    },
    Rule {
        name: "every call has its response",
        says: Provider(
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn.",
        ),
        check: counts,
    },
    Rule { name: "responses name their calls", says: Assumed, check: names },
    Rule { name: "calls come back as they were made", says: Assumed, check: unchanged },
    Rule {
        name: "signatures are unchanged",
        says: Provider("Corrupted thought signature."),
        check: signatures,
    },
    Rule {
        name: "a call comes with its signature",
        says: Provider("Function call is missing a thought_signature in functionCall parts."),
        check: has_signature,
    },
];

fn call_turns(asked: &Asked<'_>) -> Result<(), Broken> {
    if turns(asked).first().is_some_and(|first| !calls_of(first).is_empty()) {
        broken(
            "Please ensure that function call turn comes immediately after a user turn or after a function response \
             turn.",
        )
    } else {
        Ok(())
    }
}

/// The turns. Contents of the model in a row are one: Google's own SDKs send back what was streamed chunk by chunk.
fn turns<'a>(asked: &'a Asked<'_>) -> Vec<&'a [Value]> {
    let is_model = |content: &Value| content["role"] == "model";
    contents(asked).chunk_by(|one, next| is_model(one) && is_model(next)).collect()
}

fn calls_of(turn: &[Value]) -> Vec<&Value> {
    turn.iter().flat_map(calls).collect()
}

fn answers_of(turn: &[Value]) -> Vec<&Value> {
    turn.iter().flat_map(answers).collect()
}

/// The calls of each turn, and the responses of the one behind it. What is before the first turn calls nothing.
fn pairs<'a>(asked: &'a Asked<'_>) -> Vec<(Vec<&'a Value>, Vec<&'a Value>)> {
    let turns = turns(asked);
    let calls = [Vec::new()].into_iter().chain(turns.iter().map(|turn| calls_of(turn)));
    let answers = turns.iter().map(|turn| answers_of(turn)).chain([Vec::new()]);
    calls.zip(answers).collect()
}

fn response_turns(asked: &Asked<'_>) -> Result<(), Broken> {
    if pairs(asked).iter().any(|(calls, answers)| calls.is_empty() && !answers.is_empty()) {
        broken(
            "Please ensure that function response turn comes immediately after a function call turn.",
        )
    } else {
        Ok(())
    }
}

fn counts(asked: &Asked<'_>) -> Result<(), Broken> {
    if pairs(asked).iter().any(|(calls, answers)| calls.len() != answers.len()) {
        broken(
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn.",
        )
    } else {
        Ok(())
    }
}

fn names(asked: &Asked<'_>) -> Result<(), Broken> {
    for (mut open, answers) in pairs(asked) {
        for answer in answers {
            let fits = |call: &&Value| {
                call["name"] == answer["name"]
                    && (answer["id"].is_null() || call["id"] == answer["id"])
            };
            match open.iter().position(fits) {
                Some(at) => drop(open.remove(at)),
                None => {
                    let name = text(&answer["name"]);
                    return broken(format!(
                        "Function response `{name}` answers no function call of the turn before."
                    ));
                }
            }
        }
    }
    Ok(())
}

fn unchanged(asked: &Asked<'_>) -> Result<(), Broken> {
    for call in contents(asked).iter().flat_map(calls) {
        let id = text(&call["id"]);
        let origin = origin_of(call);
        let is_foreign = origin == Origin::Foreign && asked.memory.refuses_foreign_ids();
        if origin == Origin::Changed || (is_foreign && is_strict(asked.model)) {
            return broken(format!("Function call `{id}` is not as the model made it."));
        }
    }
    Ok(())
}

fn origin_of(call: &Value) -> Origin {
    origin(PREFIX, text(&call["id"]), text(&call["name"]), &call["args"].to_string())
}

/// Signatures of other makers pass, as do the words with which Google lets a client skip the check.
fn signatures(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |_, _, part| {
        let signature = text(member(part, "thoughtSignature"));
        let call = member(part, "functionCall");
        let is_skipped = signature.is_empty() || SKIPPED.contains(&signature);
        let is_own = signature.starts_with("MOCK") || origin_of(call) != Origin::Foreign;
        let is_checked = !is_skipped && (is_own || asked.memory.refuses_foreign_ids());
        if is_checked && !is_signature(&signed(call), signature) {
            broken("Corrupted thought signature.")
        } else {
            Ok(())
        }
    })
}

/// In the turn that goes on: since the user last said something.
fn has_signature(asked: &Asked<'_>) -> Result<(), Broken> {
    if !is_strict(asked.model) {
        return Ok(());
    }
    let goes_on = |turn: &&&[Value]| turn[0]["role"] == "model" || !answers_of(turn).is_empty();
    for turn in turns(asked).iter().rev().take_while(goes_on) {
        let first = turn
            .iter()
            .flat_map(|content| items(&content["parts"]))
            .enumerate()
            .find(|(_, part)| !member(part, "functionCall").is_null());
        if let Some((at, part)) = first
            && member(part, "thoughtSignature").is_null()
        {
            let name = text(&member(part, "functionCall")["name"]);
            return broken(format!(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to work \
                 correctly, and missing thought_signature may lead to degraded model performance. Additional data, \
                 function call `default_api:{name}` , position {}.",
                at + 1
            ));
        }
    }
    Ok(())
}
