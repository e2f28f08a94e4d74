//! The body of a response on its way to the client.

use crate::answer::Answer;
use crate::shared::Shared;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// A response whose body is there already.
pub(crate) fn whole(answer: Answer) -> Response<Outgoing> {
    let body: Bytes = match answer.events.as_slice() {
        [one] => one.clone(),
        many => many.concat().into(),
    };
    let length = Some(body.len() as u64);
    headed(&answer, Outgoing { frames: Frames::Ready(Some(body)), length, in_flight: None })
}

/// A response whose body is sent write by write; the second value of the last one is true.
pub(crate) fn live(
    answer: &Answer,
    writes: mpsc::Receiver<(Bytes, bool)>,
    in_flight: InFlight,
) -> Response<Outgoing> {
    let length =
        (!answer.streams).then(|| answer.events.iter().map(Bytes::len).sum::<usize>() as u64);
    headed(answer, Outgoing { frames: Frames::Live(writes), length, in_flight: Some(in_flight) })
}

fn headed(answer: &Answer, body: Outgoing) -> Response<Outgoing> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A response of a status alone.
pub(crate) fn empty(status: StatusCode) -> Response<Outgoing> {
    let frames = Frames::Ready(None);
    let mut response = Response::new(Outgoing { frames, length: Some(0), in_flight: None });
    *response.status_mut() = status;
    response
}

/// A reply that the client waits for. Dropped before it is done, it was abandoned.
pub(crate) struct InFlight {
    shared: Arc<Shared>,
    /// All of it was handed over.
    pub(crate) done: bool,
}

impl InFlight {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        shared.log.note(|happened| {
            happened.at_once += 1;
            happened.most_at_once = happened.most_at_once.max(happened.at_once);
        });
        Self { shared: Arc::clone(shared), done: false }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.shared.log.note(|happened| {
            happened.at_once -= 1;
            happened.abandoned += usize::from(!self.done);
        });
    }
}

/// The body of a response.
pub(crate) struct Outgoing {
    frames: Frames,
    length: Option<u64>,
    in_flight: Option<InFlight>,
}

enum Frames {
    /// All of it.
    Ready(Option<Bytes>),
    /// As it is sent.
    Live(mpsc::Receiver<(Bytes, bool)>),
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let bytes = match &mut this.frames {
            Frames::Ready(bytes) => bytes.take(),
            Frames::Live(frames) => match frames.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(received) => {
                    let is_last = received.as_ref().is_none_or(|(_, is_last)| *is_last);
                    if let Some(in_flight) = this.in_flight.as_mut().filter(|_| is_last) {
                        in_flight.done = true;
                    }
                    received.map(|(bytes, _)| bytes)
                }
            },
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
