//! The body of a message: whole, in pieces, passed through as it arrives, or made by a task.

use crate::read::{BodyRead, PieceBuffer, concat_pieces};
use crate::upstream::ReceivedBody;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

/// What goes wrong while a body passes.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// A body, by where its bytes come from.
pub enum Body {
    /// Bytes that are here already.
    Whole(Bytes),
    /// The same, in the pieces in which they came.
    Pieces(VecDeque<Bytes>),
    /// All of it is here, and it is put together piece by piece when it is sent.
    Spliced(Box<SplicedPieces>),
    /// Passed on as it arrives, without a look at it.
    Passing(Box<PassingBody>),
    /// Made piece by piece by a task, which ends when the reader goes away.
    Channel(mpsc::Receiver<Result<Bytes, BodyError>>),
    /// Broken off. Once that is told there is nothing more.
    Broken(Option<BodyError>),
}

/// A body that is put together when it is sent, so that it is never held as a whole.
#[derive(Clone)]
pub struct SplicedPieces {
    pieces: Box<dyn PieceSource>,
    /// How many bytes the pieces that are left have.
    left: u64,
}

/// An iterator over pieces that can be cloned, because a request may have to be sent a second time.
trait PieceSource: Iterator<Item = Bytes> + Send + Sync {
    fn boxed_clone(&self) -> Box<dyn PieceSource>;
}

impl<P: Iterator<Item = Bytes> + Clone + Send + Sync + 'static> PieceSource for P {
    fn boxed_clone(&self) -> Box<dyn PieceSource> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn PieceSource> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// A body that is passed on as it arrives.
pub struct PassingBody {
    /// What was read before it turned out that it is to be passed on.
    before: Bytes,
    rest: ReceivedBody,
    stall_timer: StallTimer,
}

/// How slow the sender of a body may be.
#[derive(Debug, Clone, Copy)]
pub struct BodyTimeout {
    /// Silence of this length ends it.
    idle: Duration,
    /// All of it must be here by then.
    until: Option<Instant>,
}

impl BodyTimeout {
    /// Silence of this length ends it.
    #[must_use]
    pub fn idle(idle: Duration) -> Self {
        BodyTimeout { idle, until: None }
    }

    /// The same, and all of it must be here within `total` from now.
    #[must_use]
    pub fn within(idle: Duration, total: Duration) -> Self {
        BodyTimeout { idle, until: Some(Instant::now() + total) }
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
pub struct TooSlow;

impl Body {
    /// Nothing at all.
    #[must_use]
    pub fn empty() -> Self {
        Body::Whole(Bytes::new())
    }

    /// Of these pieces, none of which is empty and which have so many bytes together.
    pub fn spliced(
        pieces: impl Iterator<Item = Bytes> + Clone + Send + Sync + 'static,
        bytes: usize,
    ) -> Self {
        Body::Spliced(Box::new(SplicedPieces { pieces: Box::new(pieces), left: bytes as u64 }))
    }

    /// The bytes, put together if they are in pieces. Nothing if they are not all here.
    pub fn whole(&mut self) -> Option<Bytes> {
        let bytes = match self {
            Body::Whole(bytes) => return Some(bytes.clone()),
            Body::Pieces(pieces) => concat_pieces(std::mem::take(pieces).into()),
            Body::Spliced(spliced) => {
                let mut whole = Vec::with_capacity(usize::try_from(spliced.left).ok()?);
                spliced.pieces.by_ref().for_each(|piece| whole.extend_from_slice(&piece));
                whole.into()
            }
            Body::Passing(_) | Body::Channel(_) | Body::Broken(_) => return None,
        };
        *self = Body::Whole(bytes.clone());
        Some(bytes)
    }

    /// Passes on a body as it arrives.
    pub fn passing(rest: impl Into<ReceivedBody>, timeout: BodyTimeout) -> Self {
        Body::Passing(Box::new(PassingBody::new(rest, timeout)))
    }
}

impl Body {
    /// The same body once more, where all of it is here.
    #[must_use]
    pub fn try_clone(&self) -> Option<Self> {
        match self {
            Body::Whole(bytes) => Some(Body::Whole(bytes.clone())),
            Body::Pieces(pieces) => Some(Body::Pieces(pieces.clone())),
            Body::Spliced(spliced) => Some(Body::Spliced(spliced.clone())),
            _ if self.is_end_stream() => Some(Body::empty()),
            Body::Passing(_) | Body::Channel(_) | Body::Broken(_) => None,
        }
    }

    /// Waits until the first bytes of a body are here, and shows them. They stay part of it.
    ///
    /// # Errors
    /// The body does not arrive.
    pub async fn first_bytes(&mut self) -> Result<&[u8], BodyError> {
        Ok(match self {
            Body::Whole(bytes) => &bytes[..],
            Body::Pieces(pieces) => pieces.front().map_or(&[][..], |piece| &piece[..]),
            Body::Passing(passing) => passing.first_bytes().await?,
            Body::Spliced(_) | Body::Channel(_) | Body::Broken(_) => &[][..],
        })
    }

    /// Reads a body of up to `limit` bytes. A longer one goes on where it began, and so does one that is being made.
    pub async fn read(self, limit: usize) -> Result<BodyRead, BodyError> {
        match self {
            Body::Whole(bytes) if bytes.len() <= limit => Ok(BodyRead::Whole(bytes)),
            Body::Whole(_)
            | Body::Pieces(_)
            | Body::Spliced(_)
            | Body::Channel(_)
            | Body::Broken(_) => Ok(BodyRead::TooLong(self)),
            Body::Passing(mut passing) => {
                Ok(match passing.gather(limit, PieceBuffer::default()).await? {
                    Some(gathered) => BodyRead::Whole(gathered.into()),
                    None => BodyRead::TooLong(Body::Passing(passing)),
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
        Body::Whole(bytes)
    }
}

impl From<Vec<Bytes>> for Body {
    fn from(mut pieces: Vec<Bytes>) -> Self {
        match pieces.len() {
            0 | 1 => Body::Whole(pieces.pop().unwrap_or_default()),
            _ => Body::Pieces(pieces.into()),
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

    #[inline]
    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let body = self.get_mut();
        let frame = match body {
            Body::Whole(bytes) => return Poll::Ready(take_frame(bytes).map(Ok)),
            Body::Pieces(pieces) => {
                return Poll::Ready(pieces.pop_front().map(|piece| Ok(Frame::data(piece))));
            }
            Body::Spliced(spliced) => {
                let piece = spliced.pieces.next();
                let sent = piece.as_ref().map_or(spliced.left, |piece| piece.len() as u64);
                spliced.left = spliced.left.saturating_sub(sent);
                return Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))));
            }
            Body::Passing(passing) => ready!(passing.poll_frame(context)),
            Body::Channel(pieces) => {
                ready!(pieces.poll_recv(context)).map(|piece| piece.map(Frame::data))
            }
            Body::Broken(error) => return Poll::Ready(error.take().map(Err)),
        };
        let Some(Err(error)) = frame else { return Poll::Ready(frame) };
        // hyper sends nothing after an error, so what came before has to be sent first.
        *body = Body::Broken(Some(error));
        context.waker().wake_by_ref();
        Poll::Pending
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        match self {
            Body::Whole(bytes) => bytes.is_empty(),
            Body::Pieces(pieces) => pieces.is_empty(),
            Body::Spliced(spliced) => spliced.left == 0,
            Body::Passing(passing) => passing.before.is_empty() && passing.rest.is_end_stream(),
            Body::Channel(_) | Body::Broken(_) => false,
        }
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Pieces(pieces) => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            Body::Spliced(spliced) => SizeHint::with_exact(spliced.left),
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
            Body::Channel(_) | Body::Broken(_) => SizeHint::default(),
        }
    }
}

impl PassingBody {
    pub(super) fn new(rest: impl Into<ReceivedBody>, timeout: BodyTimeout) -> Self {
        PassingBody {
            before: Bytes::new(),
            rest: rest.into(),
            stall_timer: StallTimer::new(timeout),
        }
    }

    /// Waits until there are some bytes, and keeps them for the next reader.
    async fn first_bytes(&mut self) -> Result<&[u8], BodyError> {
        while self.before.is_empty() {
            match poll_fn(|context| self.poll_frame(context)).await {
                Some(frame) => self.before = frame?.into_data().unwrap_or_default(),
                None => break,
            }
        }
        Ok(&self.before[..])
    }

    /// Reads up to `limit` bytes. Nothing if there are more: then it goes on where it began.
    pub(super) async fn gather(
        &mut self,
        limit: usize,
        mut gathered: PieceBuffer,
    ) -> Result<Option<PieceBuffer>, BodyError> {
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

    fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(before) = take_frame(&mut self.before) {
            return Poll::Ready(Some(Ok(before)));
        }
        match Pin::new(&mut self.rest).poll_frame(context) {
            Poll::Ready(frame) => {
                self.stall_timer.restart();
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                ready!(self.stall_timer.poll_expired(context));
                Poll::Ready(Some(Err(TooSlow.into())))
            }
        }
    }
}

/// Watches how slow a sender is. The timer is made when there is first something to wait for.
struct StallTimer {
    timeout: BodyTimeout,
    timer: Option<Pin<Box<Sleep>>>,
    has_moved: bool,
}

impl StallTimer {
    fn new(timeout: BodyTimeout) -> Self {
        StallTimer { timeout, timer: None, has_moved: false }
    }

    fn restart(&mut self) {
        self.has_moved = true;
    }

    fn poll_expired(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let end = || self.timeout.end();
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end())));
        if std::mem::take(&mut self.has_moved) {
            timer.as_mut().reset(end());
        }
        timer.as_mut().poll(context)
    }
}

/// The bytes, if there are any left.
fn take_frame(bytes: &mut Bytes) -> Option<Frame<Bytes>> {
    (!bytes.is_empty()).then(|| Frame::data(std::mem::take(bytes)))
}
