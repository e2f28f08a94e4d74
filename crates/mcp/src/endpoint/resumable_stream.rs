//! Resumable SSE: the client's end of a stream. A client with a session that loses it can take it up again where it was, with
//! `Last-Event-ID`; what it may have missed is in a bounded replay buffer.

use crate::session::{BodySender, EventId, Session, StreamResumption};
use crate::sse;
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// The first version whose clients know an event without a message.
const PRIMED: &str = "2025-11-25";

/// After what time a client may come back.
const RETRY: Duration = Duration::from_secs(1);

/// How long a stream that is over can be taken up again.
const LINGER: Duration = Duration::from_secs(30);

/// How much of what was sent is kept, in bytes. The last event always is.
const MAX_REPLAY_BYTES: usize = 1 << 20;

/// Where the events of a request go.
pub(super) struct ResumableStream {
    client: Option<BodySender>,
    /// `None`: a client that disconnects cannot resume.
    record: Option<ReplayBuffer>,
}

/// What it takes to go on with a client that was away.
struct ReplayBuffer {
    stream: u64,
    back: mpsc::Receiver<StreamResumption>,
    /// Can it be let go, to come back by itself?
    is_primed: bool,
    last: u64,
    sent: VecDeque<(u64, String)>,
    bytes: usize,
}

impl ResumableStream {
    /// For a client without a session.
    pub(super) fn plain(client: BodySender) -> Self {
        ResumableStream { client: Some(client), record: None }
    }

    /// For a session's client.
    pub(super) fn of(session: &Session, client: BodySender) -> Self {
        let (stream, back) = session.streams.begin();
        let is_primed = session.version >= PRIMED;
        if is_primed {
            let primer = sse::primer(&EventId { stream, event: 0 }.to_string(), RETRY);
            // The first piece has room.
            let _ = client.try_send(Ok(primer.into()));
        }
        let sent = VecDeque::new();
        let record = ReplayBuffer { stream, back, is_primed, last: 0, sent, bytes: 0 };
        ResumableStream { client: Some(client), record: Some(record) }
    }

    /// Sends a message; `false`: no client will ever get it.
    pub(super) async fn send(&mut self, message: &str) -> bool {
        let piece = match &mut self.record {
            Some(record) => record.keep(message),
            None => sse::frame(message),
        };
        self.pass(piece.into()).await
    }

    /// Shows that the gateway is alive; `false`: no client will ever see it.
    pub(super) async fn show_life(&mut self) -> bool {
        self.pass(Bytes::from_static(sse::ALIVE.as_bytes())).await
    }

    /// Lets the client go for this time, if it knows that it may come back.
    pub(super) async fn pause(&mut self, wait: Duration) {
        if self.record.as_ref().is_some_and(|record| record.is_primed) {
            self.pass(sse::retry(wait).into()).await;
            self.client = None;
        }
    }

    /// Completes when no client will get anything any more.
    pub(super) async fn gone(&mut self) {
        while self.is_of_use() {
            tokio::select! {
                () = closed(self.client.as_ref()) => self.client = None,
                back = next(&mut self.record) => self.welcome(back),
            }
        }
    }

    /// Everything was sent. A client that did not get it has a while to come back.
    pub(super) async fn linger(mut self) {
        let until = Instant::now() + LINGER;
        let is_large = self.record.as_ref().is_some_and(|record| record.bytes > MAX_REPLAY_BYTES);
        // A connected client has most likely got it, and so much is not kept for the case that it has not.
        if self.client.take().is_some() && is_large {
            return;
        }
        while self.record.is_some() {
            let Ok(back) = timeout_at(until, next(&mut self.record)).await else { return };
            self.welcome(back);
            self.client = None;
        }
    }

    fn is_of_use(&self) -> bool {
        self.client.is_some() || self.record.is_some()
    }

    async fn pass(&mut self, piece: Bytes) -> bool {
        while let Some(client) = &self.client {
            tokio::select! {
                sent = client.send(Ok(piece.clone())) => {
                    if sent.is_err() {
                        self.client = None;
                    }
                    break;
                }
                back = next(&mut self.record) => {
                    let is_back = back.is_some();
                    self.welcome(back);
                    if is_back {
                        // It got what it missed, and so this.
                        break;
                    }
                }
            }
        }
        self.is_of_use()
    }

    /// The client is back; `None`: it cannot come back any more.
    fn welcome(&mut self, back: Option<StreamResumption>) {
        let (Some(StreamResumption { client, after }), Some(record)) = (back, &self.record) else {
            self.record = None;
            return;
        };
        let missed = record.after(after);
        if !missed.is_empty() {
            let _ = client.try_send(Ok(missed.into()));
        }
        self.client = Some(client);
    }
}

impl ReplayBuffer {
    /// Keeps a message, and says how it is sent.
    fn keep(&mut self, message: &str) -> String {
        self.last += 1;
        let id = EventId { stream: self.stream, event: self.last }.to_string();
        let piece = sse::numbered(&id, message);
        self.bytes += piece.len();
        self.sent.push_back((self.last, piece.clone()));
        while self.bytes > MAX_REPLAY_BYTES && self.sent.len() > 1 {
            let gone = self.sent.pop_front();
            self.bytes -= gone.map_or(0, |(_, piece)| piece.len());
        }
        piece
    }

    fn after(&self, event: u64) -> String {
        let missed = self.sent.iter().filter(|(number, _)| *number > event);
        missed.map(|(_, piece)| piece.as_str()).collect()
    }
}

/// The next client that comes back; `None`: none can any more. Without a record it never comes.
async fn next(record: &mut Option<ReplayBuffer>) -> Option<StreamResumption> {
    match record {
        Some(record) => record.back.recv().await,
        None => std::future::pending().await,
    }
}

async fn closed(client: Option<&BodySender>) {
    match client {
        Some(client) => client.closed().await,
        None => std::future::pending().await,
    }
}
