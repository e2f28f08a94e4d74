//! The output items of a reply: texts, reasoning, calls.

use crate::json::Node;
use crate::reply::deferred_calls::{DeferredCall, DeferredCalls};
use crate::reply::edit::joined;
use crate::reply::hidden_indices::HiddenIndices;
use crate::reply::rewriter::TOOL;
use crate::reply::turn::{InternalCall, ThoughtAnchor};
use std::collections::{BTreeMap, HashSet};

/// The items of a reply, by their indices.
#[derive(Default)]
pub(super) struct OutputItems {
    items: BTreeMap<u64, OutputItem>,
    /// The indices of our calls.
    hidden_indices: HiddenIndices,
    /// The index that was told last.
    last: u64,
}

struct OutputItem {
    /// As it is now: at its start and when it is done the whole item is told.
    json: String,
    role: ItemRole,
}

/// What an item is to us.
enum ItemRole {
    /// A call of our own tool.
    Internal(InternalCall),
    /// A call that the client answers, by this id.
    Call(String),
    /// The answer to a call with this id: the provider ran it.
    Answer(String),
    /// Reasoning that is nowhere but at the provider.
    Remembered,
    Other,
}

impl OutputItems {
    /// Takes an item at its start, or again when it is done.
    pub(super) fn take(&mut self, index: u64, item: &Node<'_>) {
        let item = OutputItem { json: item.raw().to_owned(), role: role(item) };
        if item.call().is_some() {
            self.hidden_indices.add(index);
        }
        self.items.insert(index, item);
        self.last = index;
    }

    /// Whether the item that was told last is a call of ours.
    pub(super) fn is_last_internal(&self) -> bool {
        self.is_internal(self.last)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether an index is that of a call of ours.
    pub(super) fn is_internal(&self, index: u64) -> bool {
        self.hidden_indices.contains(index)
    }

    pub(super) fn has_internal(&self) -> bool {
        !self.hidden_indices.is_empty()
    }

    /// Whether our tool is called, and the client has nothing to answer.
    pub(super) fn are_internal(&self) -> bool {
        self.has_internal() && self.siblings().is_empty()
    }

    /// The index of an item as if our calls were not there.
    pub(super) fn client_index(&mut self, index: u64) -> u64 {
        self.hidden_indices.client_index(index)
    }

    pub(super) fn internal(&self) -> Vec<InternalCall> {
        self.items.values().filter_map(OutputItem::call).cloned().collect()
    }

    /// The items that the client gets.
    pub(super) fn visible(&self) -> impl Iterator<Item = &str> {
        self.items.values().filter(|item| item.call().is_none()).map(|item| &*item.json)
    }

    /// The items, to be said again. Reasoning without its content is left out if the provider did not keep the reply: it
    /// would look for it and find nothing.
    pub(super) fn conversation_json(&self, is_forgotten: bool) -> String {
        let is_left_out =
            |item: &&OutputItem| is_forgotten && matches!(item.role, ItemRole::Remembered);
        joined(self.items.values().filter(|item| !is_left_out(item)).map(|item| &*item.json))
    }

    /// Where our calls are to be put back, if the model thought before them.
    pub(super) fn anchor(&self) -> Option<ThoughtAnchor> {
        let mut anchor: Option<ThoughtAnchor> = None;
        let mut calls = Vec::new();
        for item in self.items.values() {
            if item.call().is_some() {
                calls.push(item.json.clone());
            } else if !calls.is_empty() {
                return None;
            } else if let Some(seal) = seal(&item.json) {
                anchor = Some(ThoughtAnchor { seal, behind: 0, calls: Vec::new() });
            } else if let Some(anchor) = &mut anchor {
                anchor.behind += 1;
            }
        }
        anchor.map(|anchor| ThoughtAnchor { calls, ..anchor })
    }

    /// Our calls that came together with the client's.
    pub(super) fn deferred_calls(&self) -> Option<DeferredCalls> {
        let siblings = self.siblings();
        let mut calls = Vec::new();
        for (index, item) in &self.items {
            let Some(InternalCall { id, arguments }) = item.call().cloned() else { continue };
            let siblings_before = siblings.partition_point(|(sibling, _)| sibling < index);
            calls.push(DeferredCall { id, arguments, call: item.json.clone(), siblings_before });
        }
        let siblings: Vec<String> = siblings.into_iter().map(|(_, id)| id.to_owned()).collect();
        (!calls.is_empty() && !siblings.is_empty()).then_some(DeferredCalls { siblings, calls })
    }

    /// The calls that the client answers, with their indices.
    fn siblings(&self) -> Vec<(u64, &str)> {
        let mut answered = HashSet::new();
        for item in self.items.values() {
            if let ItemRole::Answer(id) = &item.role {
                answered.insert(id);
            }
        }
        self.items
            .iter()
            .filter_map(|(index, item)| match &item.role {
                ItemRole::Call(id) if !answered.contains(id) => Some((*index, &**id)),
                _ => None,
            })
            .collect()
    }
}

impl OutputItem {
    fn call(&self) -> Option<&InternalCall> {
        match &self.role {
            ItemRole::Internal(call) => Some(call),
            _ => None,
        }
    }
}

/// Whether an item is a call of our own tool.
pub(super) fn is_internal(item: &Node<'_>) -> bool {
    let is = |name, value| item.get(name).is_some_and(|member| member.is(value));
    is("type", "function_call") && is("name", TOOL)
}

/// What tells an item apart that is what the model thought: its encrypted content, which clients send back whole, else its
/// id.
fn seal(item: &str) -> Option<String> {
    let item = Node::read(item).ok()?;
    if !item.get("type").is_some_and(|kind| kind.is("reasoning")) {
        return None;
    }
    let text = |name| item.get(name).and_then(|member| member.text());
    let mut seals = ["encrypted_content", "id"].into_iter().filter_map(text);
    seals.find(|seal| !seal.is_empty()).map(|seal| seal.into_owned())
}

fn role(item: &Node<'_>) -> ItemRole {
    let text = |name| item.get(name).and_then(|member| member.text()).map(|text| text.into_owned());
    let kind = text("type").unwrap_or_default();
    let call_id = text("call_id");
    if is_internal(item) {
        let arguments = text("arguments").unwrap_or_default();
        return ItemRole::Internal(InternalCall { id: call_id.unwrap_or_default(), arguments });
    }
    match (&*kind, call_id) {
        ("mcp_approval_request", _) => ItemRole::Call(text("id").unwrap_or_default()),
        ("reasoning", _) if text("encrypted_content").is_none() => ItemRole::Remembered,
        (kind, Some(id)) if kind.ends_with("_output") => ItemRole::Answer(id),
        (_, Some(id)) => ItemRole::Call(id),
        _ => ItemRole::Other,
    }
}
