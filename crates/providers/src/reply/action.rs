//! The next action: what a reply does, told from how it is written. For comparing replies, not for passing them on.

use super::frames::{FrameReader, StreamPiece};
use super::wire_format::WireFormat;
use crate::dialect::Dialect;
use crate::json::Node;
use crate::request::TOOL;

/// A reply with more calls than this has the others left out.
const MOST_CALLS: usize = 64;

/// What is said beyond so many bytes is left out.
const MOST_TEXT: usize = 256 << 10;

/// What a model does next: the calls that it makes and what it says. Ids, thoughts and signatures, which are never the same
/// twice, are no part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextAction {
    /// The client's tools that it calls, in order. What the provider runs itself is no call.
    pub calls: Vec<ToolCall>,
    /// What it says.
    pub text: String,
    /// It calls our own tool, to fetch back what was left out.
    pub fetches_back: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments, as the model wrote them: JSON, most of the time.
    pub arguments: String,
}

impl NextAction {
    /// What a reply does that came whole, or as a stream that ended. Nothing if it is none, or an error.
    ///
    /// ```
    /// use tokenforge_providers::{Dialect, NextAction, WireFormat};
    ///
    /// let reply = br#"{"choices":[{"message":{"content":null,"tool_calls":[
    ///     {"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]}}]}"#;
    /// let action = NextAction::read(Dialect::OpenAiChat, WireFormat::Whole, reply).unwrap();
    /// assert_eq!(action.calls[0].tool, "ls");
    /// assert_eq!(action.calls[0].arguments, r#"{"path":"."}"#);
    /// ```
    #[must_use]
    pub fn read(dialect: Dialect, wire: WireFormat, reply: &[u8]) -> Option<Self> {
        let api = dialect.api();
        let mut action = ActionBuilder::default();
        if wire == WireFormat::Whole {
            let root = Node::read(str::from_utf8(reply).ok()?.trim_ascii()).ok()?;
            api.read_action(&root, &mut action);
            return action.finish();
        }
        let mut frames = FrameReader::new(wire);
        frames.push(reply);
        let mut read = |event: &str, json: &str| {
            if event.ends_with("xception") {
                action.fail();
            } else if let Ok(part) = Node::read(json) {
                api.read_action(&part, &mut action);
            }
        };
        while let Some(piece) = frames.next().ok()? {
            match piece {
                StreamPiece::Frame(frame) => read(frame.event, &frame.json),
                StreamPiece::Unreadable(_) => return None,
                StreamPiece::Mark(_) => {}
            }
        }
        // Some upstreams do not end their last event.
        let rest = frames.take_rest();
        if let Ok(frame) = frames.last(&rest) {
            read(frame.event, &frame.json);
        }
        action.finish()
    }
}

/// An action while its parts come.
#[derive(Debug, Default)]
pub(crate) struct ActionBuilder {
    /// Calls under the number that the reply gives them.
    calls: Vec<(u64, ToolCall)>,
    text: String,
    is_reply: bool,
    has_failed: bool,
}

impl ActionBuilder {
    /// A part was recognised.
    pub(crate) fn recognise(&mut self) {
        self.is_reply = true;
    }

    /// It is an error, or broke off with one.
    pub(crate) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// More of what is said.
    pub(crate) fn say(&mut self, text: Option<&Node<'_>>) {
        let Some(text) = text.and_then(Node::text) else { return };
        if self.text.len() + text.len() <= MOST_TEXT {
            self.text.push_str(&text);
        }
    }

    /// More of the call with this number: the name of its tool, or a piece of its arguments.
    pub(crate) fn call(&mut self, index: u64, tool: Option<&Node<'_>>, arguments: Option<&str>) {
        let at = self.calls.iter().position(|(known, _)| *known == index);
        let at = match at {
            Some(at) => at,
            None if self.calls.len() < MOST_CALLS => {
                let call = ToolCall { tool: String::new(), arguments: String::new() };
                self.calls.push((index, call));
                self.calls.len() - 1
            }
            None => return,
        };
        let Some((_, call)) = self.calls.get_mut(at) else { return };
        if let Some(tool) = tool.and_then(Node::text) {
            call.tool.push_str(&tool);
        }
        call.arguments.push_str(arguments.unwrap_or_default());
    }

    /// More arguments of a call that was begun. Those of others, which the provider runs itself, are passed.
    pub(crate) fn more_arguments(&mut self, index: u64, piece: &str) {
        if let Some((_, call)) = self.calls.iter_mut().find(|(known, _)| *known == index) {
            call.arguments.push_str(piece);
        }
    }

    /// A whole call, behind those that came before.
    pub(crate) fn next_call(&mut self, tool: Option<&Node<'_>>, arguments: &str) {
        let index = self.calls.last().map_or(0, |(index, _)| index + 1);
        self.call(index, tool, Some(arguments));
    }

    fn finish(self) -> Option<NextAction> {
        if self.has_failed || !self.is_reply {
            return None;
        }
        let all = self.calls.len();
        let calls = self.calls.into_iter().map(|(_, call)| call);
        let calls: Vec<ToolCall> = calls.filter(|call| call.tool != TOOL).collect();
        Some(NextAction { fetches_back: calls.len() < all, calls, text: self.text })
    }
}
