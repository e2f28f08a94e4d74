//! OpenAI Responses: a list of output items, streamed as numbered events, and told once more at the end.

mod items;
mod sequence;
mod text;

use crate::dialect::Dialect;
use crate::json::{Kind, Node};
use crate::reply::continuation::ReplyContinuation;
use crate::reply::deferred_calls::DeferredCalls;
use crate::reply::edit::{Edit, joined, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::frames::{FrameWriter, StreamFrame};
use crate::reply::identity::ReplyIdentity;
use crate::reply::rewriter::{PassThrough, ReplyRewriter, TOOL, ended_notice};
use crate::reply::turn::{HiddenTurn, NextStep};
use crate::reply::usage::TurnUsage;
use crate::reply::usage_figures::{UsageFigures, UsageNames};
use items::{OutputItems, is_internal};
use sequence::EventNumbers;

const FIGURES: UsageNames = UsageNames {
    input: "input_tokens",
    output: &["output_tokens"],
    cache_read: "input_tokens_details.cached_tokens",
    cache_write: "input_tokens_details.cache_write_tokens",
    total: "total_tokens",
    also: &["output_tokens_details"],
};

/// The event that ends a reply.
const COMPLETED: &str = "response.completed";

/// The event that breaks one off.
const FAILED: &str = "response.failed";

/// A reply in this dialect.
pub(crate) struct ResponsesReply {
    id: ReplyIdentity,
    origin: ReplyIdentity,
    figures: UsageFigures,
    sequence: EventNumbers,
    /// The upstream was asked again: with the next event another reply begins.
    is_asked: bool,
    /// The items of this reply.
    items: OutputItems,
    /// What the client has of earlier replies: items as JSON.
    told: Vec<String>,
    /// Whether the client has any text.
    has_text: bool,
    /// Whether the provider says that it keeps the reply, or that it does not.
    is_stored: Option<bool>,
    /// The last event, or whole reply, that the client was not given.
    closing: Option<String>,
    /// Whether it is of this reply.
    is_held: bool,
    deferred: Option<DeferredCalls>,
    /// The id of this reply.
    current: Option<String>,
    /// The ids of earlier ones, of which the client may have the first.
    hidden: Vec<String>,
    /// It was told where they go on.
    is_continuation_told: bool,
}

impl Default for ResponsesReply {
    fn default() -> Self {
        ResponsesReply {
            id: ReplyIdentity::new(&["id"]),
            origin: ReplyIdentity::new(&["created_at", "model"]),
            figures: UsageFigures::new(&FIGURES),
            sequence: EventNumbers::default(),
            is_asked: false,
            items: OutputItems::default(),
            told: Vec::new(),
            has_text: false,
            is_stored: None,
            closing: None,
            is_held: false,
            deferred: None,
            current: None,
            hidden: Vec::new(),
            is_continuation_told: false,
        }
    }
}

impl ResponsesReply {
    /// Another reply begins, if one was asked for.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        self.id.settle();
        self.origin.settle();
        self.figures.next_reply();
        self.sequence.next_reply();
        self.items = OutputItems::default();
        self.is_held = false;
        self.current = None;
        self.is_continuation_told = false;
    }

    /// Takes note of what a response object tells about itself.
    fn note(&mut self, response: &Node<'_>) {
        if let Some(id) = response.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty()) {
            self.current = Some(id.into_owned());
        }
        self.is_stored = match response.get("store").map(|store| store.kind()) {
            Some(Kind::True) => Some(true),
            Some(Kind::False) => Some(false),
            _ => self.is_stored,
        };
        if let Some(usage) = response.get("usage").filter(|usage| usage.kind() == Kind::Object) {
            self.figures.note(&usage);
        }
    }

    /// Makes a response object tell of the client's reply.
    fn put_right(&mut self, response: &Node<'_>, edit: &mut Edit<'_>) {
        // The client goes on from a stored reply by its id, and then every call in it must have its answer: that is so in
        // the last reply alone.
        if self.is_stored != Some(true) {
            self.id.keep(response, edit);
        }
        self.origin.keep(response, edit);
        if let Some(usage) = response.get("usage").filter(|usage| usage.kind() == Kind::Object) {
            self.figures.put_right(&usage, edit);
        }
    }

    /// A reply that calls our tool and nothing else is over.
    fn ask(&mut self) -> HiddenTurn {
        self.is_asked = true;
        let said = self.items.conversation_json(self.is_stored == Some(false));
        self.told.extend(self.items.visible().map(str::to_owned));
        self.hidden.extend(self.current.take());
        let turn = HiddenTurn::new(Dialect::OpenAiResponses, said, self.items.internal());
        turn.with_anchor(self.items.anchor())
    }

    /// Puts what the client has of earlier replies before the output, and takes our calls out of it.
    fn put_output(&self, response: &Node<'_>, edit: &mut Edit<'_>) {
        let Some(list) = response.get("output").filter(|list| list.kind() == Kind::Array) else {
            return;
        };
        let output = list.elements();
        let has_internal = output.iter().any(is_internal);
        // Some providers do not tell the output again.
        let is_told = !output.is_empty() || self.items.is_empty();
        if is_told && (has_internal || !self.told.is_empty()) {
            let own = output.iter().filter(|item| !is_internal(item)).map(Node::raw);
            edit.relist(&list, self.told.iter().map(String::as_str).chain(own));
        }
    }

    /// The last event of a reply, or a whole reply: whether the client gets it.
    fn close(&mut self, response: &Node<'_>, edit: &mut Edit<'_>) -> bool {
        self.note(response);
        let goes_on = ending(response).goes_on(|| self.items.internal());
        self.is_held = goes_on && self.items.are_internal();
        if self.is_held {
            self.id.keep(response, edit);
            self.origin.keep(response, edit);
        } else {
            self.put_right(response, edit);
            self.put_output(response, edit);
        }
        !self.is_held
    }

    /// Makes the response object that was held tell what the client has, and why that is all.
    fn end(&mut self, response: &Node<'_>, edit: &mut Edit<'_>) {
        if ending(response) != ReplyEnding::Turn {
            edit.set(response, "status", quoted("completed"));
            edit.set(response, "incomplete_details", "null");
        }
        hide_tool(response, edit);
        self.id.settle();
        self.origin.settle();
        self.put_right(response, edit);
        self.told.push(text::item(&ended_notice(self.has_text)));
        edit.set(response, "output", format!("[{}]", joined(&self.told)));
    }

    /// An event about an item: whether the client gets it.
    fn item_event(&mut self, kind: &str, event: &Node<'_>, edit: &mut Edit<'_>) -> bool {
        let [number, item] = event.pick(["output_index", "item"]);
        let Some(number) = number else { return true };
        let Some(index) = number.number() else { return true };
        if let Some(item) = item {
            self.items.take(index, &item);
        }
        if self.items.is_internal(index) {
            return false;
        }
        let right = self.items.client_index(index).saturating_add(self.told.len() as u64);
        if right != index {
            edit.replace(&number, right.to_string());
        }
        self.has_text |= matches!(kind, "response.output_text.delta" | "response.refusal.delta");
        true
    }
}

fn ending(response: &Node<'_>) -> ReplyEnding {
    let reason = || response.at(["incomplete_details", "reason"]);
    match response.get("status").and_then(|status| status.text()).as_deref() {
        None | Some("completed") => ReplyEnding::Turn,
        Some("incomplete") if reason().is_none_or(|reason| reason.is("max_output_tokens")) => {
            ReplyEnding::Length
        }
        _ => ReplyEnding::Stopped,
    }
}

/// A response tells the tools that it was offered: the client did not offer ours.
fn hide_tool(response: &Node<'_>, edit: &mut Edit<'_>) {
    let Some(list) = response.get("tools").filter(|list| list.kind() == Kind::Array) else {
        return;
    };
    let tools = list.elements();
    let is_ours = |tool: &Node<'_>| tool.get("name").is_some_and(|name| name.is(TOOL));
    if tools.iter().any(is_ours) {
        edit.relist(&list, tools.iter().filter(|tool| !is_ours(tool)).map(Node::raw));
    }
}

impl ReplyRewriter for ResponsesReply {
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough> {
        self.begin();
        let json = &*frame.json;
        // Not of this dialect, but some providers end every stream with it.
        if json.trim_ascii() == "[DONE]" {
            if !self.is_held {
                out.pass(frame);
            }
            return Ok(());
        }
        let event = Node::read(json)?;
        let [kind, response] = event.pick(["type", "response"]);
        let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
        let mut edit = Edit::new(json);
        if let Some(response) = &response {
            hide_tool(response, &mut edit);
        }
        let is_given = match (&*kind, response) {
            ("error", _) => return Err(PassThrough::Final),
            ("response.created" | "response.queued" | "response.in_progress", Some(response)) => {
                self.note(&response);
                self.id.keep(&response, &mut edit);
                self.origin.keep(&response, &mut edit);
                !self.id.is_settled()
            }
            (COMPLETED | "response.incomplete" | "response.failed", Some(response)) => {
                self.close(&response, &mut edit)
            }
            _ => self.item_event(&kind, &event, &mut edit),
        };
        if is_given {
            self.sequence.give(&event, &mut edit);
            out.with(frame, &edit.done());
        } else {
            self.sequence.swallow(&event);
            if self.is_held {
                self.closing = Some(json.to_owned());
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut FrameWriter<'_>) -> NextStep {
        self.begin();
        if self.is_held {
            return NextStep::Ask(self.ask());
        }
        self.deferred = self.items.deferred_calls();
        NextStep::Done
    }

    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough> {
        self.begin();
        let response = Node::read(body)?;
        let output = response.get("output").ok_or(PassThrough::Final)?.elements();
        for (index, item) in output.iter().enumerate() {
            self.items.take(index as u64, item);
            self.has_text |= item.get("type").is_some_and(|kind| kind.is("message"));
        }
        let mut edit = Edit::new(body);
        hide_tool(&response, &mut edit);
        if self.close(&response, &mut edit) {
            out.extend_from_slice(edit.done().as_bytes());
            self.deferred = self.items.deferred_calls();
            return Ok(NextStep::Done);
        }
        self.closing = Some(body.to_owned());
        Ok(NextStep::Ask(self.ask()))
    }

    fn set_stored(&mut self, is_stored: bool) {
        self.is_stored = Some(is_stored);
    }

    fn continuation(&mut self) -> Option<ReplyContinuation> {
        let to = self.current.clone().filter(|_| !self.hidden.is_empty() && !self.is_asked)?;
        let is_told = std::mem::replace(&mut self.is_continuation_told, true);
        let is_news = !is_told && self.is_stored == Some(true);
        is_news.then(|| ReplyContinuation { from: self.hidden.clone(), to })
    }

    fn count(&mut self, reply: &Node<'_>) {
        self.note(reply);
    }

    fn count_event(&mut self, event: &Node<'_>) {
        if let Some(response) = event.get("response") {
            self.note(&response);
        }
    }

    fn is_internal(&self) -> bool {
        self.items.has_internal()
    }

    fn is_in_internal(&self) -> bool {
        !self.is_asked && !self.is_held && self.items.is_last_internal()
    }

    fn usage(&self) -> &TurnUsage {
        self.figures.usage()
    }

    fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.deferred.take()
    }

    fn give_up(&mut self, out: &mut FrameWriter<'_>) {
        let Some(json) = self.closing.take() else { return };
        // It was read before.
        let Ok(event) = Node::read(&json) else { return };
        let Some(response) = event.get("response") else { return };
        if !self.is_asked {
            self.told.extend(self.items.visible().map(str::to_owned));
        }
        let (notice, index) = (ended_notice(self.has_text), self.told.len());
        for (kind, event) in text::events(&notice, index, || self.sequence.own()) {
            out.compose(kind, &event);
        }
        let mut edit = Edit::new(&json);
        self.end(&response, &mut edit);
        if let Some(kind) = event.get("type") {
            edit.replace(&kind, quoted(COMPLETED));
        }
        self.sequence.put_next(&event, &mut edit);
        out.compose(COMPLETED, &edit.done());
    }

    /// Two events, as OpenAI sends them: SDKs stop at the first, and Codex reads the second.
    fn fail(&mut self, _: u16, document: &str, out: &mut FrameWriter<'_>) {
        let document = Node::read(document).ok().and_then(|document| document.get("error"));
        let error = document.as_ref().map_or("{}", |error| error.raw());
        let part = |name| {
            let member = document.as_ref().and_then(|error| error.get(name));
            member.map_or_else(|| "null".to_owned(), |member| member.raw().to_owned())
        };
        let [code, message, param] = ["code", "message", "param"].map(part);
        let number = self.sequence.own();
        let event = format!(
            r#"{{"type":"error",{number}"code":{code},"message":{message},"param":{param},"error":{error}}}"#
        );
        out.compose("error", &event);
        let Some(json) = self.closing.take() else { return };
        // It was read before.
        let Ok(event) = Node::read(&json) else { return };
        let Some(response) = event.get("response") else { return };
        let mut edit = Edit::new(&json);
        hide_tool(&response, &mut edit);
        self.id.settle();
        self.origin.settle();
        self.put_right(&response, &mut edit);
        edit.set(&response, "status", quoted("failed"));
        let code = if code == "null" { quoted("server_error") } else { code };
        edit.set(&response, "error", format!(r#"{{"code":{code},"message":{message}}}"#));
        edit.set(&response, "output", format!("[{}]", joined(&self.told)));
        if let Some(kind) = event.get("type") {
            edit.replace(&kind, quoted(FAILED));
        }
        self.sequence.put_next(&event, &mut edit);
        out.compose(FAILED, &edit.done());
    }

    fn give_up_whole(&mut self, out: &mut Vec<u8>) {
        let Some(json) = self.closing.take() else { return };
        // It was read before.
        let Ok(response) = Node::read(&json) else { return };
        let mut edit = Edit::new(&json);
        self.end(&response, &mut edit);
        out.extend_from_slice(edit.done().as_bytes());
    }
}
