//! Which server a request is for.

use super::Body;
use super::finish::AnswerKind;
use super::relay::Relay;
use super::request_context::RequestContext;
use super::responses::json;
use crate::failure::Failure;
use crate::message::Message;
use crate::names::split;
use crate::outgoing::under_id;
use crate::rpc;
use crate::server_link::CallEvent;
use crate::session::ServerScope;
use http::{Response, StatusCode};
use std::sync::Arc;

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
        let mut is_again = false;
        loop {
            let mut call = match visit.ask(&backend, message, rename).await {
                Ok(call) => call,
                Err(failure) => {
                    return Relay::failed(visit, backend, id, finish, failure).await;
                }
            };
            // A result that comes when its task is done takes as long as the task.
            if matches!(message.method(), "subscriptions/listen" | "tasks/result") {
                call.wait_forever();
            }
            let mut relay =
                Relay::new(visit.clone(), backend.clone(), id.clone(), finish.clone(), call);
            match relay.first().await {
                // It forgot us, perhaps over a restart: greeted anew, it may do it.
                Some(CallEvent::Answer(Err(Failure::SessionGone))) if !is_again => is_again = true,
                first => return relay.respond(first).await,
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
        match about.is_some_and(|kind| kind.is("ref/prompt")) {
            true => self.by_name(&["ref", "name"], message).await,
            false => self.by_address(message).await,
        }
    }

    /// By the address of a resource. Servers are asked in turn, first the one that had it before.
    pub(super) async fn by_address(self, message: &Message<'_>) -> Response<Body> {
        if let ServerScope::One(prefix) = &self.scope {
            let prefix = prefix.clone();
            let finish = (message.method() == "resources/read").then_some(AnswerKind::Resource);
            return self.to(&prefix, message, None, finish).await;
        }
        let id = message.id().unwrap_or("null");
        let about = message.param("ref").and_then(|about| about.get("uri")?.text());
        let Some(address) = message.text_param("uri").or(about) else {
            return self.unknown_name(id, "resource");
        };
        let mut backends = self.backends();
        if let Some(holder) = self.hub.holder(&address) {
            backends.sort_by_key(|backend| backend.prefix != holder);
        }
        let mut last = None;
        for backend in backends {
            let Ok(link) = self.link(&backend).await else { continue };
            if !link.server.can("resources") {
                continue;
            }
            let params = message.params().map_or("{}", |params| params.raw());
            let Ok(answer) = link.ask_ourselves(message.method(), params).await else { continue };
            let answer = self.checked(answer).await;
            let Ok(said) = Message::read(&answer) else { continue };
            let text = super::finish::complete(under_id(&said, id), message.method(), self.era);
            if said.result().is_some() {
                self.hub.remember_holder(&address, &backend.prefix);
                return json(StatusCode::OK, text);
            }
            last = Some(text);
        }
        match last {
            Some(text) => json(StatusCode::OK, text),
            None => self.unknown_name(id, "resource"),
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
