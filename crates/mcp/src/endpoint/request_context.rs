//! Request context: one message of one client, and all that is known while it is served.

use super::responses::{empty, json, problem};
use super::route::waits;
use super::{Body, EndpointRequest};
use crate::backend::Backend;
use crate::era::Era;
use crate::expand;
use crate::failure::Failure;
use crate::hook::Hooks;
use crate::hub::{Hub, HubSettings};
use crate::list::ListKind;
use crate::message::Message;
use crate::policy::{self, ToolAccess};
use crate::result::FORMAT_KEY;
use crate::rpc::{self, CANCELLED, ErrorCode, NOTIFICATIONS};
use crate::server_link::{CallInProgress, ModernHeaders, TaskBeginning, named, parameters};
use crate::session::{ClientIdentity, RunningRequest, ServerScope, Session};
use crate::tasks;
use http::header::{ACCEPT, HeaderMap};
use http::{Response, StatusCode};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Structured;
use tokenforge_formats::negotiate::{
    ClientPreferences, Format, FormatCarrier, STC_VERSION, StcVersion,
};

/// How long a server may take to take in an answer to its question.
const DELIVERY: Duration = Duration::from_secs(10);

/// What is known while a message is served.
#[derive(Clone)]
pub(super) struct RequestContext {
    pub(super) hub: Arc<Hub>,
    pub(super) settings: Arc<HubSettings>,
    pub(super) scope: ServerScope,
    pub(super) tenant: Arc<str>,
    pub(super) era: Era,
    pub(super) client: ClientIdentity,
    pub(super) session: Option<Arc<Session>>,
    /// For when the client takes its request back, which a client without a session does by going away.
    pub(super) running: Option<Arc<RunningRequest>>,
    pub(super) headers: HeaderMap,
    pub(super) hooks: Option<Arc<dyn Hooks>>,
}

impl RequestContext {
    pub(super) fn new(
        hub: &Arc<Hub>,
        ask: &EndpointRequest,
        scope: ServerScope,
        era: Era,
        client: ClientIdentity,
        session: Option<Arc<Session>>,
    ) -> Self {
        RequestContext {
            hub: hub.clone(),
            settings: hub.settings(),
            scope,
            tenant: ask.tenant.clone(),
            era,
            client,
            session,
            running: None,
            headers: ask.headers.clone(),
            hooks: ask.hooks.clone(),
        }
    }

    /// Answers a request, unless the client takes it back.
    pub(super) async fn request(mut self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let running = self.session.as_ref().map(|session| session.running.begin(id));
        self.running = running.map(Arc::new);
        let Some(running) = self.running.clone() else { return self.answered(message).await };
        tokio::select! {
            biased;
            // Its server may still be starting, or have too much to do; or tools are listed first.
            () = running.taken_back() => json(StatusCode::OK, Failure::Cancelled.answer(id, "")),
            answer = self.answered(message) => answer,
        }
    }

    /// Comes when the client takes its request back, else never.
    pub(super) async fn taken_back(&self) {
        match &self.running {
            Some(running) => running.taken_back().await,
            None => std::future::pending().await,
        }
    }

    async fn answered(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let is_gone = matches!(message.method(), "tasks/list" | "tasks/result");
        if is_gone && self.era == Era::Modern && self.scope == ServerScope::All {
            return self.unknown_method(id);
        }
        if let Some(listed) = ListKind::by(message.method()) {
            return self.list(listed, message).await;
        }
        match (message.method(), self.era, &self.scope) {
            ("ping", Era::Legacy, _) => json(StatusCode::OK, rpc::result(id, "{}")),
            ("server/discover", Era::Modern, _) => self.discover(id).await,
            ("subscriptions/listen", Era::Modern, _) => self.listen(message).await,
            ("tools/call", ..) => self.call(message).await,
            ("prompts/get", ..) => self.by_name(&["name"], message).await,
            ("completion/complete", ..) => self.complete(message).await,
            ("resources/read" | "resources/subscribe" | "resources/unsubscribe", ..) => {
                self.by_address(message).await
            }
            (method, ..) if tasks::is_about_task(method) => self.task(message).await,
            (method, _, ServerScope::One(_))
                if self.has_hidden_tasks() && tasks::may_be_about_task(method) =>
            {
                self.task(message).await
            }
            ("logging/setLevel", Era::Legacy, ServerScope::All) => {
                self.everywhere("logging", message).await
            }
            // Whatever it is, the one server may know it.
            (_, _, ServerScope::One(prefix)) => {
                let prefix = prefix.clone();
                self.to(&prefix, message, None, None).await
            }
            _ => self.unknown_method(id),
        }
    }

    /// Takes in what wants no answer.
    pub(super) async fn notification(self, message: &Message<'_>) -> Response<Body> {
        let Some(session) = &self.session else { return empty(StatusCode::ACCEPTED) };
        match message.method() {
            CANCELLED => session.running.cancel(message),
            // The servers were greeted by ourselves.
            "notifications/initialized" => {}
            // It is about a question of one server.
            "notifications/progress" => {
                if let Some((wire, text)) = session.questions.progress(message) {
                    wire.reply(text);
                }
            }
            tasks::STATUS => {
                if let Some(wire) = session.questions.task(message) {
                    wire.reply(message.text().to_owned());
                }
            }
            // A server may do what it is asked without an id, too.
            method if self.has_hidden_tasks() && !method.starts_with(NOTIFICATIONS) => {}
            _ if session.client.can_be_asked() => {
                for backend in self.backends() {
                    // No server is greeted only to be told something.
                    if let Some(link) = backend.known_link(session) {
                        link.wire().reply(message.text().to_owned());
                    }
                }
            }
            _ => {}
        }
        empty(StatusCode::ACCEPTED)
    }

    /// Takes in the answer to a server's question.
    pub(super) async fn reply(self, message: &Message<'_>) -> Response<Body> {
        if let Some((wire, text)) =
            self.session.as_ref().and_then(|session| session.answered(message))
        {
            let _ = tokio::time::timeout(DELIVERY, wire.tell(text)).await;
        }
        empty(StatusCode::ACCEPTED)
    }

    /// The servers that this client sees.
    pub(super) fn backends(&self) -> Vec<Arc<Backend>> {
        let mut backends = self.hub.used();
        if let ServerScope::One(prefix) = &self.scope {
            backends.retain(|backend| backend.prefix == *prefix);
        }
        backends
    }

    /// The tools that this client sees and may call.
    pub(super) fn access(&self) -> ToolAccess<'_> {
        policy::tool_access(&self.settings.mcp, &self.tenant, &self.client.name)
    }

    pub(super) async fn link(
        &self,
        backend: &Arc<Backend>,
    ) -> Result<Arc<crate::server_link::ServerLink>, Failure> {
        self.hub.link(backend, &self.tenant, self.era, self.session.as_ref()).await
    }

    /// Sends a request to a server.
    pub(super) async fn ask(
        &self,
        backend: &Arc<Backend>,
        message: &Message<'_>,
        rename: Option<(&[&str], &str)>,
        begins: Option<TaskBeginning>,
    ) -> Result<CallInProgress, Failure> {
        // Who waits does no work, and must not keep others from theirs: not those who would end the wait either.
        let permit = if waits(message.method()) { None } else { Some(backend.permit().await?) };
        let link = self.link(backend).await?;
        let name = match rename {
            Some((_, name)) => Some(name.to_owned()),
            None => named(message),
        };
        let head = ModernHeaders {
            era: self.era,
            method: message.method().to_owned(),
            name: name.filter(|_| message.method() != "completion/complete"),
            parameters: parameters(&self.headers),
        };
        let is_modern = self.era == Era::Modern;
        let mut call = link
            .ask(
                crate::server_link::LinkRequest { message, rename, head, is_modern, begins },
                permit,
            )
            .await?;
        // In the legacy era a client that goes away may still want it done.
        call.is_cancelled_when_dropped = is_modern;
        Ok(call)
    }

    /// The form of texts that this request wants.
    pub(super) fn wanted(&self, message: &Message<'_>) -> Format {
        let word = message.meta(FORMAT_KEY).and_then(|word| word.text());
        self.format(word.as_deref())
    }

    /// The form of texts that a request with this word wants.
    pub(super) fn format(&self, word: Option<&str>) -> Format {
        let usual = policy::usual_format(&self.settings.mcp, &self.client.name);
        let reader = ClientPreferences { headers: &self.headers, meta: word, usual };
        reader.wants(FormatCarrier::Text).format()
    }

    /// Is our own tool listed? Not for a client that gets results whole: it would pay for a tool that does nothing.
    pub(super) fn lists_expand_tool(&self) -> bool {
        let leaves_out = policy::leaves_out(&self.settings.mcp, self.format(None));
        leaves_out && self.is_ours(expand::NAME)
    }

    /// The version of STC that this request reads: the one it names, else the one its client's model reads.
    pub(super) fn stc_version(&self) -> StcVersion {
        if self.headers.contains_key(STC_VERSION) {
            ClientPreferences::of(&self.headers).stc_version()
        } else {
            policy::usual_version(&self.client.name)
        }
    }

    /// What becomes of structured content of this server's tools.
    pub(super) fn structured(&self, backend: &Backend, is_listing: bool) -> Structured {
        let now = policy::structured(
            &self.settings.mcp,
            backend.definition.structured,
            &self.client.name,
        );
        match &self.session {
            Some(session) => session.structured(&backend.prefix, now, is_listing),
            None => now,
        }
    }

    /// Can an answer be a stream?
    pub(super) fn takes_streams(&self) -> bool {
        let accepts = self.headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut accepts = accepts.flat_map(|value| value.split(','));
        accepts.any(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            matches!(kind, "text/event-stream" | "text/*" | "*/*")
        })
    }

    pub(super) fn unknown_method(&self, id: &str) -> Response<Body> {
        let status = match self.era {
            Era::Legacy => StatusCode::OK,
            Era::Modern => StatusCode::NOT_FOUND,
        };
        problem(status, Some(id), ErrorCode::Method, "there is no such method")
    }

    pub(super) fn unknown_name(&self, id: &str, what: &str) -> Response<Body> {
        problem(
            StatusCode::OK,
            Some(id),
            ErrorCode::Params,
            &format!("there is no {what} of this name"),
        )
    }
}
