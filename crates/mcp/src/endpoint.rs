//! The endpoint that clients speak to, in both eras of the protocol.
//!
//! `/mcp` is all servers as one, `/mcp/PREFIX` is one server as it is. A message with the `_meta` of the modern era is
//! served by itself; `initialize` begins a session of the legacy one.

mod check;
mod finish;
mod initialize;
mod listen;
mod lists;
mod relay;
mod request_context;
mod responses;
mod resumable_stream;
mod route;
mod search;
mod tasks;
mod tools;

use crate::era::{CAPABILITIES_KEY, CLIENT_KEY, Era, LEGACY, VERSION_KEY};
use crate::hook::Hooks;
use crate::hub::Hub;
use crate::message::{Message, Sort, Unreadable};
use crate::rpc::{self, ErrorCode};
use crate::session::{ClientIdentity, EventId, ServerScope, Session};
use crate::tasks::without_extension;
pub(crate) use finish::complete;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, USER_AGENT};
use http::{Method, Response, StatusCode};
use request_context::RequestContext;
use responses::{empty, json, problem};
use std::sync::Arc;
use tokio::sync::mpsc;

pub use responses::{Body, BodyError};

/// The header of a session.
pub(crate) const SESSION: &str = "mcp-session-id";
/// The header of the last event that a client has.
const LAST_EVENT: &str = "last-event-id";
/// The header of a version.
pub(crate) const VERSION: &str = "mcp-protocol-version";

/// A request to the endpoint. From where it may come is the gateway's to say, whose origin guard stands before it.
#[derive(Clone)]
pub struct EndpointRequest {
    /// `POST`, `GET` or `DELETE`.
    pub method: Method,
    /// The server in the path; `None`: all of them.
    pub prefix: Option<String>,
    /// The headers.
    pub headers: HeaderMap,
    /// Whose request it is.
    pub tenant: Arc<str>,
    /// Who looks at calls of tools on the way.
    pub hooks: Option<Arc<dyn Hooks>>,
    /// The message.
    pub body: Bytes,
}

impl EndpointRequest {
    fn text(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Hub {
    /// Answers a request.
    pub async fn answer(self: &Arc<Self>, ask: EndpointRequest) -> Response<Body> {
        let scope = match &ask.prefix {
            None => ServerScope::All,
            Some(prefix) => match self.backend(prefix) {
                Some(backend) => ServerScope::One(backend.prefix.clone()),
                None => {
                    let message = "there is no tool server with this prefix, or it is disabled";
                    return problem(StatusCode::NOT_FOUND, None, ErrorCode::Request, message);
                }
            },
        };
        match ask.method {
            Method::POST => self.posted(&ask, scope).await,
            Method::GET => self.listening(&ask, &scope),
            Method::DELETE => self.leaving(&ask, &scope),
            _ => not_allowed(),
        }
    }

    async fn posted(self: &Arc<Self>, ask: &EndpointRequest, scope: ServerScope) -> Response<Body> {
        // A page of some website can post other types without asking first.
        let is_json = ask
            .text(CONTENT_TYPE)
            .is_some_and(|kind| kind.trim_start().starts_with("application/json"));
        if !is_json {
            let message = "expected Content-Type: application/json";
            return problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, ErrorCode::Request, message);
        }
        let read =
            str::from_utf8(&ask.body).map_err(|_| Unreadable::NotJson).and_then(Message::read);
        let message = match read {
            Ok(message) => message,
            Err(unreadable) => {
                let code = match unreadable {
                    Unreadable::NotJson => ErrorCode::Parse,
                    Unreadable::NotAMessage(_) => ErrorCode::Request,
                };
                return problem(StatusCode::BAD_REQUEST, None, code, &unreadable.to_string());
            }
        };
        let era = era(&message, ask);
        let edited = without_extension(&message, era);
        let edited = edited.as_deref().and_then(|text| Message::read(text).ok());
        let message = edited.as_ref().unwrap_or(&message);
        match era {
            Era::Modern => self.modern(ask, scope, message).await,
            Era::Legacy => self.legacy(ask, scope, message).await,
        }
    }

    async fn modern(
        self: &Arc<Self>,
        ask: &EndpointRequest,
        scope: ServerScope,
        message: &Message<'_>,
    ) -> Response<Body> {
        match message.sort() {
            Sort::Notification => return empty(StatusCode::ACCEPTED),
            Sort::Answer => {
                let text = "no server asks clients of this version, so there is nothing to answer";
                return problem(StatusCode::BAD_REQUEST, None, ErrorCode::Request, text);
            }
            Sort::Request => {}
        }
        if let Err(answer) = check::headers(ask, message) {
            return answer.into();
        }
        let (info, capabilities) = (message.meta(CLIENT_KEY), message.meta(CAPABILITIES_KEY));
        let client =
            ClientIdentity::new(info.as_ref(), capabilities.as_ref(), ask.text(USER_AGENT));
        RequestContext::new(self, ask, scope, Era::Modern, client, None).request(message).await
    }

    async fn legacy(
        self: &Arc<Self>,
        ask: &EndpointRequest,
        scope: ServerScope,
        message: &Message<'_>,
    ) -> Response<Body> {
        if message.method() == "initialize" && message.sort() == Sort::Request {
            let (info, capabilities) = (message.param("clientInfo"), message.param("capabilities"));
            let client =
                ClientIdentity::new(info.as_ref(), capabilities.as_ref(), ask.text(USER_AGENT));
            return self.welcome(ask, scope, client, message).await;
        }
        let session = match self.session(ask, &scope) {
            Ok(session) => session,
            Err(answer) => return *answer,
        };
        let client = session.client.clone();
        let visit = RequestContext::new(self, ask, scope, Era::Legacy, client, Some(session));
        match message.sort() {
            Sort::Request => visit.request(message).await,
            Sort::Notification => visit.notification(message).await,
            Sort::Answer => visit.reply(message).await,
        }
    }

    /// The session of a request, or why there is none.
    fn session(
        &self,
        ask: &EndpointRequest,
        scope: &ServerScope,
    ) -> Result<Arc<Session>, Box<Response<Body>>> {
        let refused =
            |status, message| Err(Box::new(problem(status, None, ErrorCode::Request, message)));
        let Some(id) = ask.text(SESSION) else {
            return refused(
                StatusCode::BAD_REQUEST,
                "expected Mcp-Session-Id, which initialize gives",
            );
        };
        if ask.text(VERSION).is_some_and(|version| !LEGACY.contains(&version)) {
            return refused(
                StatusCode::BAD_REQUEST,
                "the session was begun with another protocol version",
            );
        }
        let session = self.sessions.find(id);
        match session.filter(|session| session.tenant == ask.tenant && session.scope == *scope) {
            Some(session) => Ok(session),
            None => {
                refused(StatusCode::NOT_FOUND, "there is no such session; initialize begins one")
            }
        }
    }

    /// The stream on which a client hears what belongs to no request, or one that it takes up again.
    fn listening(&self, ask: &EndpointRequest, scope: &ServerScope) -> Response<Body> {
        if ask.text(SESSION).is_none() {
            return not_allowed();
        }
        let session = match self.session(ask, scope) {
            Ok(session) => session,
            Err(answer) => return *answer,
        };
        let last = ask.text(LAST_EVENT).and_then(EventId::read);
        let (sender, receiver) = mpsc::channel(16);
        match last {
            Some(place) if place.stream > 0 => {
                if !session.streams.take_up(place, sender) {
                    let message = "the stream of Last-Event-ID is over";
                    return problem(StatusCode::BAD_REQUEST, None, ErrorCode::Request, message);
                }
            }
            last => {
                let stream = session.outbox.open(last.map(|place| place.event));
                tokio::spawn(relay::deliver(Arc::downgrade(&session), stream, sender));
            }
        }
        responses::stream(receiver)
    }

    fn leaving(&self, ask: &EndpointRequest, scope: &ServerScope) -> Response<Body> {
        if ask.text(SESSION).is_none() {
            return not_allowed();
        }
        match self.session(ask, scope) {
            Ok(session) => {
                self.end_session(&session);
                empty(StatusCode::NO_CONTENT)
            }
            Err(answer) => *answer,
        }
    }
}

fn era(message: &Message<'_>, ask: &EndpointRequest) -> Era {
    if message.meta(VERSION_KEY).is_some() {
        return Era::Modern;
    }
    let is_legacy = message.method() == "initialize" || ask.headers.contains_key(SESSION);
    let is_unknown = ask.text(VERSION).is_some_and(|version| !LEGACY.contains(&version));
    let is_modern = message.method() == "server/discover" || is_unknown;
    if is_modern && !is_legacy { Era::Modern } else { Era::Legacy }
}

fn not_allowed() -> Response<Body> {
    let mut answer =
        json(StatusCode::METHOD_NOT_ALLOWED, rpc::error(None, ErrorCode::Request, "use POST"));
    answer.headers_mut().insert(http::header::ALLOW, http::HeaderValue::from_static("POST"));
    answer
}
