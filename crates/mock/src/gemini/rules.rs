//! What Gemini refuses.

use super::{PREFIX, is_strict, signed};
use crate::refusal::Says::{Assumed, Provider};
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice, unknown_member};
use crate::seal::{Origin, is_signature, origin};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "no unknown members",
        says: Provider("Invalid JSON payload received. Unknown name \"…\": Cannot find field."),
        check: known,
    },
    Rule {
        name: "contents are given",
        says: Provider("* GenerateContentRequest.contents: contents is not specified"),
        check: some_contents,
    },
    Rule {
        name: "roles are known",
        says: Provider("Please use a valid role: user, model."),
        check: roles,
    },
    Rule {
        name: "a content has parts",
        says: Provider(
            "* GenerateContentRequest.contents[…].parts: contents.parts must not be empty.",
        ),
        check: some_parts,
    },
    Rule {
        name: "parts have no unknown members",
        says: Provider(
            "Invalid JSON payload received. Unknown name \"…\" at 'contents[…].parts[…]': Cannot find field.",
        ),
        check: part_members,
    },
    Rule {
        name: "a response is an object",
        says: Provider(
            "Invalid value at 'contents[…].parts[…].function_response.response' (type.googleapis.com/google.protobuf.Struct)",
        ),
        check: responses,
    },
    Rule {
        name: "declarations are unique",
        says: Provider("Duplicate function declaration found: "),
        check: unique_declarations,
    },
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

/// Each as the API spells it; snake case is accepted as well.
const MEMBERS: &[&str] = &[
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "safetySettings",
    "generationConfig",
    "cachedContent",
    "labels",
    "model",
    "serviceTier",
    "store",
    "generateContentRequest",
];

const PART: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "thought",
    "thoughtSignature",
    "videoMetadata",
    "mediaResolution",
    "partMetadata",
    "toolCall",
    "toolResponse",
];

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

fn both_spellings(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|name| [(*name).to_owned(), snake(name)]).collect()
}

fn unknown<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    let known = both_spellings(known);
    unknown_member(value, &known.iter().map(String::as_str).collect::<Vec<_>>())
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

fn known(asked: &Asked<'_>) -> Result<(), Broken> {
    match unknown(asked.body, MEMBERS) {
        Some(name) => broken(format!(
            "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
        )),
        None => Ok(()),
    }
}

fn some_contents(asked: &Asked<'_>) -> Result<(), Broken> {
    if contents(asked).is_empty() && member(asked.body, "generateContentRequest").is_null() {
        return broken("* GenerateContentRequest.contents: contents is not specified\n");
    }
    Ok(())
}

fn roles(asked: &Asked<'_>) -> Result<(), Broken> {
    let fits = |content: &Value| {
        matches!(content["role"].as_str(), None | Some("user" | "model" | "function"))
    };
    match contents(asked).iter().all(fits) {
        true => Ok(()),
        false => broken("Please use a valid role: user, model."),
    }
}

fn some_parts(asked: &Asked<'_>) -> Result<(), Broken> {
    match contents(asked).iter().position(|content| items(&content["parts"]).is_empty()) {
        Some(at) => broken(format!(
            "* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty.\n"
        )),
        None => Ok(()),
    }
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

fn part_members(asked: &Asked<'_>) -> Result<(), Broken> {
    let inside = [
        (
            "functionCall",
            "function_call",
            &["id", "name", "args", "partialArgs", "willContinue"][..],
        ),
        (
            "functionResponse",
            "function_response",
            &["id", "name", "response", "parts", "scheduling", "willContinue"],
        ),
    ];
    each(asked, |c, p, part| {
        let found = unknown(part, PART).map(|name| (name, String::new())).or_else(|| {
            inside.iter().find_map(|(kind, spelled, known)| {
                Some((unknown(member(part, kind), known)?, format!(".{spelled}")))
            })
        });
        match found {
            Some((name, place)) => broken(format!(
                "Invalid JSON payload received. Unknown name \"{name}\" at 'contents[{c}].parts[{p}]{place}': Cannot \
                 find field."
            )),
            None => Ok(()),
        }
    })
}

fn responses(asked: &Asked<'_>) -> Result<(), Broken> {
    each(asked, |c, p, part| {
        let answer = member(part, "functionResponse");
        if answer.is_null() || answer["response"].is_object() {
            return Ok(());
        }
        broken(format!(
            "Invalid value at 'contents[{c}].parts[{p}].function_response.response' \
             (type.googleapis.com/google.protobuf.Struct), a value that is no object"
        ))
    })
}

fn unique_declarations(asked: &Asked<'_>) -> Result<(), Broken> {
    let tools = items(&asked.body["tools"]).iter();
    let declared = tools.flat_map(|tool| items(member(tool, "functionDeclarations")));
    match twice(declared.map(|declaration| text(&declaration["name"]))) {
        Some(name) => broken(format!("Duplicate function declaration found: {name}")),
        None => Ok(()),
    }
}

fn call_turns(asked: &Asked<'_>) -> Result<(), Broken> {
    let mut before = None;
    for content in contents(asked) {
        if !calls(content).is_empty() && before != Some("user") {
            return broken(
                "Please ensure that function call turn comes immediately after a user turn or after a function response \
                 turn.",
            );
        }
        before = Some(if content["role"] == "model" { "model" } else { "user" });
    }
    Ok(())
}

/// Each content with the one before it.
fn pairs<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (&'a Value, Option<&'a Value>)> {
    let all = contents(asked);
    all.iter()
        .enumerate()
        .map(|(at, content)| (content, at.checked_sub(1).and_then(|at| all.get(at))))
}

fn response_turns(asked: &Asked<'_>) -> Result<(), Broken> {
    let stray = |(content, before): (&Value, Option<&Value>)| {
        !answers(content).is_empty() && before.is_none_or(|before| calls(before).is_empty())
    };
    match pairs(asked).any(stray) {
        true => broken(
            "Please ensure that function response turn comes immediately after a function call turn.",
        ),
        false => Ok(()),
    }
}

fn counts(asked: &Asked<'_>) -> Result<(), Broken> {
    let all = contents(asked);
    for (at, content) in all.iter().enumerate() {
        let calls = calls(content).len();
        let answers = all.get(at + 1).map_or(0, |next| answers(next).len());
        if calls > 0 && calls != answers {
            return broken(
                "Please ensure that the number of function response parts is equal to the number of function call parts \
                 of the function call turn.",
            );
        }
    }
    Ok(())
}

fn names(asked: &Asked<'_>) -> Result<(), Broken> {
    for (content, before) in pairs(asked) {
        let mut open = before.map(calls).unwrap_or_default();
        for answer in answers(content) {
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
        let is_skipped = signature.is_empty() || signature == "skip_thought_signature_validator";
        let is_own = signature.starts_with("MOCK") || origin_of(call) != Origin::Foreign;
        let is_checked = !is_skipped && (is_own || asked.memory.refuses_foreign_ids());
        match is_checked && !is_signature(&signed(call), signature) {
            true => broken("Corrupted thought signature."),
            false => Ok(()),
        }
    })
}

/// In the turn that goes on: since the user last said something.
fn has_signature(asked: &Asked<'_>) -> Result<(), Broken> {
    if !is_strict(asked.model) {
        return Ok(());
    }
    let goes_on = |content: &&Value| content["role"] == "model" || !answers(content).is_empty();
    for content in contents(asked).iter().rev().take_while(goes_on) {
        let first = items(&content["parts"])
            .iter()
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
                whole.clone(),
                turn(&[
                    hi.clone(),
                    model(&[r#"{"text":"x"}"#]),
                    model(&[foreign]),
                    answer(&[of_t]),
                ]),
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
        crate::refusal::prove(&[RULES], "gemini-3-pro", ('M', ""), &examples);
    }
}
