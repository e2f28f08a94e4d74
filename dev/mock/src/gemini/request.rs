//! Rules about the request as a whole and about each part alone.

use super::{contents, each, member, snake};
use crate::refusal::Says::Provider;
use crate::refusal::{Asked, Broken, Rule, broken, items, text, twice, unknown_member};
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

fn both_spellings(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|name| [(*name).to_owned(), snake(name)]).collect()
}

fn unknown<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    let known = both_spellings(known);
    unknown_member(value, &known.iter().map(String::as_str).collect::<Vec<_>>())
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
    if contents(asked).iter().all(fits) {
        Ok(())
    } else {
        broken("Please use a valid role: user, model.")
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
