//! Our own tool, with which a model gets back what was left out of a result.

use serde::Deserialize;
use std::sync::LazyLock;
use tokenforge_engine::expand_tool::DEFINITION;
use tokenforge_engine::expansion::{Selection, select};
use tokenforge_engine::reference::EXPAND_TOOL;
use tokenforge_providers::quoted;

/// Its name, which no prefix stands before.
pub const NAME: &str = EXPAND_TOOL;

/// Its definition as servers list tools.
pub fn definition() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| DEFINITION.replacen("\"input_schema\"", "\"inputSchema\"", 1));
    &TEXT
}

/// What a call asks for.
#[derive(Debug, Default, Deserialize)]
struct ExpandArguments {
    #[serde(default)]
    id: String,
    lines: Option<String>,
    grep: Option<String>,
    path: Option<String>,
}

/// The result of a call, as JSON. `find` looks up an original by its id.
#[must_use]
pub fn result(arguments: &str, find: impl FnOnce(&str) -> Option<String>) -> String {
    let answer = text(arguments, find);
    let is_error = answer.is_err();
    let text = quoted(&answer.unwrap_or_else(|problem| problem));
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":{is_error}}}"#)
}

fn text(arguments: &str, find: impl FnOnce(&str) -> Option<String>) -> Result<String, String> {
    let wanted: ExpandArguments = serde_json::from_str(arguments)
        .map_err(|_| "Call again with {\"id\": \"shadow_...\"} as the arguments.".to_owned())?;
    let original = find(&wanted.id).ok_or_else(|| {
        let id: String = wanted.id.chars().filter(|c| !c.is_control()).take(64).collect();
        format!("No original is kept under {id:?}. Run the tool again if you need its output.")
    })?;
    let again =
        |error: &dyn std::fmt::Display| format!("Call again with other arguments: {error}.");
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let lines = given(wanted.lines).map(|lines| lines.parse()).transpose();
    let path = given(wanted.path).map(|path| path.parse()).transpose();
    let selection = Selection {
        lines: lines.map_err(|error| again(&error))?,
        grep: given(wanted.grep).map(|grep| grep.as_str().into()),
        path: path.map_err(|error| again(&error))?,
        ..Selection::default()
    };
    select(&original, &selection).map(|text| text.into_owned()).map_err(|error| again(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn l4_an_original_or_a_part_of_it_is_given_back() {
        let find = |id: &str| (id == "shadow_x").then(|| "one\ntwo\nthree\n".to_owned());
        let said =
            |arguments: &str| -> Value { serde_json::from_str(&result(arguments, find)).unwrap() };
        assert_eq!(said(r#"{"id":"shadow_x"}"#)["content"][0]["text"], "one\ntwo\nthree\n");
        assert_eq!(said(r#"{"id":"shadow_x"}"#)["isError"], false);
        let part = said(r#"{"id":"shadow_x","lines":"2-2"}"#);
        assert!(part["content"][0]["text"].as_str().unwrap().contains("two"));
        for wrong in [r#"{"id":"y"}"#, "[]", r#"{"id":"shadow_x","lines":"x"}"#] {
            assert_eq!(said(wrong)["isError"], true, "{wrong}");
        }
    }

    #[test]
    fn the_tool_is_defined_as_servers_define_tools() {
        let tool: Value = serde_json::from_str(definition()).unwrap();
        assert_eq!(tool["name"], NAME);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool.get("input_schema").is_none());
    }
}
