//! Replies made of content blocks, as Anthropic and Bedrock write them.

mod block_list;
mod grammar;
mod whole;

pub(crate) use grammar::{BlockCall, BlockEvent, BlockGrammar, as_object};

use super::continuation::ReplyContinuation;
use super::deferred_calls::DeferredCalls;
use super::edit::Edit;
use super::ending::ReplyEnding;
use super::frames::{FrameWriter, StreamFrame};
use super::hidden_indices::HiddenIndices;
use super::rewriter::{PassThrough, ReplyRewriter, ended_notice};
use super::turn::{HiddenTurn, NextStep};
use super::usage::TurnUsage;
use crate::dialect::Dialect;
use crate::json::Node;
use block_list::BlockList;
use std::borrow::Cow;
use std::marker::PhantomData;
use whole::EarlierReplies;

/// The largest stream that is looked at: its blocks are remembered, to be said again.
const MAX_REPLY: usize = 64 << 20;

/// A dialect whose replies are made of content blocks.
pub(crate) struct BlockReply<G> {
    dialect: Dialect,
    usage: TurnUsage,
    deferred: Option<DeferredCalls>,
    /// The current reply of the upstream.
    current: Current,
    /// Its earlier ones, if replies are whole.
    earlier: EarlierReplies,
    /// The closing events of the one before, if the client did not get them.
    held_before: Held,
    /// The current reply is not the first one.
    is_followed: bool,
    /// The upstream was asked again, and its reply did not begin yet.
    is_asked: bool,
    /// The client has text of the answer.
    has_text: bool,
    /// The number of the client's next block.
    count: u64,
    kept: KeptReplies,
    grammar: PhantomData<G>,
}

/// A reply of the upstream.
#[derive(Default)]
struct Current {
    blocks: BlockList,
    /// The number of the client's first block of it.
    base: u64,
    /// The numbers of its blocks, and which of them the client does not get.
    indices: HiddenIndices,
    /// How many bytes came.
    size: usize,
    /// Why it ended, when it said so.
    ending: Option<ReplyEnding>,
    /// The closing events, if the client did not get them.
    held: Held,
}

/// Of replies that the provider keeps, so that the client may go on from one by its id.
#[derive(Default)]
struct KeptReplies {
    /// It does, as far as is known.
    are_kept: bool,
    /// The id of the first reply, as it is written.
    first: Option<String>,
    /// The id of the current one.
    current: Option<String>,
    /// The ids of those before it, of which the client may have the first.
    hidden: Vec<String>,
    /// It was told where they go on.
    is_told: bool,
}

/// Names and payloads of events.
type Held = Vec<(String, String)>;

impl<G: BlockGrammar> BlockReply<G> {
    pub(crate) fn new(dialect: Dialect) -> Self {
        BlockReply {
            dialect,
            usage: TurnUsage::default(),
            deferred: None,
            current: Current::default(),
            earlier: EarlierReplies::default(),
            held_before: Held::new(),
            is_followed: false,
            is_asked: false,
            has_text: false,
            count: 0,
            kept: KeptReplies::default(),
            grammar: PhantomData,
        }
    }

    /// If the upstream was asked again, its reply begins here.
    fn begin(&mut self) {
        if std::mem::take(&mut self.is_asked) {
            self.is_followed = true;
            self.usage.begin();
            (self.kept.current, self.kept.is_told) = (None, false);
            let current = Current { base: self.count, ..Current::default() };
            self.held_before = std::mem::replace(&mut self.current, current).held;
        }
    }

    /// A block begins: notes it, and returns the client's number for it if the client gets it.
    fn start(&mut self, index: u64, block: Option<&Node<'_>>) -> Option<u64> {
        let call = block.and_then(G::call);
        self.has_text = self.has_text || block.is_some_and(G::is_text);
        let is_internal = call.as_ref().is_some_and(|call| call.is_internal);
        let indices = &mut self.current.indices;
        let client = if is_internal {
            indices.add(index);
            None
        } else {
            Some(self.current.base.saturating_add(indices.client_index(index)))
        };
        if let Some(client) = client {
            self.count = self.count.max(client.saturating_add(1));
        }
        self.current.blocks.begin(index, client, call, block.map_or("", Node::raw));
        client
    }

    /// Whether the reply, which is over, is answered: now, or if it calls others, too, with their answers.
    fn goes_on(&self) -> bool {
        let blocks = &self.current.blocks;
        blocks.foreign() > 0
            || self
                .current
                .ending
                .is_none_or(|ending| ending.goes_on(|| blocks.internal_calls::<G>()))
    }

    /// The upstream's reply is over: what comes next, if that is decided by its blocks.
    fn next(&mut self) -> NextStep {
        if self.current.blocks.foreign() > 0 {
            self.deferred = Some(self.current.blocks.deferred_calls::<G>());
            return NextStep::Done;
        }
        self.is_asked = true;
        let blocks = &self.current.blocks;
        let said = G::turn(blocks.conversation_json::<G>());
        let turn = HiddenTurn::new(self.dialect, said, blocks.internal_calls::<G>());
        let id = self.kept.current.take();
        self.kept.hidden.extend(id.clone());
        let goes_on_from = id.filter(|_| self.kept.are_kept);
        NextStep::Ask(turn.with_anchor(blocks.anchor::<G>()).with_kept_reply(goes_on_from))
    }

    /// Takes the figures from a reply, or from an event that has some, and its id.
    fn note(&mut self, reply: &Node<'_>) {
        note::<G>(&mut self.usage, reply);
        if !G::IS_CONTINUED {
            return;
        }
        let Some(id) = G::id(reply) else { return };
        self.kept.first.get_or_insert_with(|| id.raw().to_owned());
        self.kept.current = id.text().filter(|id| !id.is_empty()).map(Cow::into_owned);
    }

    /// A closing event as the client gets it: of a later reply with the figures of all.
    fn closing<'j>(&self, json: &'j str, is_given_up: bool) -> Cow<'j, str> {
        let Ok(node) = Node::read(json) else { return Cow::Borrowed(json) };
        let mut edit = Edit::new(json);
        if self.is_followed || is_given_up {
            G::set_tokens(&node, &self.usage, &mut edit);
            self.set_id(&node, &mut edit);
        }
        if is_given_up {
            G::set_finished(&node, &mut edit);
        }
        G::hide(&node, &mut edit);
        edit.done()
    }

    /// Gives a later reply the id of the first one. Not where the provider keeps them: the client goes on from a reply by
    /// its id, and only in the last one every call has its answer.
    fn set_id(&self, json: &Node<'_>, edit: &mut Edit<'_>) {
        let first = self.kept.first.as_ref().filter(|_| !self.kept.are_kept);
        if let (Some(first), Some(id)) = (first, G::id(json)) {
            edit.replace(&id, first.clone());
        }
    }

    /// A reply ends. It is the client's end, too, if the provider is not asked again.
    fn close(&mut self, frame: &StreamFrame<'_>, out: &mut FrameWriter<'_>) {
        if self.current.blocks.internal() > 0 && self.current.blocks.foreign() == 0 {
            self.current.held.push((frame.event.to_owned(), frame.json.to_string()));
        } else if self.is_followed || self.current.blocks.internal() > 0 {
            out.with(frame, &self.closing(&frame.json, false));
        } else {
            out.pass(frame);
        }
    }
}

/// What some providers end every stream with.
const DONE: &str = "[DONE]";

/// Passes an event about a block under the client's number for it.
fn renumber<G: BlockGrammar>(
    frame: &StreamFrame<'_>,
    json: &Node<'_>,
    index: u64,
    client: u64,
    out: &mut FrameWriter<'_>,
) {
    if index == client {
        return out.pass(frame);
    }
    let mut edit = Edit::new(&frame.json);
    edit.set(json, G::INDEX, client.to_string());
    out.with(frame, &edit.done());
}

impl<G: BlockGrammar> ReplyRewriter for BlockReply<G> {
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough> {
        if frame.json.trim_ascii() == DONE {
            self.begin();
            self.close(frame, out);
            return Ok(());
        }
        let json = Node::read(&frame.json)?;
        self.begin();
        self.current.size += frame.json.len();
        if self.current.size > MAX_REPLY {
            return Err(PassThrough::Final);
        }
        match G::event(frame.event, &json) {
            BlockEvent::Error => return Err(PassThrough::Final),
            BlockEvent::Other if G::IS_CONTINUED && self.is_followed => {
                let mut edit = Edit::new(&frame.json);
                self.set_id(&json, &mut edit);
                out.with(frame, &edit.done());
            }
            BlockEvent::Other => out.pass(frame),
            BlockEvent::Opening => {
                self.note(&json);
                if !self.is_followed {
                    out.pass(frame);
                }
            }
            BlockEvent::Start { index, block } => {
                if let Some(client) = self.start(index, Some(&block)) {
                    renumber::<G>(frame, &json, index, client, out);
                }
            }
            BlockEvent::Delta { index, delta } => {
                self.has_text = self.has_text || G::is_text(&delta);
                if self.current.blocks.find(index).is_none() {
                    // Some blocks begin with their first delta.
                    self.start(index, None);
                }
                let Some(block) = self.current.blocks.find(index) else { return Ok(()) };
                block.go_on(delta.raw());
                if let Some(client) = block.client {
                    renumber::<G>(frame, &json, index, client, out);
                }
            }
            BlockEvent::Stop { index } => match self.current.blocks.find(index) {
                None => out.pass(frame),
                Some(block) => {
                    block.is_open = false;
                    if let Some(client) = block.client {
                        renumber::<G>(frame, &json, index, client, out);
                    }
                }
            },
            BlockEvent::Closing(ending) => {
                self.note(&json);
                self.current.ending = self.current.ending.or(ending);
                self.close(frame, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut FrameWriter<'_>) -> NextStep {
        self.begin();
        if self.current.blocks.internal() == 0 {
            return NextStep::Done;
        }
        let is_over = self.current.ending.is_some();
        if is_over && self.goes_on() {
            return self.next();
        }
        for (name, json) in std::mem::take(&mut self.current.held) {
            if is_over {
                out.compose(&name, &self.closing(&json, false));
            } else {
                out.compose(&name, &json);
            }
        }
        NextStep::Done
    }

    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough> {
        let reply = Node::read(body)?;
        let content = G::content(&reply).ok_or(PassThrough::Final)?;
        self.begin();
        self.note(&reply);
        for (index, block) in (0..).zip(content.elements()) {
            self.start(index, Some(&block));
        }
        self.current.ending = G::ending(&reply);
        let goes_on = self.current.blocks.internal() > 0 && self.goes_on();
        let next = if goes_on { self.next() } else { NextStep::Done };
        match next {
            NextStep::Ask(_) => self.earlier.keep::<G>(&reply, body),
            NextStep::Done => {
                let usage = self.is_followed.then_some(&self.usage);
                let last = self.earlier.last::<G>(&reply, body, usage, self.kept.are_kept);
                out.extend_from_slice(last.as_bytes());
            }
        }
        Ok(next)
    }

    fn set_stored(&mut self, is_stored: bool) {
        self.kept.are_kept = is_stored && G::IS_CONTINUED;
    }

    fn continuation(&mut self) -> Option<ReplyContinuation> {
        let KeptReplies { are_kept, current, hidden, is_told, .. } = &mut self.kept;
        let to = current.clone().filter(|_| *are_kept && !hidden.is_empty() && !self.is_asked)?;
        let is_news = !std::mem::replace(is_told, true);
        is_news.then(|| ReplyContinuation { from: hidden.clone(), to })
    }

    fn count(&mut self, reply: &Node<'_>) {
        note::<G>(&mut self.usage, reply);
    }

    fn is_internal(&self) -> bool {
        !self.is_asked && self.current.ending.is_none() && self.current.blocks.internal() > 0
    }

    fn is_in_internal(&self) -> bool {
        self.is_internal() && self.current.blocks.is_last_internal()
    }

    fn usage(&self) -> &TurnUsage {
        &self.usage
    }

    fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.deferred.take()
    }

    fn give_up(&mut self, out: &mut FrameWriter<'_>) {
        for index in self.current.blocks.open() {
            let (name, json) = G::stop_event(index);
            out.compose(name, &json);
        }
        for (name, json) in G::text_events(self.count, &ended_notice(self.has_text)) {
            out.compose(name, &json);
        }
        let held =
            if self.current.ending.is_some() { &self.current.held } else { &self.held_before };
        for (name, json) in held {
            out.compose(name, &self.closing(json, true));
        }
    }

    fn fail(&mut self, status: u16, document: &str, out: &mut FrameWriter<'_>) {
        out.error(status, &G::error_event(document));
    }

    fn give_up_whole(&mut self, out: &mut Vec<u8>) {
        let notice = G::text_block(&ended_notice(self.has_text));
        if let Some(body) = self.earlier.give_up::<G>(&notice, &self.usage, self.kept.are_kept) {
            out.extend_from_slice(body.as_bytes());
        }
    }
}

/// Takes the figures from a reply, or from an event that has some.
fn note<G: BlockGrammar>(usage: &mut TurnUsage, reply: &Node<'_>) {
    usage.note(G::tokens(reply));
    if let Some(iterations) = G::iterations(reply) {
        usage.note_iterations(iterations);
    }
}
