//! Ollama's chat: lines with a `message` that brings whole calls; the last one is `done` and has the figures.
//!
//! Older versions give calls no ids, and Ollama's own clients do not send them back. A client's call that came together
//! with ours is known by its [`call_key`](crate::call_key).

use crate::dialect::Dialect;
use crate::json::{Kind, Node};
use crate::reply::deferred_calls::DeferredCalls;
use crate::reply::edit::{Edit, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::frames::{FrameWriter, StreamFrame};
use crate::reply::hidden_indices::HiddenIndices;
use crate::reply::identity::ReplyIdentity;
use crate::reply::message::AssembledMessage;
use crate::reply::rewriter::{PassThrough, ReplyRewriter, TOOL, ended_notice};
use crate::reply::turn::{HiddenTurn, NextStep};
use crate::reply::usage::TurnUsage;
use crate::reply::usage_figures::{UsageFigures, UsageNames};
use crate::reply::whole_calls::WholeCalls;
use std::borrow::Cow;

const FIGURES: UsageNames = UsageNames {
    input: "prompt_eval_count",
    output: &["eval_count"],
    cache_read: "",
    cache_write: "",
    total: "",
    also: &["eval_duration", "total_duration"],
};

/// The reason of a reply that had no more tokens.
const CUT_SHORT: &str = "length";

/// A reply in this dialect.
pub(crate) struct OllamaReply {
    identity: ReplyIdentity,
    figures: UsageFigures,
    /// The upstream was asked again: with the next line another reply begins.
    is_asked: bool,
    /// What this reply says, to be said again when the upstream is asked.
    message: AssembledMessage,
    calls: WholeCalls,
    /// The indices of our calls.
    hidden_indices: HiddenIndices,
    /// What earlier replies said.
    earlier: AssembledMessage,
    /// The last line, or whole reply, that the client was not given.
    closing: Option<String>,
    /// Whether it is of this reply.
    is_held: bool,
    deferred: Option<DeferredCalls>,
}

impl Default for OllamaReply {
    fn default() -> Self {
        OllamaReply {
            identity: ReplyIdentity::new(&["model"]),
            figures: UsageFigures::new(&FIGURES),
            is_asked: false,
            message: AssembledMessage::default(),
            calls: WholeCalls::default(),
            hidden_indices: HiddenIndices::default(),
            earlier: AssembledMessage::default(),
            closing: None,
            is_held: false,
            deferred: None,
        }
    }
}

/// A line, or a whole reply, as it was read.
struct ReplyLine<'a> {
    root: Node<'a>,
    message: Option<Node<'a>>,
    calls: Vec<Node<'a>>,
    /// The calls that the client gets.
    kept: Vec<Cow<'a, str>>,
    is_last: bool,
    /// Whether there is anything in it for the client.
    says: bool,
}

impl ReplyLine<'_> {
    /// Takes our calls out of the message.
    fn cut_calls(&self, message: &Node<'_>, edit: &mut Edit<'_>) {
        let list = message.get("tool_calls");
        if self.kept.is_empty() && !self.calls.is_empty() {
            edit.cut(message, "tool_calls");
        } else if let (Some(list), false) = (list, self.is_untouched()) {
            edit.relist(&list, &self.kept);
        }
    }

    fn is_untouched(&self) -> bool {
        self.kept.iter().eq(self.calls.iter().map(Node::raw))
    }
}

impl OllamaReply {
    /// Another reply begins, if one was asked for.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        self.figures.next_reply();
        self.identity.settle();
        self.message = AssembledMessage::default();
        self.calls = WholeCalls::default();
        self.hidden_indices = HiddenIndices::default();
        self.is_held = false;
    }

    /// Takes a line in, and decides whether it is held back.
    fn read<'a>(&mut self, json: &'a str) -> Result<ReplyLine<'a>, PassThrough> {
        let root = Node::read(json)?;
        let [error, message, done, reason] = root.pick(["error", "message", "done", "done_reason"]);
        if error.is_some() {
            return Err(PassThrough::Final);
        }
        let (mut calls, mut says) = (Vec::new(), false);
        for (name, value) in message.as_ref().map(|node| node.members()).unwrap_or_default() {
            match &*name {
                "role" => {}
                "tool_calls" => calls = value.elements(),
                _ => {
                    says |= !matches!(value.raw(), "null" | "\"\"" | "[]");
                    self.message.add(&name, &value);
                }
            }
        }
        let kept: Vec<_> = calls.iter().filter_map(|call| self.take(call)).collect();
        says |= !kept.is_empty();
        let is_last = done.is_some_and(|done| done.kind() == Kind::True);
        if is_last {
            self.figures.note(&root);
            let is_cut_short = reason.is_some_and(|reason| reason.is(CUT_SHORT));
            let ending = if is_cut_short { ReplyEnding::Length } else { ReplyEnding::Turn };
            self.is_held = self.calls.are_internal() && ending.goes_on(|| self.calls.internal());
            if self.is_held {
                self.closing = Some(json.to_owned());
            }
        }
        Ok(ReplyLine { root, message, calls, kept, is_last, says })
    }

    /// Takes a call in and gives it back if it is the client's, numbered as if ours were not there.
    fn take<'a>(&mut self, call: &Node<'a>) -> Option<Cow<'a, str>> {
        let text = |node: Option<Node<'_>>| node.and_then(|node| node.text().map(Cow::into_owned));
        let id = text(call.get("id")).unwrap_or_default();
        let name = text(call.at(["function", "name"])).unwrap_or_default();
        let arguments = call.at(["function", "arguments"]).map_or("{}", |node| node.raw());
        let index = call.at(["function", "index"]).and_then(|index| index.number());
        if name == TOOL {
            index.into_iter().for_each(|index| self.hidden_indices.add(index));
            self.calls.add_ours(id, arguments, call.raw());
            return None;
        }
        self.calls.add_other(String::new(), &name, arguments);
        let closed = index
            .map(|index| self.hidden_indices.client_index(index))
            .filter(|_| self.calls.has_internal());
        Some(Edit::within(call, |call, edit| {
            if let (Some(closed), Some(node)) = (closed, call.at(["function", "index"])) {
                edit.replace(&node, closed.to_string());
            }
        }))
    }

    /// A reply that calls our tool and nothing else is over.
    fn ask(&mut self) -> NextStep {
        self.is_asked = true;
        self.earlier.join(&self.message);
        let mut said = by_assistant(&self.message);
        said.set("tool_calls", self.calls.json());
        NextStep::Ask(HiddenTurn::new(Dialect::Ollama, said.json(), self.calls.internal()))
    }

    /// The line that was held, with this message.
    fn end(&mut self, message: &AssembledMessage) -> Option<String> {
        let json = self.closing.take()?;
        // It was read before.
        let root = Node::read(&json).ok()?;
        let mut edit = Edit::new(&json);
        self.identity.settle();
        self.identity.keep(&root, &mut edit);
        self.figures.put_right(&root, &mut edit);
        edit.set(&root, "message", message.json());
        if let Some(reason) = root.get("done_reason").filter(|reason| reason.is(CUT_SHORT)) {
            edit.replace(&reason, quoted("stop"));
        }
        Some(edit.done().into_owned())
    }
}

impl ReplyRewriter for OllamaReply {
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough> {
        self.begin();
        let json = &*frame.json;
        let line = self.read(json)?;
        let mut edit = Edit::new(json);
        self.identity.keep(&line.root, &mut edit);
        if let Some(message) = &line.message {
            line.cut_calls(message, &mut edit);
        }
        if line.is_last {
            self.figures.put_right(&line.root, &mut edit);
            if self.is_held {
                if line.says {
                    out.compose("", &without_end(&edit.done()));
                }
                return Ok(());
            }
        } else if !line.says && !line.is_untouched() {
            return Ok(());
        }
        out.with(frame, &edit.done());
        Ok(())
    }

    fn finish(&mut self, _: &mut FrameWriter<'_>) -> NextStep {
        self.begin();
        if self.is_held {
            return self.ask();
        }
        self.deferred = self.calls.deferred_calls();
        NextStep::Done
    }

    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough> {
        self.begin();
        let reply = self.read(body)?;
        let mut edit = Edit::new(body);
        self.identity.keep(&reply.root, &mut edit);
        if self.is_held {
            return Ok(self.ask());
        }
        self.figures.put_right(&reply.root, &mut edit);
        if let Some(message) = &reply.message {
            reply.cut_calls(message, &mut edit);
            self.earlier.put_before(message, &mut edit);
        }
        out.extend_from_slice(edit.done().as_bytes());
        self.deferred = self.calls.deferred_calls();
        Ok(NextStep::Done)
    }

    fn count(&mut self, reply: &Node<'_>) {
        self.figures.note(reply);
    }

    fn is_internal(&self) -> bool {
        self.calls.has_internal()
    }

    /// A call is one line.
    fn is_in_internal(&self) -> bool {
        false
    }

    fn usage(&self) -> &TurnUsage {
        self.figures.usage()
    }

    fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.deferred.take()
    }

    fn give_up(&mut self, out: &mut FrameWriter<'_>) {
        let has_text = self.earlier.says("content") || self.message.says("content");
        let mut message = by_assistant(&AssembledMessage::default());
        message.set("content", quoted(&ended_notice(has_text)));
        if let Some(line) = self.end(&message) {
            out.compose("", &line);
        }
    }

    fn give_up_whole(&mut self, out: &mut Vec<u8>) {
        let mut message = by_assistant(&self.earlier);
        message.say_more("content", &ended_notice(message.says("content")));
        if let Some(body) = self.end(&message) {
            out.extend_from_slice(body.as_bytes());
        }
    }
}

fn by_assistant(said: &AssembledMessage) -> AssembledMessage {
    let mut message = AssembledMessage::default();
    message.set("role", quoted("assistant"));
    message.join(said);
    message
}

/// What the last line says, as a line that is not the last.
fn without_end(json: &str) -> String {
    let root = Node::read(json).map(|root| root.members()).unwrap_or_default();
    let mut line = AssembledMessage::default();
    for (name, value) in root {
        if matches!(&*name, "model" | "created_at" | "message") {
            line.set(&name, value.raw().to_owned());
        }
    }
    line.set("done", "false".to_owned());
    line.json()
}
