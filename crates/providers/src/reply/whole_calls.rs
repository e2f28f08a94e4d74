//! The tool calls of a reply, in dialects in which a call comes whole.

use super::deferred_calls::{DeferredCall, DeferredCalls};
use super::edit::joined;
use super::turn::InternalCall;
use crate::request::call_key;

/// Our calls, and what the client's are known by.
#[derive(Default)]
pub(crate) struct WholeCalls {
    calls: DeferredCalls,
}

impl WholeCalls {
    /// Adds a call of ours, as the model wrote it.
    pub(crate) fn add_ours(&mut self, id: String, arguments: &str, call: &str) {
        self.calls.calls.push(DeferredCall {
            id,
            arguments: arguments.to_owned(),
            call: call.to_owned(),
            siblings_before: self.calls.siblings.len(),
        });
    }

    /// Completes the call of ours that was added last.
    pub(crate) fn complete_last(&mut self, arguments: String, call: String) {
        if let Some(last) = self.calls.calls.last_mut() {
            (last.arguments, last.call) = (arguments, call);
        }
    }

    /// Adds a call of the client's: known by its id, or by its key if it has none.
    pub(crate) fn add_other(&mut self, id: String, name: &str, arguments: &str) {
        self.calls.siblings.push(if id.is_empty() { call_key(name, arguments) } else { id });
    }

    /// Whether our tool is called, and no other.
    pub(crate) fn are_internal(&self) -> bool {
        self.has_internal() && self.calls.siblings.is_empty()
    }

    pub(crate) fn has_internal(&self) -> bool {
        !self.calls.calls.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.calls.is_empty() && self.calls.siblings.is_empty()
    }

    pub(crate) fn internal(&self) -> Vec<InternalCall> {
        let internal = |call: &DeferredCall| InternalCall {
            id: call.id.clone(),
            arguments: call.arguments.clone(),
        };
        self.calls.calls.iter().map(internal).collect()
    }

    /// The list of our calls as JSON.
    pub(crate) fn json(&self) -> String {
        format!("[{}]", joined(self.calls.calls.iter().map(|call| &*call.call)))
    }

    /// Our calls, if they came together with the client's.
    pub(crate) fn deferred_calls(&self) -> Option<DeferredCalls> {
        (self.has_internal() && !self.are_internal()).then(|| self.calls.clone())
    }
}
