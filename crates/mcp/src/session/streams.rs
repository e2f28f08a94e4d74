//! Resumable SSE: the streams of a session's requests, by the ids of their events. A client that loses one can take it up
//! again where it was.

use crate::endpoint::BodyError;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// How many can be taken up again. Beyond it, the oldest cannot any more.
const STREAMS: usize = 32;

/// Where the pieces of a stream go.
pub(crate) type BodySender = mpsc::Sender<Result<Bytes, BodyError>>;

/// An event: `7-2` is the second one of the seventh stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// 0: the stream that belongs to no request.
    pub(crate) stream: u64,
    /// 0: before the first event.
    pub(crate) event: u64,
}

impl EventId {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (stream, event) = text.split_once('-')?;
        Some(EventId { stream: stream.parse().ok()?, event: event.parse().ok()? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}-{}", self.stream, self.event)
    }
}

/// A client that takes up a stream again.
pub(crate) struct StreamResumption {
    pub(crate) client: BodySender,
    /// The last event that it has.
    pub(crate) after: u64,
}

/// The streams of a session.
#[derive(Default)]
pub(crate) struct SessionStreams(Mutex<OpenStreams>);

#[derive(Default)]
struct OpenStreams {
    last: u64,
    streams: BTreeMap<u64, mpsc::Sender<StreamResumption>>,
}

impl SessionStreams {
    /// Begins a stream. The receiver hears of clients that take it up again, until none can any more.
    pub(crate) fn begin(&self) -> (u64, mpsc::Receiver<StreamResumption>) {
        let (sender, receiver) = mpsc::channel(4);
        let mut open = self.locked();
        open.streams.retain(|_, stream| !stream.is_closed());
        if open.streams.len() >= STREAMS {
            open.streams.pop_first();
        }
        open.last += 1;
        let stream = open.last;
        open.streams.insert(stream, sender);
        (stream, receiver)
    }

    /// Takes up a stream again; `false`: it is over.
    pub(crate) fn take_up(&self, place: EventId, client: BodySender) -> bool {
        let back = StreamResumption { client, after: place.event };
        let open = self.locked();
        open.streams.get(&place.stream).is_some_and(|stream| stream.try_send(back).is_ok())
    }

    /// Ends all streams, because no client can resume any more.
    pub(crate) fn close(&self) {
        self.locked().streams.clear();
    }

    fn locked(&self) -> MutexGuard<'_, OpenStreams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        let place = EventId { stream: 7, event: 2 };
        assert_eq!(EventId::read(&place.to_string()), Some(place));
        for text in ["", "7", "7-", "-2", "7-2-1", "a-b", "99999999999999999999-1"] {
            assert_eq!(EventId::read(text), None, "{text}");
        }
    }

    #[tokio::test]
    async fn the_oldest_of_too_many_streams_cannot_be_taken_up_again() {
        let streams = SessionStreams::default();
        let mut held: Vec<_> = (0..=STREAMS).map(|_| streams.begin()).collect();
        let client = || mpsc::channel(1).0;
        let place = |stream| EventId { stream, event: 0 };
        assert!(!streams.take_up(place(1), client()));
        assert!(held[0].1.recv().await.is_none());
        assert!(streams.take_up(place(2), client()));
        assert_eq!(held[1].1.recv().await.unwrap().after, 0);
        drop(held.remove(1));
        assert!(!streams.take_up(place(2), client()), "the stream has ended");
    }
}
