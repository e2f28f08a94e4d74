//! `call_tool`: the call of a tool that was found, as the call that its server gets.

use super::offer::{CALL_TOOL, FIND_TOOLS};
use crate::message::Message;
use tokenforge_json::{Edit, Node, ValueKind, quote};

/// What a call of [`CALL_TOOL`] asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundCall {
    /// The tool, as it was found.
    pub(crate) name: String,
    /// Its arguments, as JSON.
    pub(crate) arguments: String,
}

impl FoundCall {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// They name no tool, or the tool's arguments are no object: what the model is told.
    pub(crate) fn read(arguments: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            Err(format!(
                "{what}. {CALL_TOOL} takes {{\"name\": \"...\", \"arguments\": {{...}}}}: a name from {FIND_TOOLS}, and an object that fits the tool's inputSchema."
            ))
        };
        let Ok(root) = Node::read(arguments) else { return wrong("The arguments are no JSON") };
        let [name, arguments] = root.pick(["name", "arguments"]);
        let Some(name) = name.and_then(|name| name.text()).filter(|name| !name.is_empty()) else {
            return wrong("`name` is missing, or is no text");
        };
        let arguments = match &arguments {
            None => "{}".to_owned(),
            Some(node) if node.kind() == ValueKind::Null => "{}".to_owned(),
            Some(node) if node.kind() == ValueKind::Object => node.raw().to_owned(),
            // Some models write an object inside an object as a text.
            Some(node) => match node.text().filter(|text| is_object(text)) {
                Some(text) => text.into_owned(),
                None => return wrong("`arguments` is no object"),
            },
        };
        Ok(FoundCall { name: name.into_owned(), arguments })
    }
}

fn is_object(text: &str) -> bool {
    Node::read(text).is_ok_and(|node| node.kind() == ValueKind::Object)
}

/// The call as the client would have made it of the tool itself. Everything else in it stays: its id, its `_meta`.
pub(crate) fn inner_message(message: &Message<'_>, name: &str, arguments: &str) -> String {
    let mut edits = Edit::new(message.text());
    if let Some(params) = message.params() {
        edits.set_in_front(params, "arguments", arguments.to_owned());
        edits.set_in_front(params, "name", quote(name));
    }
    edits.done().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m22_a_call_is_read_and_what_is_wrong_with_it_is_said() {
        let read = |text: &str| FoundCall::read(text).map(|call| (call.name, call.arguments));
        let good = ("git__log".to_owned(), r#"{"n": 1.50}"#.to_owned());
        assert_eq!(read(r#"{"name":"git__log","arguments":{"n": 1.50}}"#), Ok(good.clone()));
        assert_eq!(read(r#"{"name":"git__log","arguments":"{\"n\": 1.50}"}"#), Ok(good));
        let none = Ok(("t".to_owned(), "{}".to_owned()));
        assert_eq!(read(r#"{"name":"t"}"#), none);
        assert_eq!(read(r#"{"name":"t","arguments":null}"#), none);
        for wrong in [
            "{}",
            "[]",
            r#"{"name":1}"#,
            r#"{"name":"t","arguments":[]}"#,
            r#"{"name":"t","arguments":"x"}"#,
        ] {
            let told = read(wrong).unwrap_err();
            assert!(told.contains("inputSchema"), "{wrong}: {told}");
        }
    }

    #[test]
    fn m22_the_inner_call_keeps_everything_but_name_and_arguments() {
        let text = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":7},"name":"call_tool","arguments":{"name":"git__log","arguments":{"n":1}},"task":{"ttl":5}}}"#;
        let inner = inner_message(&Message::read(text).unwrap(), "git__log", r#"{"n":1}"#);
        assert_eq!(
            inner,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":7},"name":"git__log","arguments":{"n":1},"task":{"ttl":5}}}"#
        );
    }
}
