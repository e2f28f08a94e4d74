//! The calls of a reply, joined from their fragments.

use crate::json::Node;
use crate::json::text::unescape;
use crate::reply::deferred_calls::{DeferredCall, DeferredCalls};
use crate::reply::edit::{Edit, joined};
use crate::reply::hidden_indices::HiddenIndices;
use crate::reply::message::AssembledMessage;
use crate::reply::rewriter::TOOL;
use crate::reply::turn::InternalCall;
use std::borrow::Cow;
use std::collections::HashMap;

/// The calls of a reply, in order.
#[derive(Default)]
pub(super) struct ChatCalls {
    calls: Vec<ChatCall>,
    /// Where the call is that last had an index.
    places: HashMap<u64, usize>,
    /// The indices of our calls.
    hidden_indices: HiddenIndices,
    has_internal: bool,
    has_others: bool,
}

#[derive(Default)]
struct ChatCall {
    is_internal: bool,
    function: AssembledMessage,
    /// The call's members beside its function: its id, its type, what the provider wants back.
    others: AssembledMessage,
}

impl ChatCalls {
    /// Takes fragments in and gives back those of the client's calls, numbered as if ours were not there.
    pub(super) fn take<'a>(&mut self, fragments: &[Node<'a>]) -> Vec<Cow<'a, str>> {
        let mut kept = Vec::with_capacity(fragments.len());
        for fragment in fragments {
            let at = self.find(fragment);
            let Some(call) = self.calls.get_mut(at) else { continue };
            call.add(fragment);
            if !call.is_internal {
                kept.push(self.with_client_index(fragment));
            }
        }
        kept
    }

    /// Whether there are calls, and all are ours.
    pub(super) fn are_internal(&self) -> bool {
        self.has_internal && !self.has_others
    }

    pub(super) fn has_internal(&self) -> bool {
        self.has_internal
    }

    /// Whether the call that began last is ours.
    pub(super) fn is_last_internal(&self) -> bool {
        self.calls.last().is_some_and(|call| call.is_internal)
    }

    pub(super) fn internal(&self) -> Vec<InternalCall> {
        let internal = self.calls.iter().filter(|call| call.is_internal);
        internal.map(|call| InternalCall { id: call.id(), arguments: call.arguments() }).collect()
    }

    /// The list of calls as JSON.
    pub(super) fn json(&self) -> String {
        format!("[{}]", joined(self.calls.iter().map(ChatCall::json)))
    }

    /// Our calls that came together with the client's.
    pub(super) fn deferred_calls(&self) -> Option<DeferredCalls> {
        let mut deferred = DeferredCalls::default();
        for call in &self.calls {
            if call.is_internal {
                deferred.calls.push(DeferredCall {
                    id: call.id(),
                    arguments: call.arguments(),
                    call: call.json(),
                    siblings_before: deferred.siblings.len(),
                });
            } else {
                deferred.siblings.push(call.id());
            }
        }
        (!deferred.calls.is_empty() && !deferred.siblings.is_empty()).then_some(deferred)
    }

    /// Which call a fragment belongs to; a new one if it is the first of its call.
    fn find(&mut self, fragment: &Node<'_>) -> usize {
        let index = fragment.get("index").and_then(|index| index.number());
        let name = fragment.at(["function", "name"]).and_then(|name| name.text());
        let name = name.filter(|name| !name.is_empty());
        let id = fragment.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty());
        let known = match index {
            Some(index) => self.places.get(&index).copied(),
            None if name.is_none() => self.calls.len().checked_sub(1),
            None => None,
        };
        // Some providers number all calls alike.
        let is_another = |at: &usize| {
            let known = self.calls.get(*at).map(ChatCall::id).unwrap_or_default();
            name.is_some() && !known.is_empty() && id.as_ref().is_some_and(|id| **id != known)
        };
        known.filter(|at| !is_another(at)).unwrap_or_else(|| {
            let is_internal = name.as_deref() == Some(TOOL);
            self.has_internal |= is_internal;
            self.has_others |= !is_internal;
            let at = self.calls.len();
            self.calls.push(ChatCall { is_internal, ..ChatCall::default() });
            if let Some(index) = index {
                self.places.insert(index, at);
                if is_internal {
                    self.hidden_indices.add(index);
                }
            }
            at
        })
    }

    /// A fragment of a client's call, with the index it has without our calls before it.
    fn with_client_index<'a>(&mut self, fragment: &Node<'a>) -> Cow<'a, str> {
        let index = fragment.get("index").and_then(|index| index.number());
        let closed = index.map(|index| self.hidden_indices.client_index(index));
        let (Some(closed), true) = (closed, closed != index) else {
            return Cow::Borrowed(fragment.raw());
        };
        Edit::within(fragment, |fragment, edit| edit.set(fragment, "index", closed.to_string()))
    }
}

impl ChatCall {
    fn add(&mut self, fragment: &Node<'_>) {
        for (name, value) in fragment.members() {
            match &*name {
                "index" => {}
                "function" => {
                    for (name, value) in value.members() {
                        match &*name {
                            "arguments" => self.function.add(&name, &value),
                            _ => self.function.add_once(&name, &value),
                        }
                    }
                }
                _ => self.others.add_once(&name, &value),
            }
        }
    }

    fn id(&self) -> String {
        text(self.others.spelling("id").unwrap_or_default())
    }

    fn arguments(&self) -> String {
        text(self.function.spelling("arguments").unwrap_or_default())
    }

    fn json(&self) -> String {
        let mut call = self.others.clone();
        call.set("function", self.function.json());
        call.json()
    }
}

/// What a spelling says; as it is spelled if no text can hold it.
fn text(spelling: &str) -> String {
    unescape(spelling).map_or_else(|| spelling.to_owned(), Cow::into_owned)
}
