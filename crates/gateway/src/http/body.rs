//! The body of a message on its way through.

use super::read::{Gathered, Read};
use crate::upstream::Received;
use crate::usage_tap::UsageTap;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokenforge_config::Limits;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

/// What goes wrong while a body passes.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// A body, by where its bytes come from.
pub(crate) enum Body {
    /// Bytes that are here already.
    Here(Bytes),
    /// The same, in the pieces in which they came.
    Apart(VecDeque<Bytes>),
    /// Passed on as it arrives, without a look at it.
    Passing(Box<Passing>),
    /// Made piece by piece by a task, which ends when the reader goes away.
    Made(mpsc::Receiver<Result<Bytes, BodyError>>),
    /// Broken off. Once that is told there is nothing more.
    Broken(Option<BodyError>),
}

/// A body that is passed on as it arrives.
pub(crate) struct Passing {
    /// What was read before it turned out that it is to be passed on.
    before: Bytes,
    rest: Received,
    pace: Pace,
    /// Who reads along what a provider says about tokens.
    tap: Option<Box<UsageTap>>,
}

/// How slow the sender of a body may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// Silence of this length ends it.
    idle: Duration,
    /// All of it must be here by then.
    until: Option<Instant>,
}

impl Limit {
    /// Silence of this length ends it.
    pub(crate) fn idle(idle: Duration) -> Self {
        Limit { idle, until: None }
    }

    /// That of a request whose head is here now.
    pub(crate) fn of_request(limits: &Limits) -> Self {
        let until = Some(Instant::now() + limits.body_timeout);
        Limit { idle: limits.body_idle_timeout, until }
    }

    /// When it is over, if nothing more comes.
    fn end(self) -> Instant {
        let silent = Instant::now() + self.idle;
        self.until.map_or(silent, |until| until.min(silent))
    }
}

/// The sender of a body was too slow.
#[derive(Debug, thiserror::Error)]
#[error("the sender of the body was too slow")]
pub(crate) struct TooSlow;

impl Body {
    pub(crate) fn empty() -> Self {
        Body::Here(Bytes::new())
    }

    /// Passes on a body as it arrives.
    pub(crate) fn passing(rest: impl Into<Received>, limit: Limit) -> Self {
        Body::Passing(Box::new(Passing::new(rest, limit)))
    }

    /// Passes on an answer as it arrives, to somebody who reads along too.
    pub(crate) fn tapped(rest: Received, limit: Limit, tap: Option<Box<UsageTap>>) -> Self {
        Body::Passing(Box::new(Passing { tap, ..Passing::new(rest, limit) }))
    }
}

impl Body {
    /// Reads a body of up to `limit` bytes. A longer one goes on where it began, and so does one that is being made.
    pub(crate) async fn read(self, limit: usize) -> Result<Read, BodyError> {
        match self {
            Body::Here(bytes) if bytes.len() <= limit => Ok(Read::Whole(bytes)),
            Body::Here(_) | Body::Apart(_) | Body::Made(_) | Body::Broken(_) => {
                Ok(Read::TooLong(self))
            }
            Body::Passing(mut passing) => {
                Ok(match passing.gather(limit, Gathered::default()).await? {
                    Some(gathered) => Read::Whole(gathered.into()),
                    None => Read::TooLong(Body::Passing(passing)),
                })
            }
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Body::Here(bytes)
    }
}

impl From<Vec<Bytes>> for Body {
    fn from(mut pieces: Vec<Bytes>) -> Self {
        match pieces.len() {
            0 | 1 => Body::Here(pieces.pop().unwrap_or_default()),
            _ => Body::Apart(pieces.into()),
        }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let body = self.get_mut();
        let frame = match body {
            Body::Here(bytes) => return Poll::Ready(taken(bytes).map(Ok)),
            Body::Apart(pieces) => {
                return Poll::Ready(pieces.pop_front().map(|piece| Ok(Frame::data(piece))));
            }
            Body::Passing(passing) => ready!(passing.poll_frame(context)),
            Body::Made(pieces) => {
                ready!(pieces.poll_recv(context)).map(|piece| piece.map(Frame::data))
            }
            Body::Broken(error) => return Poll::Ready(error.take().map(Err)),
        };
        let Some(Err(error)) = frame else { return Poll::Ready(frame) };
        // Whoever hears of it sends nothing any more: before that, what came goes out.
        *body = Body::Broken(Some(error));
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Here(bytes) => bytes.is_empty(),
            Body::Apart(pieces) => pieces.is_empty(),
            Body::Passing(passing) => passing.before.is_empty() && passing.rest.is_end_stream(),
            Body::Made(_) | Body::Broken(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Here(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Apart(pieces) => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            Body::Passing(passing) => {
                let before = passing.before.len() as u64;
                let rest = passing.rest.size_hint();
                let mut hint = SizeHint::new();
                hint.set_lower(before + rest.lower());
                if let Some(upper) = rest.upper() {
                    hint.set_upper(before + upper);
                }
                hint
            }
            Body::Made(_) | Body::Broken(_) => SizeHint::default(),
        }
    }
}

impl Passing {
    pub(super) fn new(rest: impl Into<Received>, limit: Limit) -> Self {
        Passing { before: Bytes::new(), rest: rest.into(), pace: Pace::new(limit), tap: None }
    }

    /// Reads up to `limit` bytes. Nothing if there are more: then it goes on where it began.
    pub(super) async fn gather(
        &mut self,
        limit: usize,
        mut gathered: Gathered,
    ) -> Result<Option<Gathered>, BodyError> {
        while let Some(frame) = poll_fn(|context| self.poll_frame(context)).await {
            let Ok(piece) = frame?.into_data() else { continue };
            gathered.add(piece, self.rest.size_hint().lower());
            if gathered.len() > limit {
                self.before = gathered.into();
                return Ok(None);
            }
        }
        Ok(Some(gathered))
    }

    /// Tells who reads along what came. At the end it is told before the last bytes go on, so that whoever has the whole
    /// answer finds it counted.
    fn tell(&mut self, frame: Option<&Frame<Bytes>>) {
        if let (Some(tap), Some(data)) = (&mut self.tap, frame.and_then(Frame::data_ref)) {
            tap.see(data);
        }
        if frame.is_none() || self.rest.is_end_stream() {
            self.tap = None;
        }
    }

    fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(before) = taken(&mut self.before) {
            return Poll::Ready(Some(Ok(before)));
        }
        match Pin::new(&mut self.rest).poll_frame(context) {
            Poll::Ready(frame) => {
                self.pace.moved();
                if self.tap.is_some() {
                    self.tell(frame.as_ref().and_then(|frame| frame.as_ref().ok()));
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                ready!(self.pace.poll_expired(context));
                Poll::Ready(Some(Err(TooSlow.into())))
            }
        }
    }
}

/// Watches how slow a sender is. The timer is made when there is first something to wait for.
struct Pace {
    limit: Limit,
    timer: Option<Pin<Box<Sleep>>>,
    has_moved: bool,
}

impl Pace {
    fn new(limit: Limit) -> Self {
        Pace { limit, timer: None, has_moved: false }
    }

    fn moved(&mut self) {
        self.has_moved = true;
    }

    fn poll_expired(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let end = || self.limit.end();
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end())));
        if std::mem::take(&mut self.has_moved) {
            timer.as_mut().reset(end());
        }
        timer.as_mut().poll(context)
    }
}

/// The bytes, if there are any left.
fn taken(bytes: &mut Bytes) -> Option<Frame<Bytes>> {
    (!bytes.is_empty()).then(|| Frame::data(std::mem::take(bytes)))
}
