//! The content blocks of one reply of the upstream.

use super::grammar::{BlockCall, BlockGrammar};
use crate::json::Node;
use crate::reply::deferred_calls::{DeferredCall, DeferredCalls};
use crate::reply::edit::joined;
use crate::reply::turn::{InternalCall, ThoughtAnchor};
use std::collections::BTreeMap;

/// The blocks that came so far, in order.
#[derive(Default)]
pub(super) struct BlockList {
    blocks: Vec<ReplyBlock>,
    /// Where the latest block of a number is.
    places: BTreeMap<u64, usize>,
    /// How many are calls of our tool.
    internal: u64,
    /// How many are calls that the client has to answer.
    foreign: u64,
}

/// A block.
pub(super) struct ReplyBlock {
    /// The client's number for it; none if the client does not get it.
    pub(super) client: Option<u64>,
    pub(super) is_open: bool,
    call: Option<BlockCall>,
    /// How it began; empty if that was not said.
    start: String,
    /// How it went on: elements of a JSON list.
    deltas: String,
}

impl BlockList {
    pub(super) fn begin(
        &mut self,
        index: u64,
        client: Option<u64>,
        call: Option<BlockCall>,
        start: &str,
    ) {
        match &call {
            Some(call) if call.is_internal => self.internal += 1,
            Some(_) => self.foreign += 1,
            None => {}
        }
        let (start, deltas) = (start.to_owned(), String::new());
        self.places.insert(index, self.blocks.len());
        self.blocks.push(ReplyBlock { client, is_open: true, call, start, deltas });
    }

    /// The latest block of that number.
    pub(super) fn find(&mut self, index: u64) -> Option<&mut ReplyBlock> {
        self.blocks.get_mut(*self.places.get(&index)?)
    }

    /// The client's numbers of the blocks that were not ended.
    pub(super) fn open(&self) -> Vec<u64> {
        let open = self.blocks.iter().filter(|block| block.is_open);
        open.filter_map(|block| block.client).collect()
    }

    /// Whether the latest block is a call of our tool.
    pub(super) fn is_last_internal(&self) -> bool {
        let last = self.blocks.last().and_then(|block| block.call.as_ref());
        last.is_some_and(|call| call.is_internal)
    }

    /// How many calls of our tool there are.
    pub(super) fn internal(&self) -> u64 {
        self.internal
    }

    /// How many calls the client has to answer.
    pub(super) fn foreign(&self) -> u64 {
        self.foreign
    }

    /// The blocks as a conversation has them.
    pub(super) fn conversation_json<G: BlockGrammar>(&self) -> String {
        joined(self.blocks.iter().filter_map(ReplyBlock::json::<G>))
    }

    pub(super) fn internal_calls<G: BlockGrammar>(&self) -> Vec<InternalCall> {
        self.blocks.iter().filter_map(ReplyBlock::internal_call::<G>).collect()
    }

    /// Where the calls of our tool are to be put back, if the provider sealed a thought before them.
    pub(super) fn anchor<G: BlockGrammar>(&self) -> Option<ThoughtAnchor> {
        let mut anchor: Option<ThoughtAnchor> = None;
        let mut calls = Vec::new();
        for block in &self.blocks {
            let Some(json) = block.json::<G>() else { continue };
            if block.call.as_ref().is_some_and(|call| call.is_internal) {
                calls.push(json);
            } else if !calls.is_empty() {
                // The reply went on behind a call of ours: no client's reply has a place for that.
                return None;
            } else if let Some(seal) = Node::read(&json).ok().and_then(|node| G::seal(&node)) {
                anchor = Some(ThoughtAnchor { seal, behind: 0, calls: Vec::new() });
            } else if let Some(anchor) = &mut anchor {
                anchor.behind += 1;
            }
        }
        anchor.map(|anchor| ThoughtAnchor { calls, ..anchor })
    }

    pub(super) fn deferred_calls<G: BlockGrammar>(&self) -> DeferredCalls {
        let mut deferred = DeferredCalls::default();
        for block in &self.blocks {
            if let Some(InternalCall { id, arguments }) = block.internal_call::<G>() {
                let call = block.json::<G>().unwrap_or_default();
                let siblings_before = deferred.siblings.len();
                deferred.calls.push(DeferredCall { id, arguments, call, siblings_before });
            } else if let Some(call) = &block.call {
                deferred.siblings.push(call.id.clone());
            }
        }
        deferred
    }
}

impl ReplyBlock {
    pub(super) fn go_on(&mut self, delta: &str) {
        if !self.deltas.is_empty() {
            self.deltas.push(',');
        }
        self.deltas.push_str(delta);
    }

    fn internal_call<G: BlockGrammar>(&self) -> Option<InternalCall> {
        let call = self.call.as_ref().filter(|call| call.is_internal)?;
        let arguments = self.with_deltas(arguments::<G>);
        let arguments = if arguments.is_empty() {
            let start = Node::read(&self.start).ok()?;
            G::arguments(&start).map_or("{}", |input| input.raw()).to_owned()
        } else {
            arguments
        };
        Some(InternalCall { id: call.id.clone(), arguments })
    }

    /// The block as a conversation has it.
    fn json<G: BlockGrammar>(&self) -> Option<String> {
        self.with_deltas(|deltas| G::block(&self.start, deltas, &arguments::<G>(deltas)))
    }

    fn with_deltas<T>(&self, read: impl FnOnce(&[Node<'_>]) -> T) -> T {
        let list = format!("[{}]", self.deltas);
        let deltas = Node::read(&list).map(|list| list.elements()).unwrap_or_default();
        read(&deltas)
    }
}

fn arguments<G: BlockGrammar>(deltas: &[Node<'_>]) -> String {
    deltas.iter().filter_map(|delta| G::fragment(delta)?.text()).collect()
}
