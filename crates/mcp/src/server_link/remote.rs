//! A server behind an address: every message is a POST, its answer JSON or a stream of events.

mod decoding;
mod listening;

use super::ServerChannel;
use super::dispatcher::MessageDispatcher;
use super::head::ModernHeaders;
use super::pending::InterimMessage;
use crate::era::Era;
use crate::failure::Failure;
use crate::message::{LONGEST_MESSAGE, ParsedMessage, Sort};
use crate::sse;
use crate::transport::Transport;
use bytes::Bytes;
use decoding::{DecodedBody, accept, decode_body};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::task::AbortHandle;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// How long to wait before a stream is asked for again, unless the server says.
const AGAIN: Duration = Duration::from_secs(1);

/// The longest such wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How often a stream that says nothing new is asked for again as soon as its server likes; from then on after [`AGAIN`] at
/// the soonest, until the server was silent for too long.
const PROMPT_RESUMPTIONS: usize = 20;

/// A server behind an address.
#[derive(Clone)]
pub(crate) struct RemoteServer(Arc<RemoteState>);

/// A server that may still be needed.
#[derive(Clone)]
pub(crate) struct WeakRemote(Weak<RemoteState>);

struct RemoteState {
    url: Uri,
    headers: HeaderMap,
    transport: Arc<dyn Transport>,
    inbox: Arc<MessageDispatcher>,
    /// The session that the server began, in the legacy era.
    session: OnceLock<HeaderValue>,
    /// The version that was agreed on.
    version: OnceLock<HeaderValue>,
    is_gone: std::sync::atomic::AtomicBool,
    listening: Mutex<Option<AbortHandle>>,
}

impl RemoteServer {
    pub(crate) fn new(
        url: Uri,
        headers: HeaderMap,
        transport: Arc<dyn Transport>,
        inbox: Arc<MessageDispatcher>,
    ) -> Self {
        RemoteServer(Arc::new(RemoteState {
            url,
            headers,
            transport,
            inbox,
            session: OnceLock::new(),
            version: OnceLock::new(),
            is_gone: false.into(),
            listening: Mutex::default(),
        }))
    }

    /// From now on every request says that this version is spoken.
    pub(crate) fn agree(&self, version: &str) {
        if let Ok(version) = HeaderValue::from_str(version) {
            let _ = self.0.version.set(version);
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.0.is_gone.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Sends what wants no answer.
    pub(crate) async fn tell(&self, text: String) -> Result<(), Failure> {
        let answer = self.post(text, &ModernHeaders::default()).await?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(Failure::Status(status.as_u16())),
        }
    }

    /// Sends a request. Its answer, and what comes before it, goes to the caller that waits for this id.
    pub(crate) async fn ask(&self, id: u64, text: String, head: ModernHeaders) {
        if let Err(failure) = self.asked(id, text, &head).await {
            self.0.inbox.fail(id, failure);
        }
    }

    async fn asked(&self, id: u64, text: String, head: &ModernHeaders) -> Result<(), Failure> {
        let answer = self.post(text, head).await?;
        let status = answer.status();
        if let Some(session) = answer.headers().get(&SESSION) {
            let _ = self.0.session.set(session.clone());
        }
        if status == StatusCode::NOT_FOUND && self.0.session.get().is_some() {
            self.0.is_gone.store(true, std::sync::atomic::Ordering::Relaxed);
            return Err(Failure::SessionGone);
        }
        if is_stream(&answer) {
            return self.follow(id, answer, head.era).await;
        }
        let text = whole(answer.into_body()).await?;
        let Ok(said) = ParsedMessage::read(&*text) else {
            // It may be a batch.
            self.0.inbox.take(&ServerChannel::Address(self.clone()), &text, Some(id));
            if !self.0.inbox.pending.is_waiting(id) {
                return Ok(());
            }
            let is_success = status.is_success();
            return Err(if is_success {
                Failure::Garbage
            } else {
                Failure::Status(status.as_u16())
            });
        };
        if said.view().sort() != Sort::Answer {
            return Err(Failure::Garbage);
        }
        // An error without an id is about this request, and so is whatever else answers it.
        self.0.inbox.pending.answer(id, Ok(said));
        Ok(())
    }

    /// Reads a stream until the answer is there. A legacy server may end it before, and tell where it goes on.
    async fn follow(
        &self,
        id: u64,
        answer: Response<DecodedBody>,
        era: Era,
    ) -> Result<(), Failure> {
        let mut reader = sse::SseReader::default();
        let mut body = answer.into_body();
        let (mut before, mut without_news) = (None, 0);
        loop {
            self.read(&mut reader, body, Some(id)).await?;
            if !self.0.inbox.pending.is_waiting(id) {
                return Ok(());
            }
            let Some(last) = reader.last_id.clone().filter(|_| era == Era::Legacy) else { break };
            reader.restart();
            without_news = if before.as_ref() == Some(&last) { without_news + 1 } else { 0 };
            before = Some(last.clone());
            let soonest = if without_news < PROMPT_RESUMPTIONS { Duration::ZERO } else { AGAIN };
            let wait = reader.retry.unwrap_or(AGAIN).clamp(soonest, LONGEST_WAIT);
            self.0.inbox.pending.say(id, InterimMessage::Pause(wait));
            tokio::time::sleep(wait).await;
            let again = self.get(Some(&last)).await?;
            if !is_stream(&again) {
                break;
            }
            body = again.into_body();
        }
        Err(Failure::Broken)
    }

    async fn read(
        &self,
        reader: &mut sse::SseReader,
        mut body: DecodedBody,
        request: Option<u64>,
    ) -> Result<(), Failure> {
        let wire = ServerChannel::Address(self.clone());
        while let Some(piece) = body.piece().await {
            // A stream that breaks is a stream that ends.
            let Ok(piece) = piece else { return Ok(()) };
            for event in reader.push(&piece).map_err(|_| Failure::TooLong)? {
                self.0.inbox.take(&wire, &event.data, request);
            }
            if request.is_some_and(|id| !self.0.inbox.pending.is_waiting(id)) {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn post(
        &self,
        text: String,
        head: &ModernHeaders,
    ) -> Result<Response<DecodedBody>, Failure> {
        self.send(self.post_request(text, head)).await
    }

    fn post_request(&self, text: String, head: &ModernHeaders) -> Request<Bytes> {
        let mut request = self.request(Method::POST, Bytes::from(text));
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        head.write(headers);
        request
    }

    async fn get(&self, last_event: Option<&str>) -> Result<Response<DecodedBody>, Failure> {
        self.send(self.get_request(last_event)).await
    }

    fn get_request(&self, last_event: Option<&str>) -> Request<Bytes> {
        let mut request = self.request(Method::GET, Bytes::new());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_str(id).ok()) {
            request.headers_mut().insert(LAST_EVENT, id);
        }
        request
    }

    fn request(&self, method: Method, body: Bytes) -> Request<Bytes> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.0.url.clone();
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        accept(headers);
        if let Some(version) = self.0.version.get() {
            headers.insert(VERSION, version.clone());
        }
        if let Some(session) = self.0.session.get() {
            headers.insert(SESSION, session.clone());
        }
        for (name, value) in &self.0.headers {
            headers.insert(name.clone(), value.clone());
        }
        request
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<DecodedBody>, Failure> {
        decode_body(self.0.transport.send(request).await.map_err(Failure::Unreachable)?)
    }
}

impl WeakRemote {
    pub(super) fn upgrade(&self) -> Option<RemoteServer> {
        self.0.upgrade().map(RemoteServer)
    }
}

impl RemoteServer {
    pub(super) fn downgrade(&self) -> WeakRemote {
        WeakRemote(Arc::downgrade(&self.0))
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for RemoteState {
    /// Says farewell to a session.
    fn drop(&mut self) {
        if let Some(listening) =
            self.listening.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            listening.abort();
        }
        let (Some(session), Ok(runtime)) =
            (self.session.get(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::DELETE;
        *request.uri_mut() = self.url.clone();
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().insert(SESSION, session.clone());
        let transport = self.transport.clone();
        runtime.spawn(async move {
            let _ = tokio::time::timeout(LONGEST_WAIT, transport.send(request)).await;
        });
    }
}

fn is_stream(answer: &Response<DecodedBody>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.map(str::to_ascii_lowercase).unwrap_or_default();
    answer.status().is_success() && kind.starts_with("text/event-stream")
}

/// All of a body, if it is no longer than a message may be.
async fn whole(mut body: DecodedBody) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.piece().await {
        let piece = piece?;
        if bytes.len() + piece.len() > LONGEST_MESSAGE {
            return Err(Failure::TooLong);
        }
        bytes.extend_from_slice(&piece);
    }
    String::from_utf8(bytes).map_err(|_| Failure::Garbage)
}
