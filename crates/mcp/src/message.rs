//! One JSON-RPC message, read as spans of its text.

use std::borrow::Cow;
use tokenforge_json::{Node, ValueKind};

/// The longest message that is read, from a client or a server.
pub const LONGEST_MESSAGE: usize = 8 << 20;

/// A message. Nothing of it is built: its parts are looked up in its text.
///
/// ```
/// use tokenforge_mcp::{Message, Sort};
///
/// let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ls"}}"#;
/// let message = Message::read(text)?;
/// assert_eq!(message.sort(), Sort::Request);
/// assert_eq!(message.method(), "tools/call");
/// assert_eq!(message.id(), Some("7"));
/// # Ok::<(), tokenforge_mcp::Unreadable>(())
/// ```
#[derive(Debug, Clone)]
pub struct Message<'a> {
    text: &'a str,
    root: Node<'a>,
    sort: Sort,
    id: Option<Node<'a>>,
    method: Cow<'a, str>,
    params: Option<Node<'a>>,
    result: Option<Node<'a>>,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// It wants an answer.
    Request,
    /// It wants none.
    Notification,
    /// It is an answer: a result or an error.
    Answer,
}

/// Why a text is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON.
    #[error("the message is not JSON")]
    NotJson,
    /// It is JSON, and no message.
    #[error("{0}")]
    NotAMessage(&'static str),
}

impl<'a> Message<'a> {
    /// Reads a text that is one message.
    ///
    /// # Errors
    /// It is none, or two readers could understand it differently.
    pub fn read(text: &'a str) -> Result<Self, Unreadable> {
        let root = Node::read(text).map_err(|_| Unreadable::NotJson)?;
        if root.kind() != ValueKind::Object {
            return Err(Unreadable::NotAMessage("a message is one object; there are no batches"));
        }
        let mut parts = [const { None }; 6];
        for (name, node) in root.members() {
            let Some(place) = PARTS.iter().position(|part| may_be(&name, part)) else { continue };
            if name != PARTS[place] {
                let text = "a member of the message has its name in other letters";
                return Err(Unreadable::NotAMessage(text));
            }
            if parts[place].replace(node).is_some() {
                return Err(Unreadable::NotAMessage("a member of the message is there twice"));
            }
        }
        let [version, id, method, params, mut result, mut error] = parts;
        // Some servers always write both, one of them as `null`.
        let is_empty = |part: &Option<Node<'_>>| {
            part.as_ref().is_some_and(|part| part.kind() == ValueKind::Null)
        };
        if method.is_none() && result.is_some() && error.is_some() {
            if is_empty(&error) {
                error = None;
            } else if is_empty(&result) {
                result = None;
            }
        }
        if !version.is_some_and(|version| version.is("2.0")) {
            return Err(Unreadable::NotAMessage("expected \"jsonrpc\": \"2.0\""));
        }
        let is_id = |id: &Node<'_>| matches!(id.kind(), ValueKind::String | ValueKind::Number);
        let has_id = id.as_ref().is_some_and(is_id);
        let is_null = id.as_ref().is_some_and(|id| id.kind() == ValueKind::Null);
        let sort = match (&method, has_id, result.is_some() ^ error.is_some()) {
            (Some(_), true, false) => Sort::Request,
            (Some(_), false, false) if id.is_none() => Sort::Notification,
            (None, true, true) => Sort::Answer,
            // Nobody knew what the error is about.
            (None, false, true) if error.is_some() && (id.is_none() || is_null) => Sort::Answer,
            _ => {
                return Err(Unreadable::NotAMessage(
                    "expected a method, or an id with a result or an error",
                ));
            }
        };
        let method = match &method {
            None => Cow::Borrowed(""),
            Some(method) => {
                method.text().ok_or(Unreadable::NotAMessage("the method is no text"))?
            }
        };
        Ok(Message { text, root, sort, id: id.filter(is_id), method, params, result })
    }

    /// What it is.
    #[must_use]
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How its id is written.
    #[must_use]
    pub fn id(&self) -> Option<&'a str> {
        self.id.as_ref().map(Node::raw)
    }

    /// What it asks for or tells; empty in an answer.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters, if they are an object.
    #[must_use]
    pub fn params(&self) -> Option<&Node<'a>> {
        self.params.as_ref().filter(|params| params.kind() == ValueKind::Object)
    }

    /// The result of an answer, if it is an object.
    #[must_use]
    pub fn result(&self) -> Option<&Node<'a>> {
        self.result.as_ref().filter(|result| result.kind() == ValueKind::Object)
    }

    /// A parameter by name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<Node<'a>> {
        self.params()?.get(name)
    }

    /// A parameter that is a text.
    #[must_use]
    pub fn text_param(&self, name: &str) -> Option<Cow<'a, str>> {
        self.param(name)?.text()
    }

    /// Is a parameter there twice, in whatever case of letters? Then two readers could understand it differently.
    #[must_use]
    pub fn says_twice(&self, name: &str) -> bool {
        let members = self.params().map(Node::members).unwrap_or_default();
        members.iter().filter(|(own, _)| may_be(own, name)).count() > 1
    }

    /// A member of the parameters' `_meta`.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<Node<'a>> {
        self.param("_meta")?.get(name)
    }

    pub(crate) fn root(&self) -> &Node<'a> {
        &self.root
    }

    pub(crate) fn id_node(&self) -> Option<&Node<'a>> {
        self.id.as_ref()
    }
}

const PARTS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// May a reader take this name of a member for that one? Go's `encoding/json` folds case, and two letters beyond ASCII.
pub(crate) fn may_be(own: &str, name: &str) -> bool {
    let folded = |letter: char| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        letter => letter.to_ascii_lowercase(),
    };
    own.chars().map(folded).eq(name.chars().map(folded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokenforge_samples::{Nasty, nasty};

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        let sort = |text: &str| Message::read(text).map(|message| message.sort());
        assert_eq!(sort(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), Ok(Sort::Request));
        assert_eq!(sort(r#"{"method":"x","jsonrpc":"2.0"}"#), Ok(Sort::Notification));
        assert_eq!(sort(r#"{"result":{},"jsonrpc":"2.0","id":1}"#), Ok(Sort::Answer));
        assert_eq!(sort(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#), Ok(Sort::Answer));
        for wrong in [
            "[]",
            r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","Params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","param\u017f":{}}"#,
            r#"{"jsonrpc":"2.0","ID":1,"method":"x"}"#,
        ] {
            assert!(matches!(sort(wrong), Err(Unreadable::NotAMessage(_))), "{wrong}");
        }
        assert_eq!(sort("nothing"), Err(Unreadable::NotJson));
    }

    #[test]
    fn of_a_result_and_an_error_the_one_that_is_null_is_not_there() {
        let both = |text: &str| {
            let message = Message::read(text).unwrap();
            (message.sort(), message.result().is_some())
        };
        let result = r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#;
        assert_eq!(both(result), (Sort::Answer, true));
        let error = r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{}}"#;
        assert_eq!(both(error), (Sort::Answer, false));
    }

    #[test]
    fn m23_a_parameter_in_other_letters_is_there_twice() {
        for (params, is_twice) in [
            (r#"{"name":"a","Name":"b"}"#, true),
            (r#"{"taskId":"a","tas\u212aid":"b"}"#, true),
            (r#"{"name":"a","names":"b","_meta":{"Name":"c"}}"#, false),
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
            let message = Message::read(&text).unwrap();
            let both = message.says_twice("name") || message.says_twice("taskId");
            assert_eq!(both, is_twice, "{params}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_parameters_are_they_are_found_as_they_are_written(seed: u64) {
            let params = nasty(seed, Nasty::default());
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"x":{params}}}}}"#);
            let message = Message::read(&text).unwrap();
            prop_assert_eq!(message.param("x").unwrap().raw(), params.trim());
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,64}") {
            let _ = Message::read(&text);
        }
    }
}
