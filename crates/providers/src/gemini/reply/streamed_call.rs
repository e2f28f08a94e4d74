//! A call of ours whose arguments come in pieces: `partialArgs`, as long as it says `willContinue`.

use crate::json::{Kind, Node};
use crate::reply::edit::Edit;
use crate::reply::message::AssembledMessage;

const SIGNATURE: &str = super::parts::SIGNATURE;

/// A call that is not complete yet.
pub(super) struct StreamedCall {
    /// The part with which it began.
    first: String,
    arguments: AssembledMessage,
    /// The signature, if it came with a later part.
    signature: Option<String>,
    /// Where it stands among the parts.
    pub(super) place: usize,
}

impl StreamedCall {
    /// A call begins with this part. Nothing if it ends with it, too.
    pub(super) fn begin(part: &Node<'_>, call: &Node<'_>, place: usize) -> Option<Self> {
        if !will_continue(call) && call.get("partialArgs").is_none() {
            return None;
        }
        let mut arguments = AssembledMessage::default();
        for (name, value) in call.get("args").map(|args| args.members()).unwrap_or_default() {
            arguments.add(&name, &value);
        }
        let first = part.raw().to_owned();
        let mut streamed = StreamedCall { first, arguments, signature: None, place };
        streamed.take(part, call);
        Some(streamed)
    }

    /// Takes in what a part brings.
    pub(super) fn take(&mut self, part: &Node<'_>, call: &Node<'_>) {
        for piece in call.get("partialArgs").map(|list| list.elements()).unwrap_or_default() {
            let path = piece.get("jsonPath").and_then(|path| path.text());
            let Some(name) = path.as_deref().and_then(name) else { continue };
            let values = piece.pick(["stringValue", "numberValue", "boolValue"]);
            if let Some(value) = values.into_iter().flatten().next() {
                self.arguments.add(name, &value);
            }
        }
        if let Some(signature) = part.get(SIGNATURE) {
            self.signature = Some(signature.raw().to_owned());
        }
    }

    pub(super) fn arguments(&self) -> String {
        self.arguments.json()
    }

    /// The part as if it had come in one piece.
    pub(super) fn part(&self) -> String {
        let Ok(part) = Node::read(&self.first) else { return self.first.clone() };
        let mut edit = Edit::new(&self.first);
        let [camel, snake] = part.pick(["functionCall", "function_call"]);
        if let Some(call) = camel.or(snake) {
            let mut whole = AssembledMessage::default();
            for (name, value) in call.members() {
                if !matches!(&*name, "partialArgs" | "willContinue" | "args") {
                    whole.set(&name, value.raw().to_owned());
                }
            }
            whole.set("args", self.arguments());
            edit.replace(&call, whole.json());
        }
        if let Some(signature) = &self.signature {
            edit.set(&part, SIGNATURE, signature.clone());
        }
        edit.done().into_owned()
    }
}

/// Whether more of a call is to come.
pub(super) fn will_continue(call: &Node<'_>) -> bool {
    call.get("willContinue").is_some_and(|more| more.kind() == Kind::True)
}

/// The argument that a path leads to. Those of our tool are not nested.
fn name(path: &str) -> Option<&str> {
    let path = path.strip_prefix('$')?;
    let in_brackets = || path.strip_prefix("['")?.strip_suffix("']");
    let name = path.strip_prefix('.').or_else(in_brackets)?;
    Some(name).filter(|name| !name.contains(['.', '[', ']']))
}
