//! What a server behind an address says to no request in particular.

use super::super::ServerChannel;
use super::super::head::ModernHeaders;
use super::{AGAIN, LONGEST_WAIT, RemoteServer, RemoteState, decode_body, is_stream};
use crate::era::Era;
use crate::{rpc, sse};
use bytes::Bytes;
use http::{Request, StatusCode};
use std::sync::{Arc, PoisonError, Weak};

/// The changes that are asked for.
const CHANGES: &str =
    r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}"#;

/// How a server is heard that speaks to no request in particular.
enum Listening {
    /// On a stream that belongs to the session.
    Stream,
    /// On one that is asked for, with this introduction.
    Subscription(String),
}

impl RemoteServer {
    /// Listens to what the server says to no request in particular, for as long as the server is needed.
    pub(crate) fn listen(&self) {
        self.listen_by(Listening::Stream);
    }

    /// The same in the modern era: asks to be told when lists change. `introduction` says whose request it is.
    pub(crate) fn subscribe(&self, introduction: String) {
        self.listen_by(Listening::Subscription(introduction));
    }

    fn listen_by(&self, how: Listening) {
        let weak = Arc::downgrade(&self.0);
        let task = tokio::spawn(listen(weak, how));
        let mut listening = self.0.listening.lock().unwrap_or_else(PoisonError::into_inner);
        *listening = Some(task.abort_handle());
    }

    fn subscription(&self, introduction: &str) -> Request<Bytes> {
        let method = "subscriptions/listen";
        let params = format!(r#"{{"notifications":{CHANGES},"_meta":{introduction}}}"#);
        let text = rpc::request(self.0.inbox.pending.id(), method, &params);
        let head = ModernHeaders {
            era: Era::Modern,
            method: method.to_owned(),
            ..ModernHeaders::default()
        };
        self.post_request(text, &head)
    }
}

/// Reads the stream of a server until it is no longer needed or the server says that it has none. Between two streams,
/// and where the server cannot be reached, it waits.
async fn listen(remote: Weak<RemoteState>, how: Listening) {
    let (mut last, mut wait) = (None, AGAIN);
    loop {
        // Nothing of it is held while the server is silent, so that it can be let go.
        let (transport, request) = {
            let Some(address) = remote.upgrade().map(RemoteServer) else { return };
            let request = match &how {
                Listening::Stream => address.get_request(last.as_deref()),
                Listening::Subscription(introduction) => address.subscription(introduction),
            };
            (address.0.transport.clone(), request)
        };
        let mut reader = sse::SseReader::default();
        // It may be out of reach for a while, and back before anybody asks it something.
        if let Ok(answer) = transport.send(request).await {
            let Ok(answer) = decode_body(answer) else { return };
            let status = answer.status();
            let comes_later = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
            if !is_stream(&answer) && !comes_later {
                return;
            }
            let is_heard = is_stream(&answer);
            let mut body = answer.into_body();
            while is_heard && let Some(Ok(piece)) = body.piece().await {
                let Some(address) = remote.upgrade().map(RemoteServer) else { return };
                let Ok(events) = reader.push(&piece) else { break };
                for event in events {
                    wait = AGAIN;
                    let wire = ServerChannel::Address(address.clone());
                    address.0.inbox.take(&wire, &event.data, None);
                }
            }
        }
        last = reader.last_id.or(last);
        tokio::time::sleep(reader.retry.unwrap_or(wait).min(LONGEST_WAIT)).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
