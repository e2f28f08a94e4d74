//! Backpressure: how far an answer may run ahead of the client that reads it.
//!
//! Hyper takes frames of a body until it holds as much as it reads at once, which is 256 KB here so that most requests
//! are read in one piece. A client that does not read would hold all of that, and what its upstream sends on top. So a
//! body gives out no more than [`WINDOW`] bytes beyond those that the socket took.

use super::body::BodyError;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// How many bytes of an answer may wait for the socket. Nearly all answers are shorter, and never wait here.
pub(super) const WINDOW: usize = 32 << 10;

/// What the stream of a connection, its service and the body of its answer know of each other. All of them run in the
/// task of the connection.
#[derive(Debug, Default)]
pub(super) struct FlowControl {
    /// Bytes that were given out and not written yet, or fewer: what frames them is counted when it is written only.
    unwritten: AtomicUsize,
    /// The task that waits until fewer are.
    waiting: Mutex<Option<Waker>>,
    phase: AtomicU8,
}

/// What a connection is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionPhase {
    /// Nothing.
    Idle,
    /// The head of a request has begun to arrive.
    Head,
    /// A request is under way.
    Request,
}

impl FlowControl {
    #[inline]
    pub(super) fn phase(&self) -> ConnectionPhase {
        match self.phase.load(Ordering::Relaxed) {
            0 => ConnectionPhase::Idle,
            1 => ConnectionPhase::Head,
            _ => ConnectionPhase::Request,
        }
    }

    #[inline]
    pub(super) fn enter(&self, phase: ConnectionPhase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// The socket took this many bytes.
    #[inline]
    pub(super) fn wrote(&self, bytes: usize) {
        let before = self.unwritten.load(Ordering::Relaxed);
        self.unwritten.store(before.saturating_sub(bytes), Ordering::Relaxed);
        // No task waits where the window was never full.
        if before >= WINDOW
            && let Some(waiting) = self.waiting().take()
        {
            waiting.wake();
        }
    }

    /// The socket took everything.
    #[inline]
    pub(super) fn wrote_all(&self) {
        self.wrote(usize::MAX);
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much may be given out now. Who asks is woken when there is room again.
    #[inline]
    fn poll_room(&self, context: &Context<'_>) -> Poll<usize> {
        match WINDOW.saturating_sub(self.unwritten.load(Ordering::Relaxed)) {
            0 => {
                *self.waiting() = Some(context.waker().clone());
                Poll::Pending
            }
            room => Poll::Ready(room),
        }
    }

    #[inline]
    fn count_given(&self, bytes: usize) {
        let before = self.unwritten.load(Ordering::Relaxed);
        self.unwritten.store(before.saturating_add(bytes), Ordering::Relaxed);
    }
}

/// The body of an answer, given out as the client takes it.
pub(crate) struct FlowBody<B> {
    body: B,
    /// What did not fit into the window.
    rest: Bytes,
    /// Nothing where the protocol has a window of its own.
    flow: Option<Arc<FlowControl>>,
}

impl<B> FlowBody<B> {
    /// With the window of a connection that has one answer at a time.
    pub(super) fn windowed(body: B, flow: Arc<FlowControl>) -> Self {
        FlowBody { body, rest: Bytes::new(), flow: Some(flow) }
    }

    /// As fast as the protocol takes it.
    pub(super) fn free(body: B) -> Self {
        FlowBody { body, rest: Bytes::new(), flow: None }
    }
}

impl<B> Drop for FlowBody<B> {
    /// The answer was given out, or is given up: the connection is free for the next request.
    fn drop(&mut self) {
        if let Some(flow) = &self.flow {
            flow.enter(ConnectionPhase::Idle);
        }
    }
}

impl<B: HttpBody<Data = Bytes, Error = BodyError> + Unpin> HttpBody for FlowBody<B> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let FlowBody { body, rest, flow } = self.get_mut();
        let Some(flow) = flow else { return Pin::new(body).poll_frame(context) };
        let room = std::task::ready!(flow.poll_room(context));
        if rest.is_empty() {
            let frame = std::task::ready!(Pin::new(body).poll_frame(context));
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => *rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let piece = rest.split_to(rest.len().min(room));
        flow.count_given(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest + body.lower());
        if let Some(upper) = body.upper() {
            hint.set_upper(rest + upper);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use http_body_util::BodyExt;

    /// What a body gives out until it waits.
    fn given(body: &mut FlowBody<Body>) -> usize {
        let no_wake = &mut Context::from_waker(Waker::noop());
        let mut given = 0;
        while let Poll::Ready(Some(frame)) = Pin::new(&mut *body).poll_frame(no_wake) {
            given += frame.unwrap().into_data().unwrap().len();
        }
        given
    }

    #[test]
    fn d68_an_answer_runs_ahead_of_its_reader_by_a_window_and_no_more() {
        let flow = Arc::<FlowControl>::default();
        let whole = Bytes::from(vec![1; 10 * WINDOW]);
        let mut body = FlowBody::windowed(Body::from(whole), flow.clone());
        assert_eq!(given(&mut body), WINDOW);
        assert_eq!(given(&mut body), 0);
        flow.wrote(100);
        assert_eq!(given(&mut body), 100);
        flow.wrote_all();
        assert_eq!(given(&mut body), WINDOW);
    }

    #[tokio::test]
    async fn d68_a_task_that_waits_for_room_is_woken() {
        let flow = Arc::<FlowControl>::default();
        let whole = Bytes::from((0..5 * WINDOW).map(|n| n as u8).collect::<Vec<_>>());
        let mut body = FlowBody::windowed(Body::from(whole.clone()), flow.clone());
        let writing = tokio::spawn(async move {
            let mut written = Vec::new();
            while let Some(frame) = body.frame().await {
                written.extend_from_slice(&frame.unwrap().into_data().unwrap());
            }
            written
        });
        while !writing.is_finished() {
            flow.wrote_all();
            tokio::task::yield_now().await;
        }
        assert!(writing.await.unwrap() == whole);
    }

    #[test]
    fn a_body_says_how_long_it_is_and_when_it_ends() {
        let flow = Arc::<FlowControl>::default();
        let mut body =
            FlowBody::windowed(Body::from(Bytes::from(vec![1; WINDOW + 1])), flow.clone());
        assert_eq!(body.size_hint().exact(), Some(WINDOW as u64 + 1));
        given(&mut body);
        assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(1), false));
        flow.wrote_all();
        given(&mut body);
        assert!(body.is_end_stream());
        flow.enter(ConnectionPhase::Request);
        drop(body);
        assert_eq!(flow.phase(), ConnectionPhase::Idle);
    }
}
