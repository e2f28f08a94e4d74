//! Which server a request is for.

use super::Body;
use super::finish::{AnswerKind, IsWanted};
use super::relay::{Relay, whole};
use super::request_context::RequestContext;
use super::responses::json;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::message::Message;
use crate::names::split;
use crate::rpc;
use crate::server_link::CallEvent;
use crate::session::{ServerScope, Session};
use http::{Response, StatusCode};
use std::sync::Arc;

/// For how long the first word of a server is waited for.
#[derive(Clone, Copy)]
enum Wait {
    /// So long that the client still sees that the gateway is alive.
    AtFirst,
    /// Until it is about the request: another server may have to be asked.
    ForWord,
}

/// Is this answered when something else is over, and not when work is done?
pub(super) fn waits(method: &str) -> bool {
    matches!(method, "subscriptions/listen" | "tasks/result")
}

/// What ends a subscription.
const UNSUBSCRIBE: &str = "resources/unsubscribe";

/// The address of the resource that a request is about.
fn address(message: &Message<'_>) -> Option<String> {
    let about = || message.param("ref").and_then(|about| about.get("uri")?.text());
    message.text_param("uri").or_else(about).map(Into::into)
}

impl RequestContext {
    /// Sends a request to a server and relays what it says.
    pub(super) async fn to(
        self,
        prefix: &str,
        message: &Message<'_>,
        rename: Option<(&[&str], &str)>,
        finish: Option<AnswerKind>,
    ) -> Response<Body> {
        let id = message.id().unwrap_or("null").to_owned();
        let Some(backend) = self.hub.backend(prefix) else {
            return self.unknown_name(&id, "tool server");
        };
        let visit = Arc::new(self);
        let finish = finish.unwrap_or(AnswerKind::Plain);
        match visit.relay(&backend, message, rename, finish.clone(), Wait::AtFirst).await {
            Ok((relay, first)) => relay.respond(first).await,
            Err(failure) => Relay::failed(visit, backend, id, finish, failure).await,
        }
    }

    /// Sends a request to a server: the call under way, and what happened first.
    async fn relay(
        self: &Arc<Self>,
        backend: &Arc<Backend>,
        message: &Message<'_>,
        rename: Option<(&[&str], &str)>,
        finish: AnswerKind,
        wait: Wait,
    ) -> Result<(Relay, Option<CallEvent>), Failure> {
        let id = message.id().unwrap_or("null");
        let mut is_again = false;
        loop {
            let begins = match &finish {
                AnswerKind::Tool(call, _) => Some(self.task_beginning(&backend.prefix, call)),
                _ => None,
            };
            let mut call = self.ask(backend, message, rename, begins).await?;
            if waits(message.method()) {
                call.wait_forever();
            }
            let (visit, backend) = (self.clone(), backend.clone());
            let mut relay = Relay::new(visit, backend, id.to_owned(), finish.clone(), call);
            let first = match wait {
                Wait::AtFirst => relay.first().await,
                Wait::ForWord => Some(relay.first_about_it().await),
            };
            match first {
                // It forgot us, perhaps over a restart: greeted anew, it may do it.
                Some(CallEvent::Answer(Err(Failure::SessionGone))) if !is_again => is_again = true,
                first => return Ok((relay, first)),
            }
        }
    }

    /// By a name in the parameters, which has the prefix of its server where all servers are seen.
    pub(super) async fn by_name(self, path: &[&str], message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let node = message.params().cloned();
        let node = node.and_then(|params| path.iter().try_fold(params, |node, key| node.get(key)));
        let name = node.and_then(|node| node.text());
        match (&self.scope, name) {
            (ServerScope::One(prefix), _) => {
                let prefix = prefix.clone();
                self.to(&prefix, message, None, None).await
            }
            (ServerScope::All, Some(name)) => match split(&name) {
                Some((prefix, own)) => self.to(prefix, message, Some((path, own)), None).await,
                None => self.unknown_name(id, "prompt"),
            },
            (ServerScope::All, None) => self.unknown_name(id, "prompt"),
        }
    }

    /// Completion is about a prompt or a resource.
    pub(super) async fn complete(self, message: &Message<'_>) -> Response<Body> {
        let about = message.param("ref").and_then(|about| about.get("type"));
        if about.is_some_and(|kind| kind.is("ref/prompt")) {
            self.by_name(&["ref", "name"], message).await
        } else {
            self.by_address(message).await
        }
    }

    /// By the address of a resource. Servers are asked in turn, first the one that had it before.
    pub(super) async fn by_address(self, message: &Message<'_>) -> Response<Body> {
        if let ServerScope::One(prefix) = &self.scope {
            let still_wanted =
                address(message).and_then(|own| self.others_still_want(message, &own));
            if let Some(answer) = still_wanted {
                return answer;
            }
            let prefix = prefix.clone();
            let finish = self.about_address(message);
            return self.to(&prefix, message, None, Some(finish)).await;
        }
        let id = message.id().unwrap_or("null");
        let Some(address) = address(message) else { return self.unknown_name(id, "resource") };
        if let Some(answer) = self.others_still_want(message, &address) {
            return answer;
        }
        let mut backends = self.backends();
        // A subscription ends where it began, no matter which server had the resource since.
        let session = self.session.as_ref().filter(|_| message.method() == UNSUBSCRIBE);
        let holder = session.and_then(|session| session.subscriptions.server(&address));
        let holder = holder.or_else(|| self.hub.holder(&address));
        backends.sort_by_key(|backend| holder.as_ref() != Some(&backend.prefix));
        let last_one = backends.last().map(|backend| backend.prefix.clone());
        let path: &[&str] = match message.method() {
            "resources/subscribe" | UNSUBSCRIBE => &["resources", "subscribe"],
            _ => &["resources"],
        };
        let visit = Arc::new(self);
        let (mut last, mut failed) = (None, None);
        for backend in backends {
            let Ok(link) = visit.link(&backend).await else { continue };
            if !link.server.can_all(path) {
                continue;
            }
            let kind = visit.about_address(message);
            let is_it = [&holder, &last_one].contains(&&Some(backend.prefix.clone()));
            let wait = if is_it { Wait::AtFirst } else { Wait::ForWord };
            let asked = visit.relay(&backend, message, None, kind, wait).await;
            let (mut relay, answer) = match asked {
                Ok((relay, Some(CallEvent::Answer(answer)))) => (relay, answer),
                // It says something else first: it is at work.
                Ok((relay, first)) => {
                    visit.hub.remember_holder(&address, &backend.prefix);
                    return relay.respond(first).await;
                }
                Err(failure) => {
                    failed.get_or_insert_with(|| failure.answer(id, &backend.prefix));
                    continue;
                }
            };
            let is_answer = answer.is_ok();
            let is_result = answer.as_ref().is_ok_and(|answer| answer.view().result().is_some());
            let finished = relay.finished(answer).await;
            if is_result {
                visit.hub.remember_holder(&address, &backend.prefix);
                return whole(finished);
            }
            if is_answer {
                last = Some(finished);
            } else {
                failed.get_or_insert(finished.text);
            }
        }
        match (last, failed) {
            (Some(finished), _) => whole(finished),
            // The one that failed may have it.
            (None, Some(failed)) => json(StatusCode::OK, failed),
            (None, None) => visit.unknown_name(id, "resource"),
        }
    }

    /// What is to be done to the answer to a request about the address of a resource.
    fn about_address(&self, message: &Message<'_>) -> AnswerKind {
        let subscription = |is_wanted| match address(message) {
            Some(address) => AnswerKind::Subscription(address, is_wanted),
            None => AnswerKind::Plain,
        };
        match message.method() {
            "resources/read" => AnswerKind::Resource,
            "resources/subscribe" => subscription(IsWanted::Yes),
            UNSUBSCRIBE => subscription(IsWanted::No),
            _ => AnswerKind::Plain,
        }
    }

    /// The answer to a client that no longer wants to hear of a resource of which others that share its conversation with
    /// the server do; `None`: the server shall answer.
    fn others_still_want(&self, message: &Message<'_>, address: &str) -> Option<Response<Body>> {
        let session = self.session.as_ref().filter(|_| message.method() == UNSUBSCRIBE)?;
        let prefix = match &self.scope {
            ServerScope::One(prefix) => prefix.clone(),
            ServerScope::All => session.subscriptions.server(address)?,
        };
        let is_other = |other: &Arc<Session>| {
            !Arc::ptr_eq(other, session) && other.subscriptions.has(&prefix, address)
        };
        let sharing = self.hub.sharing(&prefix, &self.tenant);
        if session.client.can_be_asked() || !sharing.iter().any(is_other) {
            return None;
        }
        session.subscriptions.remove(&prefix, address);
        Some(json(StatusCode::OK, rpc::result(message.id()?, "{}")))
    }

    /// A server answered that a client hears of a resource from now on, or does so no longer.
    pub(super) fn subscribed(
        &self,
        prefix: &Arc<str>,
        address: &str,
        is_wanted: IsWanted,
        answer: &Message<'_>,
    ) {
        let is_done = answer.result().is_some();
        let Some(session) = self.session.as_ref().filter(|_| is_done) else { return };
        match is_wanted {
            IsWanted::Yes => session.subscriptions.add(prefix, address),
            IsWanted::No => session.subscriptions.remove(prefix, address),
        }
    }

    /// To every server that can do something; the answer waits for none of them.
    pub(super) async fn everywhere(
        self,
        capability: &'static str,
        message: &Message<'_>,
    ) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        for backend in self.backends() {
            let visit = self.clone();
            let method = message.method().to_owned();
            let params =
                message.params().map_or_else(|| "{}".to_owned(), |params| params.raw().to_owned());
            tokio::spawn(async move {
                if let Ok(link) = visit.link(&backend).await
                    && link.server.can(capability)
                {
                    let _ = link.ask_ourselves(&method, &params).await;
                }
            });
        }
        json(StatusCode::OK, rpc::result(id, "{}"))
    }
}
