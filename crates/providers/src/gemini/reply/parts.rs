//! The parts of a reply: what is said, our calls and the client's.

use super::streamed_call::{StreamedCall, will_continue};
use crate::json::{Kind, Node};
use crate::reply::edit::{Edit, joined};
use crate::reply::rewriter::TOOL;
use crate::reply::whole_calls::WholeCalls;
use std::borrow::Cow;

pub(super) const SIGNATURE: &str = "thoughtSignature";

/// Google's own word, in place of a signature, for a call that has none: `skip_thought_signature_validator`. In base64,
/// since that is what the SDKs that hold signatures as bytes can read.
const SKIPPED: &str = r#""c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=""#;

/// The parts of a reply.
#[derive(Default)]
pub(super) struct ReplyParts {
    said: Vec<SpokenPart>,
    pub(super) calls: WholeCalls,
    /// Whether the last call is ours.
    in_internal: bool,
    /// That call, if more of it is to come.
    streamed: Option<StreamedCall>,
    /// The first call is ours and bears the signature of the turn; the client has no call yet.
    has_signature: bool,
}

/// What is said again when the upstream is asked.
enum SpokenPart {
    /// Nothing but text, as it is spelled; and whether it is a thought.
    Text(String, bool),
    /// A part as it came.
    Part(String),
}

impl ReplyParts {
    /// Takes parts in and gives back those of the client. A `strict` model refuses a turn whose first call is not signed.
    pub(super) fn take<'a>(&mut self, parts: &[Node<'a>], strict: bool) -> Vec<Cow<'a, str>> {
        parts.iter().filter_map(|part| self.take_one(part, strict)).collect()
    }

    /// The parts, to be said again.
    pub(super) fn conversation_json(&self) -> String {
        joined(self.said.iter().map(|said| match said {
            SpokenPart::Text(text, false) => format!(r#"{{"text":"{text}"}}"#),
            SpokenPart::Text(text, true) => format!(r#"{{"text":"{text}","thought":true}}"#),
            SpokenPart::Part(part) => part.clone(),
        }))
    }

    /// Whether more of a call of ours is to come.
    pub(super) fn is_open(&self) -> bool {
        self.streamed.is_some()
    }

    /// No more of a call of ours comes: it is what came of it.
    pub(super) fn settle(&mut self) {
        let Some(streamed) = self.streamed.take() else { return };
        let part = streamed.part();
        self.calls.complete_last(streamed.arguments(), part.clone());
        if let Some(said) = self.said.get_mut(streamed.place) {
            *said = SpokenPart::Part(part);
        }
    }

    fn take_one<'a>(&mut self, part: &Node<'a>, strict: bool) -> Option<Cow<'a, str>> {
        let [camel, snake] = part.pick(["functionCall", "function_call"]);
        let Some(call) = camel.or(snake) else {
            self.say(part);
            return Some(Cow::Borrowed(part.raw()));
        };
        let text = |name| call.get(name).and_then(|node| node.text()).map(Cow::into_owned);
        let id = text("id").unwrap_or_default();
        let arguments = call.get("args").map_or("{}", |args| args.raw());
        let name = text("name");
        if name.is_some() {
            self.settle();
        }
        match name {
            Some(name) if name == TOOL => {
                self.in_internal = true;
                self.streamed = StreamedCall::begin(part, &call, self.said.len());
                self.said.push(SpokenPart::Part(part.raw().to_owned()));
                if self.calls.is_empty() {
                    self.has_signature = part.get(SIGNATURE).is_some();
                }
                self.calls.add_ours(id, arguments, part.raw());
                None
            }
            Some(name) => {
                self.in_internal = false;
                self.calls.add_other(id, &name, arguments);
                Some(self.with_signature(part, strict))
            }
            // Arguments may be streamed: what has no name goes on with the call before it.
            None if self.in_internal => {
                if let Some(streamed) = &mut self.streamed {
                    streamed.take(part, &call);
                }
                if !will_continue(&call) {
                    self.settle();
                }
                None
            }
            None => Some(Cow::Borrowed(part.raw())),
        }
    }

    /// The client's call. The signature is over the first call of the turn, and stays with that. Where it is ours, the
    /// client's first call needs a word in its place, since ours may be forgotten when the client sends its own back.
    fn with_signature<'a>(&mut self, part: &Node<'a>, strict: bool) -> Cow<'a, str> {
        let is_needed = std::mem::take(&mut self.has_signature) && strict;
        if is_needed && part.get(SIGNATURE).is_none() {
            Edit::within(part, |part, edit| edit.set(part, SIGNATURE, SKIPPED))
        } else {
            Cow::Borrowed(part.raw())
        }
    }

    /// Joins text that came in pieces. What is signed stays as it came.
    fn say(&mut self, part: &Node<'_>) {
        let (mut text, mut is_thought) = (None, false);
        for (name, value) in part.members() {
            match (&*name, value.kind()) {
                ("text", Kind::String) => text = value.spelling(),
                ("thought", Kind::True) => is_thought = true,
                _ => return self.said.push(SpokenPart::Part(part.raw().to_owned())),
            }
        }
        let text = text.unwrap_or_default();
        match self.said.last_mut() {
            Some(SpokenPart::Text(known, was_thought)) if *was_thought == is_thought => {
                known.push_str(text);
            }
            _ if text.is_empty() => {}
            _ => self.said.push(SpokenPart::Text(text.to_owned(), is_thought)),
        }
    }
}

/// Whether a part is more than an empty text.
pub(super) fn says(part: &str) -> bool {
    let says = |name: &str, value: &Node<'_>| match name {
        "text" => value.raw() != "\"\"",
        name => name != "thought",
    };
    let members = Node::read(part).map(|part| part.members()).unwrap_or_default();
    members.iter().any(|(name, value)| says(name, value))
}

/// Whether a part has text for the user.
pub(super) fn is_text(part: &Node<'_>) -> bool {
    let is_thought = part.get("thought").is_some_and(|thought| thought.kind() == Kind::True);
    !is_thought && part.get("text").is_some_and(|text| text.raw() != "\"\"")
}
