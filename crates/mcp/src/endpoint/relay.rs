//! What a server says about a request, on its way to the client: one answer, or a stream if there is more to say.

use super::Body;
use super::finish::{AnswerKind, FinishedAnswer};
use super::request_context::RequestContext;
use super::responses::{self, json};
use super::resumable_stream::ResumableStream;
use crate::backend::Backend;
use crate::era::Era;
use crate::failure::Failure;
use crate::message::{Message, ParsedMessage, Sort};
use crate::outgoing::under_subscription;
use crate::redaction::redacted;
use crate::rpc::CANCELLED;
use crate::server_link::{CallEvent, CallInProgress};
use crate::session::{BodySender, EventId, Session};
use crate::sse;
use http::{HeaderValue, Response};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokenforge_formats::negotiate::CONTENT_FORMAT;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The refusal for a server whose question reaches no client.
const NOT_ASKED: &str = "the client cannot be asked that";

/// An answer that takes longer is a stream, so that the client sees that the gateway is alive.
const AT_ONCE: Duration = Duration::from_secs(5);

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// A request under way for a client.
pub(super) struct Relay {
    visit: Arc<RequestContext>,
    backend: Arc<Backend>,
    /// How the client wrote its id.
    id: String,
    finish: AnswerKind,
    call: CallInProgress,
}

impl Relay {
    pub(super) fn new(
        visit: Arc<RequestContext>,
        backend: Arc<Backend>,
        id: String,
        finish: AnswerKind,
        call: CallInProgress,
    ) -> Self {
        if let Some(running) = &visit.running {
            running.is_sent(&call.link, call.id);
        }
        Relay { visit, backend, id, finish, call }
    }

    /// There is no call to relay.
    pub(super) async fn failed(
        visit: Arc<RequestContext>,
        backend: Arc<Backend>,
        id: String,
        finish: AnswerKind,
        failure: Failure,
    ) -> Response<Body> {
        let finished = finish.finish(&visit, &backend, &id, Err(failure)).await;
        whole(finished)
    }

    /// What happens first, if it happens soon.
    pub(super) async fn first(&mut self) -> Option<CallEvent> {
        if self.visit.takes_streams() {
            timeout(AT_ONCE, self.next()).await.ok()
        } else {
            loop {
                // There is no place for what is said before the answer.
                match self.next().await {
                    CallEvent::Message(text) => self.call.link.wire().refuse(&text, NOT_ASKED),
                    CallEvent::Pause(_) => {}
                    answer => return Some(answer),
                }
            }
        }
    }

    /// What happens first, whenever that is. What the server only notes meanwhile is heard where what belongs to no request
    /// is: it may yet say that it knows nothing of what is asked.
    pub(super) async fn first_about_it(&mut self) -> CallEvent {
        if !self.visit.takes_streams() {
            return self.first().await.unwrap_or(CallEvent::Answer(Err(Failure::Broken)));
        }
        loop {
            let text = match self.next().await {
                CallEvent::Message(text) => text,
                event => return event,
            };
            let is_note = Message::read(&text).is_ok_and(|said| {
                said.sort() == Sort::Notification && said.method() != "notifications/progress"
            });
            if !is_note {
                return CallEvent::Message(text);
            }
            self.call.link.pass_on(text);
        }
    }

    /// The answer to the client, of which this happened first.
    pub(super) async fn respond(mut self, first: Option<CallEvent>) -> Response<Body> {
        if let Some(CallEvent::Answer(answer)) = first {
            return whole(self.finished(answer).await);
        }
        let (sender, receiver) = mpsc::channel(16);
        let mut client = match &self.visit.session {
            Some(session) => ResumableStream::of(session, sender),
            None => ResumableStream::plain(sender),
        };
        tokio::spawn(async move {
            self.stream(first, &mut client).await;
            // Nothing is under way any more.
            drop(self);
            client.linger().await;
        });
        responses::stream(receiver)
    }

    async fn stream(&mut self, first: Option<CallEvent>, client: &mut ResumableStream) {
        let mut event = first;
        loop {
            let is_heard = match event.take() {
                None => client.show_life().await,
                Some(CallEvent::Message(text)) => match self.passed(text).await {
                    Some(text) => client.send(&text).await,
                    None => true,
                },
                Some(CallEvent::Pause(wait)) => {
                    client.pause(wait).await;
                    true
                }
                Some(CallEvent::Answer(answer)) => {
                    client.send(&self.finished(answer).await.text).await;
                    return;
                }
            };
            if !is_heard {
                return;
            }
            event = tokio::select! {
                event = timeout(ALIVE, self.next()) => event.ok(),
                () = client.gone() => return,
            };
        }
    }

    async fn next(&mut self) -> CallEvent {
        tokio::select! {
            biased;
            () = self.visit.taken_back() => CallEvent::Answer(Err(Failure::Cancelled)),
            event = self.call.next() => event,
        }
    }

    pub(super) async fn finished(
        &mut self,
        answer: Result<ParsedMessage, Failure>,
    ) -> FinishedAnswer {
        self.finish.finish(&self.visit, &self.backend, &self.id, answer).await
    }

    /// Something that the server says before it answers, as the client is to see it.
    async fn passed(&self, text: String) -> Option<String> {
        let Ok(text) = redacted(text.clone(), &self.visit.settings) else {
            self.call.link.wire().refuse(&text, "what it asks cannot be checked for secrets");
            return None;
        };
        let Some(text) = self.visit.about_tasks(&self.backend, text.clone()).await else {
            self.call.link.wire().refuse(&text, "it is about a task of another client");
            return None;
        };
        let message = Message::read(&text).ok()?;
        if message.sort() != Sort::Request && message.method() != CANCELLED {
            return Some(under_subscription(&message, &self.id));
        }
        let session = self.visit.session.as_ref().filter(|session| session.client.can_be_asked());
        match session.filter(|_| self.visit.era == Era::Legacy) {
            Some(session) => session.shown(self.call.link.wire(), &message),
            None => {
                self.call.link.wire().refuse(&text, NOT_ASKED);
                None
            }
        }
    }
}

pub(super) fn whole(finished: FinishedAnswer) -> Response<Body> {
    let mut answer = json(finished.status, finished.text);
    if let Some(format) = finished.format {
        answer.headers_mut().insert(CONTENT_FORMAT, HeaderValue::from_static(format));
    }
    answer
}

/// Delivers what waits for a client on the stream that it opened, until it closes it or opens another.
pub(super) async fn deliver(session: Weak<Session>, stream: u64, client: BodySender) {
    loop {
        let Some(open) = session.upgrade() else { return };
        open.touch();
        let text = tokio::select! {
            text = timeout(ALIVE, open.outbox.next(stream)) => text,
            () = client.closed() => return,
        };
        drop(open);
        let (number, piece) = match text {
            Err(_) => (None, sse::ALIVE.to_owned()),
            Ok(Some((event, text))) => {
                let id = EventId { stream: 0, event }.to_string();
                (Some(event), sse::numbered(&id, &text))
            }
            Ok(None) => return,
        };
        if client.send(Ok(piece.into())).await.is_err() {
            if let (Some(number), Some(open)) = (number, session.upgrade()) {
                open.outbox.put_back(number);
            }
            return;
        }
    }
}
