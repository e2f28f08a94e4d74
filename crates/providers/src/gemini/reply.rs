//! Google's generateContent: chunks with `candidates[0].content.parts`. A call is one part, and nothing is numbered.
//!
//! Calls have no ids here, most of the time. A client's call that came together with ours is then known by its
//! [`call_key`](crate::call_key): its name and its arguments, which the client sends back with its answer.

mod parts;
mod streamed_call;
mod whole;

use crate::dialect::Dialect;
use crate::json::{Kind, Node};
use crate::reply::deferred_calls::DeferredCalls;
use crate::reply::edit::{Edit, joined, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::frames::{FrameWriter, StreamFrame};
use crate::reply::identity::ReplyIdentity;
use crate::reply::rewriter::{PassThrough, ReplyRewriter, ended_notice};
use crate::reply::turn::{HiddenTurn, NextStep};
use crate::reply::usage::TurnUsage;
use crate::reply::usage_figures::{UsageFigures, UsageNames};
use parts::ReplyParts;

const FIGURES: UsageNames = UsageNames {
    input: "promptTokenCount",
    output: &["candidatesTokenCount", "thoughtsTokenCount"],
    cache_read: "cachedContentTokenCount",
    cache_write: "",
    total: "totalTokenCount",
    also: &[],
};

/// A reply in this dialect.
pub(crate) struct GeminiReply {
    identity: ReplyIdentity,
    figures: UsageFigures,
    /// The upstream was asked again: with the next chunk another reply begins.
    is_asked: bool,
    /// Whether the client has any text.
    has_text: bool,
    /// The parts of this reply.
    parts: ReplyParts,
    /// The closing chunks that the client was not given.
    closing: Vec<String>,
    /// Those of the reply before.
    last_closing: Vec<String>,
    /// Of whole replies: the parts that the client is still to be given.
    earlier: Vec<String>,
    deferred: Option<DeferredCalls>,
}

impl Default for GeminiReply {
    fn default() -> Self {
        GeminiReply {
            identity: ReplyIdentity::new(&["responseId", "modelVersion", "createTime"]),
            figures: UsageFigures::new(&FIGURES),
            is_asked: false,
            has_text: false,
            parts: ReplyParts::default(),
            closing: Vec::new(),
            last_closing: Vec::new(),
            earlier: Vec::new(),
            deferred: None,
        }
    }
}

/// What is of interest in a chunk.
struct Chunk<'a> {
    /// The response: Code Assist wraps it.
    response: Node<'a>,
    usage: Option<Node<'a>>,
    candidate: Option<Node<'a>>,
    content: Option<Node<'a>>,
    parts: Vec<Node<'a>>,
    finish: Option<Node<'a>>,
}

impl<'a> Chunk<'a> {
    /// Reads a chunk. Where several candidates were asked for, or there is an error, nothing is ours.
    fn read(json: &'a str) -> Result<Self, PassThrough> {
        let root = Node::read(json)?;
        let [error, response] = root.pick(["error", "response"]);
        if error.is_some() {
            return Err(PassThrough::Final);
        }
        let response = response.unwrap_or(root);
        let [candidates, usage] = response.pick(["candidates", "usageMetadata"]);
        let mut candidates = candidates.map(|list| list.elements()).unwrap_or_default();
        let candidate = candidates.pop();
        let members =
            candidate.as_ref().map(|node| node.pick(["index", "content", "finishReason"]));
        let [index, content, finish] = members.unwrap_or_default();
        if !candidates.is_empty() || index.is_some_and(|index| index.raw() != "0") {
            return Err(PassThrough::Final);
        }
        let parts = content.as_ref().and_then(|content| content.get("parts"));
        Ok(Chunk {
            usage: usage.filter(|usage| usage.kind() == Kind::Object),
            parts: parts.map(|parts| parts.elements()).unwrap_or_default(),
            finish: finish.filter(|finish| finish.kind() == Kind::String),
            response,
            candidate,
            content,
        })
    }

    /// Writes other parts.
    fn set_parts(&self, parts: &[impl AsRef<str>], edit: &mut Edit<'_>) {
        match (&self.content, &self.candidate) {
            (Some(content), _) if parts.is_empty() => edit.cut(content, "parts"),
            (Some(content), _) => edit.set(content, "parts", format!("[{}]", joined(parts))),
            (None, Some(candidate)) if !parts.is_empty() => {
                let content = format!(r#"{{"parts":[{}],"role":"model"}}"#, joined(parts));
                edit.set(candidate, "content", content);
            }
            _ => {}
        }
    }

    /// Says that the answer is over, if it says why it ended.
    fn set_finished(&self, edit: &mut Edit<'_>) {
        if let Some(finish) = self.finish.as_ref().filter(|finish| !finish.is("STOP")) {
            edit.replace(finish, quoted("STOP"));
        }
    }

    /// Whether the model demands the signatures of its calls back: from the third generation on.
    fn is_strict(&self) -> bool {
        let version = self.response.get("modelVersion").and_then(|version| version.text());
        let generation = version.as_deref().and_then(|version| {
            version.strip_prefix("gemini-")?.split(['-', '.']).next()?.parse::<u32>().ok()
        });
        generation.is_some_and(|generation| generation >= 3)
    }

    /// Whether the reply is over, and goes on with an answer to our calls, which are among its parts.
    fn goes_on(&self, parts: &ReplyParts) -> bool {
        let ending = match self.finish.as_ref().and_then(|finish| finish.text()).as_deref() {
            Some("STOP") => ReplyEnding::Turn,
            Some("MAX_TOKENS") if !parts.is_open() => ReplyEnding::Length,
            _ => ReplyEnding::Stopped,
        };
        ending.goes_on(|| parts.calls.internal())
    }
}

impl GeminiReply {
    /// Another reply begins, if one was asked for.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        self.figures.next_reply();
        self.identity.settle();
        self.parts = ReplyParts::default();
        self.last_closing = std::mem::take(&mut self.closing);
    }

    /// A reply that calls our tool and nothing else is over.
    fn ask(&mut self) -> NextStep {
        self.is_asked = true;
        self.parts.settle();
        let said = format!(r#"{{"role":"model","parts":[{}]}}"#, self.parts.conversation_json());
        NextStep::Ask(HiddenTurn::new(Dialect::Gemini, said, self.parts.calls.internal()))
    }

    /// Makes a chunk one of the client's reply.
    fn put_right(&mut self, chunk: &Chunk<'_>, edit: &mut Edit<'_>) {
        self.identity.keep(&chunk.response, edit);
        if let Some(usage) = &chunk.usage {
            self.figures.put_right(usage, edit);
        }
    }
}

impl ReplyRewriter for GeminiReply {
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough> {
        self.begin();
        let json = &*frame.json;
        let chunk = Chunk::read(json)?;
        if let Some(usage) = &chunk.usage {
            self.figures.note(usage);
        }
        let mut edit = Edit::new(json);
        self.put_right(&chunk, &mut edit);
        let kept = self.parts.take(&chunk.parts, chunk.is_strict());
        if !kept.iter().eq(chunk.parts.iter().map(Node::raw)) {
            chunk.set_parts(&kept, &mut edit);
        }
        let is_said = kept.iter().any(|part| parts::says(part));
        self.has_text |= chunk.parts.iter().any(parts::is_text);

        let is_closing = chunk.goes_on(&self.parts) || !self.closing.is_empty();
        if is_closing && self.parts.calls.are_internal() {
            self.closing.push(json.to_owned());
            if !is_said {
                return Ok(());
            }
            if let (Some(candidate), Some(_)) = (&chunk.candidate, &chunk.finish) {
                edit.cut(candidate, "finishReason");
            }
        } else if !is_said && kept.len() < chunk.parts.len() && chunk.finish.is_none() {
            return Ok(());
        }
        out.with(frame, &edit.done());
        Ok(())
    }

    fn finish(&mut self, out: &mut FrameWriter<'_>) -> NextStep {
        self.begin();
        if self.parts.calls.are_internal() && !self.closing.is_empty() {
            return self.ask();
        }
        for json in std::mem::take(&mut self.closing) {
            out.compose("", &json);
        }
        self.parts.settle();
        self.deferred = self.parts.calls.deferred_calls();
        NextStep::Done
    }

    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough> {
        self.begin();
        self.read_whole(body, out)
    }

    fn count(&mut self, reply: &Node<'_>) {
        let response = reply.get("response").unwrap_or_else(|| reply.clone());
        if let Some(usage) = response.get("usageMetadata") {
            self.figures.note(&usage);
        }
    }

    fn is_internal(&self) -> bool {
        self.parts.calls.has_internal()
    }

    fn is_in_internal(&self) -> bool {
        !self.is_asked && self.parts.is_open()
    }

    fn usage(&self) -> &TurnUsage {
        self.figures.usage()
    }

    fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.deferred.take()
    }

    fn give_up(&mut self, out: &mut FrameWriter<'_>) {
        self.identity.settle();
        let mut closing = std::mem::take(&mut self.closing);
        if closing.is_empty() {
            closing = std::mem::take(&mut self.last_closing);
        }
        let mut notice = Some(notice(self.has_text));
        for json in closing {
            // It was read before.
            let Ok(chunk) = Chunk::read(&json) else { continue };
            let mut edit = Edit::new(&json);
            self.put_right(&chunk, &mut edit);
            chunk.set_finished(&mut edit);
            chunk.set_parts(notice.take().as_slice(), &mut edit);
            out.compose("", &edit.done());
        }
    }

    fn give_up_whole(&mut self, out: &mut Vec<u8>) {
        self.end_whole(out);
    }
}

/// The part that says that the turn was ended.
fn notice(has_text: bool) -> String {
    format!(r#"{{"text":{}}}"#, quoted(&ended_notice(has_text)))
}
