//! Tasks at the endpoint: whose a task is, what its result is the result of, and who hears of it.

use super::Body;
use super::finish::AnswerKind;
use super::request_context::RequestContext;
use super::tools::SchemaHolder;
use crate::backend::Backend;
use crate::era::Era;
use crate::failure::Failure;
use crate::list;
use crate::message::{Message, ParsedMessage, may_be};
use crate::names::{prefixed, split};
use crate::outgoing::under_subscription;
use crate::redaction::redacted;
use crate::server_link::{CallEvent, CallInProgress, TaskBeginning};
use crate::session::{BodySender, ServerScope};
use crate::sse;
use crate::tasks::{KeptCall, ResultPlace, TaskKey, announced, inner_result, subject};
use crate::work::ToolCall;
use http::Response;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokenforge_json::{Edit, Node, quote};

/// How long a server may take to agree to tell of tasks.
const AGREEMENT: Duration = Duration::from_secs(10);

/// How many tasks a client may hear of on one stream.
const TASKS: usize = 256;

/// What a server says first on a stream that was asked for.
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The tasks that a client wants to hear of, or that a server agrees to tell of.
pub(super) fn wanted_tasks(message: &Message<'_>) -> Vec<String> {
    let wanted = message.param("notifications").and_then(|wanted| wanted.get("taskIds"));
    let ids = wanted.map(|ids| ids.elements()).unwrap_or_default();
    ids.iter().filter_map(|id| Some(id.text()?.into_owned())).take(TASKS).collect()
}

/// A client's request to hear of tasks, as one server is asked.
fn listen_request(message: &Message<'_>, ids: &[String]) -> Option<String> {
    let (id, meta) = (message.id()?, message.param("_meta")?);
    let ids: Vec<String> = ids.iter().map(|id| quote(id)).collect();
    Some(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"_meta":{},"notifications":{{"taskIds":[{}]}}}}}}"#,
        meta.raw(),
        ids.join(",")
    ))
}

/// A server that tells of tasks.
pub(super) struct TaskSubscription {
    backend: Arc<Backend>,
    call: CallInProgress,
    /// The ids, as the client knows them.
    pub(super) tasks: Vec<String>,
}

impl RequestContext {
    /// A request about one task, to the server whose it is.
    pub(super) async fn task(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        // Servers may read another one of two ids than we do.
        if message.says_twice("taskId") {
            return self.unknown_name(id, "task");
        }
        let named = message.text_param("taskId").unwrap_or_default();
        let (prefix, own): (Arc<str>, &str) = match &self.scope {
            ServerScope::One(prefix) => (prefix.clone(), &*named),
            ServerScope::All => match split(&named) {
                Some((prefix, own)) => (prefix.into(), own),
                None => return self.unknown_name(id, "task"),
            },
        };
        let call = self.call_of_task(&prefix, own).await;
        if !self.may_see_task(&prefix, call.as_deref()) {
            return self.unknown_name(id, "task");
        }
        let place = ResultPlace::in_answer_to(message.method());
        let rename: Option<(&[&str], &str)> = match &self.scope {
            ServerScope::One(_) => None,
            ServerScope::All => Some((&["taskId"], own)),
        };
        self.to(&prefix, message, rename, Some(AnswerKind::Task(call, place))).await
    }

    /// Are there tasks that this client may not see? With gateway keys those of other tenants, and with a list of tools those
    /// of other tools.
    pub(super) fn has_hidden_tasks(&self) -> bool {
        self.settings.has_tenants || self.access().is_limited()
    }

    /// May the client see a task? `call`: the call that created it, if its tenant made it and it is known. With hidden
    /// tasks, an unknown call may be of another tenant, so the task does not exist for this one.
    fn may_see_task(&self, prefix: &str, call: Option<&ToolCall>) -> bool {
        !self.has_hidden_tasks()
            || call.is_some_and(|call| self.access().allows(prefix, &call.tool))
    }

    /// A server's list of tasks as the client may see it.
    pub(super) async fn own_tasks(
        &self,
        prefix: &Arc<str>,
        answer: ParsedMessage,
    ) -> Result<ParsedMessage, Failure> {
        if !self.has_hidden_tasks() {
            return Ok(answer);
        }
        let mut seen = HashSet::new();
        for id in list::task_ids(&answer.view()) {
            let call = self.call_of_task(prefix, &id).await;
            if self.may_see_task(prefix, call.as_deref()) {
                seen.insert(id);
            }
        }
        let mut edits = Edit::new(answer.text());
        list::hide_tasks(&answer.view(), |id| seen.contains(id), &mut edits);
        if edits.is_empty() {
            return Ok(answer);
        }
        ParsedMessage::read(edits.done()).map_err(|_| Failure::Garbage)
    }

    /// What happens if a call is answered with a task: its result is known as that of the call, and its client hears of its
    /// progress.
    pub(super) fn task_beginning(&self, prefix: &Arc<str>, call: &Arc<ToolCall>) -> TaskBeginning {
        let (hub, settings, call) = (self.hub.clone(), self.settings.clone(), call.clone());
        let (tenant, prefix) = (self.tenant.clone(), prefix.clone());
        let session = self.session.as_ref().map(Arc::downgrade);
        Arc::new(move |id| {
            let key = TaskKey { tenant: tenant.clone(), prefix: prefix.clone(), id };
            let own = session.as_ref().and_then(Weak::upgrade);
            let (kept, kept_key, originals) = (call.clone(), key.clone(), hub.originals.clone());
            let keeping = tokio::task::spawn_blocking(move || {
                KeptCall::keep(&kept_key, &kept.tool, &kept.arguments, &*originals);
            });
            hub.tasks.remember(key, call.clone(), own.as_ref(), Some(keeping));
            // The token of a call holds as long as its task.
            let (session, settings) = (session.clone(), settings.clone());
            Arc::new(move |text| {
                let session = session.as_ref().and_then(Weak::upgrade);
                if let (Some(session), Ok(text)) = (session, redacted(text, &settings)) {
                    session.receive(None, text);
                }
            })
        })
    }

    /// Waits until the store has the call that began a task, so that a restart, or another replica that the client asks next,
    /// finds whose task it is.
    pub(super) async fn task_kept(&self, prefix: &Arc<str>, id: &str) {
        self.hub.tasks.kept(&self.task_key(prefix, id)).await;
    }

    /// Something that a server says, with the result of a task in it as that of a call, and with the ids of tasks as the client
    /// knows them; `None`: it is about a task that the client may not see.
    pub(super) async fn about_tasks(
        self: &Arc<Self>,
        backend: &Backend,
        text: String,
    ) -> Option<String> {
        let said = ParsedMessage::read(&*text).ok();
        let view = said.as_ref().map(ParsedMessage::view);
        let subject = view.as_ref().and_then(subject).filter(|_| self.has_hidden_tasks());
        if let Some(id) = subject {
            let call = self.call_of_task(&backend.prefix, &id).await;
            if !self.may_see_task(&backend.prefix, call.as_deref()) {
                return None;
            }
        }
        let id = view.filter(|said| inner_result(said).is_some()).as_ref().and_then(announced);
        let text = match (id, said) {
            (Some(id), Some(said)) => {
                let call = self.call_of_task(&backend.prefix, &id).await;
                let place = ResultPlace::Inside;
                let draft = self.task_answer(backend, call.as_ref(), place, said).await;
                draft.ok()?.done()
            }
            _ => text,
        };
        Some(self.scope.with_task_ids(text, &backend.prefix))
    }

    /// A request to listen to one server, which names only tasks that the client may see; `None`: servers may read in it
    /// other names than we do.
    pub(super) async fn with_seen_tasks<'m>(
        &self,
        message: &Message<'m>,
        prefix: &Arc<str>,
    ) -> Option<Cow<'m, str>> {
        if !self.has_hidden_tasks() {
            return Some(message.text().into());
        }
        let wanted = message.param("notifications");
        let is_clear = |node: &Node<'_>, name: &str| {
            let mut named = node.members().into_iter().filter(|(own, _)| may_be(own, name));
            named.next().is_none_or(|(own, _)| own == name) && named.next().is_none()
        };
        let are_clear = message.params().is_none_or(|params| is_clear(params, "notifications"))
            && wanted.as_ref().is_none_or(|wanted| is_clear(wanted, "taskIds"));
        if !are_clear {
            return None;
        }
        let mut seen = Vec::new();
        for id in wanted_tasks(message) {
            let call = self.call_of_task(prefix, &id).await;
            if self.may_see_task(prefix, call.as_deref()) {
                seen.push(quote(&id));
            }
        }
        let mut edits = Edit::new(message.text());
        if let Some(wanted) = &wanted {
            match wanted.get("taskIds") {
                Some(ids) if !seen.is_empty() => {
                    edits.replace(&ids, format!("[{}]", seen.join(",")));
                }
                _ => edits.cut(wanted, "taskIds"),
            }
        }
        Some(edits.done())
    }

    /// Asks the servers of these tasks to tell of them; who agrees is heard until the client leaves.
    pub(super) async fn subscribe_to_tasks(
        self: &Arc<Self>,
        message: &Message<'_>,
    ) -> Vec<TaskSubscription> {
        let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in wanted_tasks(message) {
            let Some((prefix, own)) = split(&id) else { continue };
            let call = self.call_of_task(&prefix.into(), own).await;
            if self.may_see_task(prefix, call.as_deref()) {
                wanted.entry(prefix.to_owned()).or_default().push(own.to_owned());
            }
        }
        let asking = wanted.into_iter().filter_map(|(prefix, ids)| {
            let backend = self.hub.backend(&prefix)?;
            let (visit, text) = (self.clone(), listen_request(message, &ids)?);
            Some(tokio::spawn(async move { visit.agreement(backend, &text).await }))
        });
        let asking: Vec<_> = asking.collect();
        let mut agreed = Vec::new();
        for asked in asking {
            agreed.extend(asked.await.ok().flatten());
        }
        agreed
    }

    /// A server's agreement to tell of tasks; `None`: it tells of none.
    async fn agreement(&self, backend: Arc<Backend>, text: &str) -> Option<TaskSubscription> {
        let message = Message::read(text).ok()?;
        let asked = tokio::time::timeout(AGREEMENT, async {
            self.link(&backend).await.ok().filter(|link| link.era == Era::Modern)?;
            let mut call = self.ask(&backend, &message, None, None).await.ok()?;
            let CallEvent::Message(first) = call.next().await else { return None };
            Some((call, first))
        });
        let (mut call, first) = asked.await.ok()??;
        let first = Message::read(&first).ok().filter(|first| first.method() == ACKNOWLEDGED)?;
        let tasks = wanted_tasks(&first);
        let tasks = tasks.iter().map(|id| prefixed(&backend.prefix, id)).collect();
        call.wait_forever();
        Some(TaskSubscription { backend, call, tasks })
    }

    /// Tells a client what a server says of tasks, until either leaves.
    pub(super) async fn tell_of_tasks(
        self: Arc<Self>,
        subscription: TaskSubscription,
        listen_id: String,
        client: BodySender,
    ) {
        let TaskSubscription { backend, mut call, .. } = subscription;
        loop {
            let event = tokio::select! {
                event = call.next() => event,
                () = client.closed() => return,
            };
            let text = match event {
                CallEvent::Message(text) => text,
                CallEvent::Pause(_) => continue,
                CallEvent::Answer(_) => return,
            };
            let Ok(text) = redacted(text, &self.settings) else { continue };
            let Some(text) = self.about_tasks(&backend, text).await else { continue };
            let Some(told) = Message::read(&text).ok().filter(|told| announced(told).is_some())
            else {
                continue;
            };
            let frame = sse::frame(&under_subscription(&told, &listen_id));
            if client.send(Ok(frame.into())).await.is_err() {
                return;
            }
        }
    }

    /// The call of this tenant that created a task. After a restart, or on another replica, it is as it would be if this client
    /// made it now; its result passes as it is where its arguments were too long to keep.
    async fn call_of_task(&self, prefix: &Arc<str>, id: &str) -> Option<Arc<ToolCall>> {
        let key = self.task_key(prefix, id);
        if let Some(call) = self.hub.tasks.call(&key) {
            return Some(call);
        }
        let backend = self.hub.backend(prefix)?;
        let (hub, kept) = (self.hub.clone(), key.clone());
        let finding = tokio::task::spawn_blocking(move || KeptCall::find(&kept, &*hub.originals));
        let KeptCall { tool, arguments } = finding.await.ok().flatten()?;
        let (wanted, is_whole) = (self.format(None), arguments.is_some());
        let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
        let mut call = self.tool_call(&backend, &tool, arguments, wanted, SchemaHolder::Client);
        call.rule = call.rule.filter(|_| is_whole);
        let call = Arc::new(call);
        self.hub.tasks.remember(key, call.clone(), None, None);
        Some(call)
    }

    fn task_key(&self, prefix: &Arc<str>, id: &str) -> TaskKey {
        TaskKey { tenant: self.tenant.clone(), prefix: prefix.clone(), id: id.to_owned() }
    }
}
