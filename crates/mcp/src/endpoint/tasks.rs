//! Tasks at the endpoint: whose a task is, what its result is the result of, and who hears of it.

use super::Body;
use super::finish::AnswerKind;
use super::request_context::RequestContext;
use crate::message::Message;
use crate::names::split;
use crate::redaction::redacted;
use crate::server_link::CallInProgress;
use crate::session::ServerScope;
use crate::tasks::{ResultPlace, TaskKey, begun};
use crate::work::ToolCall;
use http::Response;
use std::sync::Arc;

impl RequestContext {
    /// A request about one task, to the server whose it is.
    pub(super) async fn task(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let named = message.text_param("taskId").unwrap_or_default();
        let (prefix, own): (Arc<str>, &str) = match &self.scope {
            ServerScope::One(prefix) => (prefix.clone(), &*named),
            ServerScope::All => match split(&named) {
                Some((prefix, own)) => (prefix.into(), own),
                None => return self.unknown_name(id, "task"),
            },
        };
        let call = self.call_of_task(&prefix, own);
        let place = ResultPlace::in_answer_to(message.method());
        let rename: Option<(&[&str], &str)> = match &self.scope {
            ServerScope::One(_) => None,
            ServerScope::All => Some((&["taskId"], own)),
        };
        self.to(&prefix, message, rename, Some(AnswerKind::Task(call, place))).await
    }

    /// A call was answered: if that begins a task, its result is known as that of the call, and its client hears of its
    /// progress.
    pub(super) fn remember_task(
        &self,
        prefix: &Arc<str>,
        call: &Arc<ToolCall>,
        under_way: &CallInProgress,
        answer: &str,
    ) {
        let Some(id) = Message::read(answer).ok().and_then(|answer| begun(&answer)) else { return };
        self.hub.tasks.remember(self.task_key(prefix, &id), call.clone(), self.session.as_ref());
        // The token of a call holds as long as its task.
        if let Some(session) = self.session.as_ref().map(Arc::downgrade) {
            let settings = self.settings.clone();
            under_way.keep_telling(Arc::new(move |text| {
                if let (Some(session), Ok(text)) = (session.upgrade(), redacted(text, &settings)) {
                    session.receive(None, text);
                }
            }));
        }
    }

    /// The call that a message about a task belongs to.
    pub(super) fn call_of_task(&self, prefix: &Arc<str>, id: &str) -> Option<Arc<ToolCall>> {
        self.hub.tasks.call(&self.task_key(prefix, id))
    }

    fn task_key(&self, prefix: &Arc<str>, id: &str) -> TaskKey {
        TaskKey { tenant: self.tenant.clone(), prefix: prefix.clone(), id: id.to_owned() }
    }
}
