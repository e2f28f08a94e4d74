//! Message dispatch: what a server says, given to whom it is for.

use super::ServerChannel;
use super::pending::PendingRequests;
use crate::era::SUBSCRIPTION_KEY;
use crate::failure::Failure;
use crate::message::{Message, Sort};
use crate::outgoing::under_token;
use crate::rpc::{self, CANCELLED, ErrorCode};
use crate::tasks::STATUS;
use std::sync::Arc;
use tokenforge_json::Node;

/// Takes what a server says to no request in particular.
pub(crate) type UnsolicitedSink = Arc<dyn Fn(&ServerChannel, String) + Send + Sync>;

/// Gives each message to whom it is for.
pub(crate) struct MessageDispatcher {
    pub(crate) pending: PendingRequests,
    sink: UnsolicitedSink,
}

impl MessageDispatcher {
    pub(crate) fn new(sink: UnsolicitedSink) -> Self {
        MessageDispatcher { pending: PendingRequests::default(), sink }
    }

    /// Takes a message; `request` is the one on whose stream it came, where servers have such streams. What is no
    /// message is passed over: it is no reason to harm what else is under way.
    pub(crate) fn take(&self, wire: &ServerChannel, text: &str, request: Option<u64>) {
        if let Ok(message) = Message::read(text) {
            return self.take_message(wire, &message, request);
        }
        // Servers of older versions may say several things at once.
        let batch = Node::read(text).map(|node| node.elements()).unwrap_or_default();
        if batch.is_empty() {
            tracing::debug!(bytes = text.len(), "a tool server said what is no message");
        }
        for message in batch.iter().filter_map(|node| Message::read(node.raw()).ok()) {
            self.take_message(wire, &message, request);
        }
    }

    fn take_message(&self, wire: &ServerChannel, message: &Message<'_>, request: Option<u64>) {
        match message.sort() {
            Sort::Answer => self.answer(message, request),
            Sort::Notification => self.notification(wire, message, request),
            Sort::Request => self.request(wire, message, request),
        }
    }

    /// Gives what was said to a request of our own to the sink for messages that belong to no request.
    pub(crate) fn pass_on(&self, wire: &ServerChannel, text: String) {
        (self.sink)(wire, text);
    }

    fn answer(&self, message: &Message<'_>, request: Option<u64>) {
        // Some servers write every id as a text.
        let number = |id: &Node<'_>| id.number().or_else(|| id.text()?.parse().ok());
        let id = match message.id_node() {
            Some(id) => number(id),
            // An error without an id is about the request that it answers.
            None => request.or_else(|| self.pending.only()),
        };
        if let Some(id) = id {
            self.pending.answer(id, Ok(message.parsed()));
        }
    }

    fn notification(&self, wire: &ServerChannel, message: &Message<'_>, request: Option<u64>) {
        let text = message.text().to_owned();
        if let Some(id) = message.meta(SUBSCRIPTION_KEY) {
            return self.subscribed(wire, message, id.number());
        }
        match message.method() {
            "notifications/progress" => {
                let token = message.param("progressToken").and_then(|token| token.number());
                let Some(id) = token else { return };
                if let Some(own) = self.pending.token(id) {
                    self.pending.tell(id, under_token(message, &own));
                } else if let Some(task) = self.pending.task(id) {
                    let text = under_token(message, &task.token);
                    // On the stream of the request that waits for the task's result, else on the session's own.
                    let is_told = request.is_some_and(|id| self.pending.tell(id, text.clone()));
                    if !is_told {
                        (task.listener)(text);
                    }
                }
            }
            // It belongs to a task, not to whichever request happens to wait.
            STATUS => {
                if !request.is_some_and(|id| self.pending.tell(id, text.clone())) {
                    (self.sink)(wire, text);
                }
            }
            // It takes back a question, and goes where that went.
            CANCELLED => {
                let asker = request.or_else(|| self.pending.newest_of_clients());
                if !asker.is_some_and(|id| self.pending.tell(id, text.clone())) {
                    (self.sink)(wire, text);
                }
            }
            method if is_about_all(method) => (self.sink)(wire, text),
            _ => match request.or_else(|| self.pending.only_of_clients()) {
                Some(id) => {
                    self.pending.tell(id, text);
                }
                None => (self.sink)(wire, text),
            },
        }
    }

    /// What is said on a stream that was asked for, by a client or by ourselves.
    fn subscribed(&self, wire: &ServerChannel, message: &Message<'_>, id: Option<u64>) {
        match id.filter(|id| self.pending.is_waiting(*id)) {
            Some(id) => {
                self.pending.tell(id, message.text().to_owned());
            }
            None if is_about_all(message.method()) => {
                (self.sink)(wire, rpc::notification(message.method(), None));
            }
            None => {}
        }
    }

    fn request(&self, wire: &ServerChannel, message: &Message<'_>, request: Option<u64>) {
        let id = message.id().unwrap_or("null");
        if message.method() == "ping" {
            wire.reply(rpc::result(id, "{}"));
            return;
        }
        let Some(asker) = request.or_else(|| self.pending.newest_of_clients()) else {
            (self.sink)(wire, message.text().to_owned());
            return;
        };
        if !self.pending.tell(asker, message.text().to_owned()) {
            wire.reply(rpc::error(Some(id), ErrorCode::Internal, "the client does not listen"));
        }
    }

    /// The request has no answer, and will have none.
    pub(crate) fn fail(&self, id: u64, failure: Failure) {
        self.pending.answer(id, Err(failure));
    }
}

/// Whether this is about a server's lists, no matter which request is open.
fn is_about_all(method: &str) -> bool {
    matches!(
        method,
        "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
    )
}
