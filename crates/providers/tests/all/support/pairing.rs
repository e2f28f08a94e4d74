//! Whether every call of a conversation is answered as its provider demands, checked in a tree.

use super::example::Example;
use serde_json::Value;
use std::collections::BTreeMap;
use tokenforge_providers::Dialect;

/// Panics unless every call is answered exactly once, where the provider wants its answer, and nothing else is.
#[track_caller]
pub(crate) fn assert_paired(body: &Value, dialect: Dialect) {
    match Example::read(dialect).text("pairing") {
        "anthropic_blocks" => blocks(body, |block| match &block["type"] {
            kind if kind == "tool_use" => Some((true, block["id"].clone())),
            kind if kind == "tool_result" => Some((false, block["tool_use_id"].clone())),
            _ => None,
        }),
        "converse_blocks" => blocks(body, |block| {
            let id = |kind: &str| block.get(kind).map(|inner| inner["toolUseId"].clone());
            id("toolUse").map(|id| (true, id)).or(id("toolResult").map(|id| (false, id)))
        }),
        "messages" => messages(body),
        "items" => items(body),
        "parts" => parts(body),
        other => panic!("{other} is no rule"),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The calls of a message are answered in the next one, before anything else in it.
#[track_caller]
fn blocks(body: &Value, id: impl Fn(&Value) -> Option<(bool, Value)>) {
    let mut open: Vec<Value> = vec![];
    for message in list(&body["messages"]) {
        let is_model = message["role"] == "assistant";
        let content = list(&message["content"]);
        let answers = content.iter().map_while(|block| id(block).filter(|(is_call, _)| !is_call));
        let mut answered = 0;
        for (_, id) in answers {
            let at = open.iter().position(|call| *call == id);
            open.remove(at.unwrap_or_else(|| panic!("{id} answers nothing")));
            answered += 1;
        }
        assert!(open.is_empty(), "{open:?} are not answered at once");
        assert!(answered == 0 || !is_model);
        for block in &content[answered..] {
            if let Some((is_call, id)) = id(block) {
                assert!(is_call && is_model, "{id} comes late");
                open.push(id);
            }
        }
    }
    assert!(open.is_empty(), "{open:?} are not answered");
}

/// The calls of a message are answered by the messages that follow it at once.
#[track_caller]
fn messages(body: &Value) {
    let mut open: Vec<Value> = vec![];
    // A call without an id is known by its name.
    let known = |id: &Value, name: &Value| if id.is_null() { name.clone() } else { id.clone() };
    for message in list(&body["messages"]) {
        if message["role"] == "tool" {
            let id = known(&message["tool_call_id"], &message["tool_name"]);
            let at = open.iter().position(|call| *call == id);
            open.remove(at.unwrap_or_else(|| panic!("{id} answers nothing")));
            continue;
        }
        assert!(open.is_empty(), "{open:?} are not answered at once");
        let calls = list(&message["tool_calls"]);
        open.extend(calls.iter().map(|call| known(&call["id"], &call["function"]["name"])));
    }
    assert!(open.is_empty(), "{open:?} are not answered");
}

/// Every call has one output behind it. In Interactions a call has its id where a result says which call it is of.
#[track_caller]
fn items(body: &Value) {
    let mut open = vec![];
    for item in list(&body["input"]) {
        match item["type"].as_str() {
            Some("function_call" | "custom_tool_call") => {
                open.push(item.get("call_id").unwrap_or(&item["id"]));
            }
            Some("function_call_output" | "custom_tool_call_output" | "function_result") => {
                let at = open.iter().position(|call| *call == &item["call_id"]);
                open.remove(at.unwrap_or_else(|| panic!("{item} answers nothing")));
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} are not answered");
}

/// A turn of calls is followed by as many responses of the same names.
#[track_caller]
fn parts(body: &Value) {
    let names = |content: &Value, kind: &str| {
        let mut names = BTreeMap::new();
        for part in list(&content["parts"]).iter().filter_map(|part| part.get(kind)) {
            *names.entry((part["name"].to_string(), part["id"].to_string())).or_insert(0) += 1;
        }
        names
    };
    let contents = list(&body["contents"]);
    for (index, content) in contents.iter().enumerate() {
        let calls = names(content, "functionCall");
        let next = contents
            .get(index + 1)
            .map_or_else(BTreeMap::new, |next| names(next, "functionResponse"));
        assert_eq!(calls, next);
    }
}
