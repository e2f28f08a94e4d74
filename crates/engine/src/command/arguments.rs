//! Where a call's arguments hold its command line.

use super::javascript;
use serde_json::{Map, Value};

/// Keys under which agents put a command line, the likeliest first.
const KEYS: &[&str] = &["command", "cmd", "commands", "script", "input", "code", "line"];
/// Keys that hold the arguments proper.
const ENVELOPES: &[&str] = &["action", "arguments", "params", "args"];

/// One command line of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArgumentLine {
    /// For a shell to split.
    Text(String),
    /// Split already.
    Words(Vec<String>),
}

/// The command lines in the arguments of a call: JSON as a rule, else the line itself or a program that runs some.
pub(super) fn argument_lines(arguments: &str) -> Option<Vec<ArgumentLine>> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => in_object(&object),
        Ok(value) => in_value(&value),
        Err(_) => in_text(arguments),
    }
}

fn in_object(object: &Map<String, Value>) -> Option<Vec<ArgumentLine>> {
    let inside =
        || ENVELOPES.iter().find_map(|key| object.get(*key)?.as_object().and_then(lines_by_name));
    lines_by_name(object).or_else(inside)
}

fn lines_by_name(object: &Map<String, Value>) -> Option<Vec<ArgumentLine>> {
    KEYS.iter().find_map(|key| match object.get(*key)? {
        Value::Array(items) if *key == "commands" => several(items),
        value => in_value(value),
    })
}

fn in_value(value: &Value) -> Option<Vec<ArgumentLine>> {
    match value {
        Value::String(text) => in_text(text),
        Value::Array(items) => in_list(items),
        _ => None,
    }
}

fn in_text(text: &str) -> Option<Vec<ArgumentLine>> {
    if text.trim().is_empty() {
        return None;
    }
    Some(match javascript::commands(text) {
        Some(commands) => commands.into_iter().map(ArgumentLine::Text).collect(),
        None => vec![ArgumentLine::Text(text.to_owned())],
    })
}

/// One command split into words, unless the program has blanks in its name: then every item is a line.
fn in_list(items: &[Value]) -> Option<Vec<ArgumentLine>> {
    let words: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    match words {
        Some(words) if !words.first()?.trim().contains(char::is_whitespace) => {
            Some(vec![ArgumentLine::Words(words)])
        }
        _ => several(items),
    }
}

/// One command a line.
fn several(items: &[Value]) -> Option<Vec<ArgumentLine>> {
    let lines: Option<Vec<ArgumentLine>> =
        items.iter().map(|item| text_of(item).map(ArgumentLine::Text)).collect();
    lines.filter(|lines| !lines.is_empty())
}

fn text_of(item: &Value) -> Option<String> {
    match item {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => {
            KEYS.iter().find_map(|key| object.get(*key)?.as_str().map(str::to_owned))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(arguments: &str) -> Vec<String> {
        argument_lines(arguments)
            .unwrap()
            .into_iter()
            .map(|line| match line {
                ArgumentLine::Text(text) => text,
                ArgumentLine::Words(words) => words.join("|"),
            })
            .collect()
    }

    #[test]
    fn a_line_is_found_under_every_agents_key() {
        assert_eq!(texts(r#"{"command":"cargo test","timeout":5}"#), ["cargo test"]);
        assert_eq!(texts(r#"{"cmd":"ls","yield_time_ms":1000}"#), ["ls"]);
        assert_eq!(texts(r#"{"commands":["cat a","ls"]}"#), ["cat a", "ls"]);
        assert_eq!(
            texts(r#"{"commands":[{"command":"ls","cwd":"x"},{"command":"id"}]}"#),
            ["ls", "id"]
        );
        assert_eq!(texts(r#"{"action":{"type":"exec","command":["ls","-l"]}}"#), ["ls|-l"]);
        assert_eq!(texts("git status"), ["git status"]);
    }

    #[test]
    fn words_that_are_split_already_stay_split() {
        assert_eq!(texts(r#"{"command":["bash","-lc","a && b"]}"#), ["bash|-lc|a && b"]);
    }

    #[test]
    fn arguments_without_a_command_have_none() {
        for arguments in
            ["", "{}", "[]", "{\"command\":1}", "{\"command\":\" \"}", "{\"path\":\"x\"}", "[1]"]
        {
            assert_eq!(argument_lines(arguments), None, "{arguments}");
        }
    }
}
