//! OpenAI Chat Completions, and what many others took over from it: chunks with a `delta`, then `[DONE]`.

mod calls;
mod whole;

use crate::dialect::Dialect;
use crate::json::{Kind, Node};
use crate::reply::deferred_calls::DeferredCalls;
use crate::reply::edit::{Edit, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::frames::{FrameWriter, StreamFrame};
use crate::reply::identity::ReplyIdentity;
use crate::reply::message::AssembledMessage;
use crate::reply::rewriter::{PassThrough, ReplyRewriter, ended_notice};
use crate::reply::turn::{HiddenTurn, NextStep};
use crate::reply::usage::TurnUsage;
use crate::reply::usage_figures::{UsageFigures, UsageNames};
use calls::ChatCalls;

const FIGURES: UsageNames = UsageNames {
    input: "prompt_tokens",
    output: &["completion_tokens"],
    cache_read: "prompt_tokens_details.cached_tokens",
    cache_write: "prompt_tokens_details.cache_write_tokens",
    total: "total_tokens",
    also: &["completion_tokens_details"],
};

/// The event that ends a stream.
const DONE: &str = "[DONE]";

/// A reply in this dialect.
pub(crate) struct ChatReply {
    identity: ReplyIdentity,
    figures: UsageFigures,
    /// The upstream was asked again: with the next event another reply begins.
    is_asked: bool,
    /// Whether the client has the role that opens its message.
    has_role: bool,
    /// Whether the client has any text.
    has_text: bool,
    /// What the reply says, to be said again when the upstream is asked.
    message: AssembledMessage,
    calls: ChatCalls,
    /// Whether the client has anything of this reply.
    is_begun: bool,
    /// Whether the upstream said why its reply ended.
    is_finished: bool,
    /// The closing events that the client was not given.
    closing: Vec<String>,
    /// Those of the reply before.
    last_closing: Vec<String>,
    whole: whole::EarlierReplies,
    deferred: Option<DeferredCalls>,
}

impl Default for ChatReply {
    fn default() -> Self {
        ChatReply {
            identity: ReplyIdentity::new(&["id", "created", "model"]),
            figures: UsageFigures::new(&FIGURES),
            is_asked: false,
            has_role: false,
            has_text: false,
            message: AssembledMessage::default(),
            calls: ChatCalls::default(),
            is_begun: false,
            is_finished: false,
            closing: Vec::new(),
            last_closing: Vec::new(),
            whole: whole::EarlierReplies::default(),
            deferred: None,
        }
    }
}

/// What is of interest in a chunk, or in a whole reply.
struct Chunk<'a> {
    root: Node<'a>,
    choice: Option<Node<'a>>,
    usage: Option<Node<'a>>,
}

/// What a delta brings.
#[derive(Default)]
struct Delta {
    /// Whether there is anything in it for the client.
    says: bool,
    /// Whether there is a part of a call of ours in it.
    is_internal: bool,
}

impl ChatReply {
    /// Another reply begins, if one was asked for.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        self.figures.next_reply();
        self.identity.settle();
        self.message = AssembledMessage::default();
        self.calls = ChatCalls::default();
        self.is_begun = false;
        self.is_finished = false;
        self.last_closing = std::mem::take(&mut self.closing);
    }

    /// Takes in a delta, and takes our calls out of it.
    fn delta(&mut self, delta: &Node<'_>, edit: &mut Edit<'_>) -> Delta {
        let mut brings = Delta::default();
        for (name, value) in delta.members() {
            match &*name {
                "role" => {
                    brings.says |= !std::mem::replace(&mut self.has_role, true);
                    self.message.add_once("role", &value);
                }
                "tool_calls" => {
                    let fragments = value.elements();
                    let kept = self.calls.take(&fragments);
                    brings.says |= !kept.is_empty();
                    brings.is_internal |= kept.len() < fragments.len();
                    if kept.is_empty() && !fragments.is_empty() {
                        edit.cut(delta, &name);
                    } else if !kept.iter().eq(fragments.iter().map(Node::raw)) {
                        edit.relist(&value, kept);
                    }
                }
                _ => {
                    let is_said = !matches!(value.raw(), "null" | "\"\"" | "[]");
                    brings.says |= is_said;
                    self.has_text |= is_said && matches!(&*name, "content" | "refusal");
                    self.message.add(&name, &value);
                }
            }
        }
        brings
    }

    /// Whether the reply, which ended for this reason, goes on with an answer to our calls.
    fn goes_on(&self, finish: &Node<'_>) -> bool {
        ending(finish).goes_on(|| self.calls.internal())
    }

    /// The turn, to be said again.
    fn turn(&mut self) -> HiddenTurn {
        let mut message = std::mem::take(&mut self.message);
        if message.spelling("role").is_none() {
            message.set("role", quoted("assistant"));
        }
        if message.spelling("content").is_none() {
            message.set("content", "null".to_owned());
        }
        message.set("tool_calls", self.calls.json());
        HiddenTurn::new(Dialect::OpenAiChat, message.json(), self.calls.internal())
    }
}

impl ReplyRewriter for ChatReply {
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough> {
        self.begin();
        let json = &*frame.json;
        if json.trim_ascii() == DONE {
            // Some providers give no reason.
            let is_closing = !self.is_finished && self.calls.are_internal();
            if is_closing || !self.closing.is_empty() {
                self.closing.push(json.to_owned());
            } else {
                out.pass(frame);
            }
            return Ok(());
        }
        let Chunk { root, choice, usage } = match Chunk::read(json) {
            Ok(chunk) => chunk,
            Err(failure) => {
                // Nothing that follows is held back for an answer.
                self.is_finished |= failure == PassThrough::Final;
                return Err(failure);
            }
        };
        if let Some(usage) = &usage {
            self.figures.note(usage);
        }
        let mut edit = Edit::new(json);
        self.identity.keep(&root, &mut edit);
        let delta = choice.as_ref().and_then(|choice| choice.get("delta"));
        let brings = delta.map(|delta| self.delta(&delta, &mut edit)).unwrap_or_default();
        let finish = choice.as_ref().and_then(finish_reason);
        self.is_finished |= finish.is_some();

        let is_closing =
            finish.as_ref().is_some_and(|finish| self.goes_on(finish)) || !self.closing.is_empty();
        let is_held = is_closing && self.calls.are_internal();
        if is_held {
            self.closing.push(json.to_owned());
        }
        let is_between = finish.is_none() && usage.is_none();
        let is_opening = is_between && self.identity.is_settled() && !self.is_begun;
        let is_ours = brings.is_internal && finish.is_none();
        if !brings.says && (is_held || is_opening || is_ours) {
            return Ok(());
        }
        if is_held {
            for held in finish.iter().chain(&usage) {
                edit.replace(held, "null");
            }
        } else if let Some(usage) = &usage {
            self.figures.put_right(usage, &mut edit);
        }
        self.is_begun = true;
        out.with(frame, &edit.done());
        Ok(())
    }

    fn finish(&mut self, out: &mut FrameWriter<'_>) -> NextStep {
        self.begin();
        if self.calls.are_internal() && !self.closing.is_empty() {
            self.is_asked = true;
            return NextStep::Ask(self.turn());
        }
        for json in std::mem::take(&mut self.closing) {
            out.compose("", &json);
        }
        self.deferred = self.calls.deferred_calls();
        NextStep::Done
    }

    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough> {
        self.begin();
        self.read_whole(body, out)
    }

    fn count(&mut self, reply: &Node<'_>) {
        if let Some(usage) = reply.get("usage") {
            self.figures.note(&usage);
        }
    }

    fn is_internal(&self) -> bool {
        self.calls.has_internal()
    }

    fn is_in_internal(&self) -> bool {
        !self.is_asked && !self.is_finished && self.calls.is_last_internal()
    }

    fn usage(&self) -> &TurnUsage {
        self.figures.usage()
    }

    fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.deferred.take()
    }

    fn give_up(&mut self, out: &mut FrameWriter<'_>) {
        let chunk = format!(
            r#"{{{}"object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"content":{}}},"finish_reason":null}}]}}"#,
            self.identity.json(),
            quoted(&ended_notice(self.has_text))
        );
        out.compose("", &chunk);
        self.identity.settle();
        let closing = if self.closing.is_empty() {
            std::mem::take(&mut self.last_closing)
        } else {
            std::mem::take(&mut self.closing)
        };
        for json in closing {
            // What is held is `[DONE]`, or was read before.
            let Ok(Chunk { root, choice, usage }) = Chunk::read(&json) else {
                out.compose("", &json);
                continue;
            };
            let mut edit = Edit::new(&json);
            self.identity.keep(&root, &mut edit);
            if let Some(choice) = choice {
                edit.set(&choice, "delta", "{}");
                if let Some(finish) = finish_reason(&choice) {
                    edit.replace(&finish, quoted("stop"));
                }
            }
            if let Some(usage) = usage {
                self.figures.put_right(&usage, &mut edit);
            }
            out.compose("", &edit.done());
        }
    }

    fn give_up_whole(&mut self, out: &mut Vec<u8>) {
        self.end_whole(out);
    }
}

impl<'a> Chunk<'a> {
    /// Reads a chunk. Where several answers were asked for, or there is an error, nothing is ours.
    fn read(json: &'a str) -> Result<Self, PassThrough> {
        let root = Node::read(json)?;
        let (mut choices, mut usage) = (Vec::new(), None);
        for (name, value) in root.members() {
            match &*name {
                "choices" => choices = value.elements(),
                "usage" if value.kind() == Kind::Object => usage = Some(value),
                "error" if value.kind() != Kind::Null => return Err(PassThrough::Final),
                _ => {}
            }
        }
        let choice = choices.pop();
        let index = choice.as_ref().and_then(|choice| choice.get("index"));
        if !choices.is_empty() || index.is_some_and(|index| index.raw() != "0") {
            return Err(PassThrough::Final);
        }
        Ok(Chunk { root, choice, usage })
    }
}

/// Why a choice ended, if it did.
fn finish_reason<'a>(choice: &Node<'a>) -> Option<Node<'a>> {
    choice.get("finish_reason").filter(|reason| reason.kind() == Kind::String)
}

fn ending(finish: &Node<'_>) -> ReplyEnding {
    match finish.text().as_deref() {
        Some("length") => ReplyEnding::Length,
        Some("content_filter" | "error") => ReplyEnding::Stopped,
        _ => ReplyEnding::Turn,
    }
}
