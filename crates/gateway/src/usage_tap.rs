//! A tap on an answer that passes unchanged: what the provider says about tokens is read on the side.

use crate::pending_account::PendingAccount;
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::response::Parts;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokenforge_providers::{Dialect, UsageMeter, WireFormat};
use tokenforge_proxy::body::{Body, BodyError};
use tokenforge_proxy::coding::{ContentCoding, PieceDecoder};

/// A large piece is decoded bit by bit, so that what it may swell to is bounded.
const CODED_PIECE: usize = 1 << 10;

/// A request whose answer passes as it comes.
pub(crate) struct MeteredAnswer {
    pub(crate) account: PendingAccount,
    pub(crate) dialect: Dialect,
    /// A stream was asked for.
    pub(crate) streams: bool,
}

impl MeteredAnswer {
    /// A tap for this answer; nothing if it is none that says what was counted.
    pub(crate) fn tap(self: Box<Self>, answer: Option<&Parts>) -> Option<Box<UsageTap>> {
        let head = answer.filter(|head| head.status == StatusCode::OK)?;
        let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let wire = WireFormat::of(self.dialect, content_type.unwrap_or_default(), self.streams)?;
        let coding = ContentCoding::of(&head.headers).ok()?;
        let decoder = match coding {
            Some(coding) => Some(coding.decoder().ok()?),
            None => None,
        };
        let meter = Some(UsageMeter::new(self.dialect, wire));
        Some(Box::new(UsageTap { meter, decoder, account: self.account }))
    }
}

/// Sees the bytes of an answer. When it is dropped, what was counted goes to the account: at the end of the answer,
/// when it broke off, or when the client has gone.
pub(crate) struct UsageTap {
    /// Nothing once the answer cannot be read.
    meter: Option<UsageMeter>,
    /// The client chose the coding, and gets it: a copy is decoded.
    decoder: Option<PieceDecoder>,
    account: PendingAccount,
}

impl UsageTap {
    /// The next bytes of the answer.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        let Some(meter) = &mut self.meter else { return };
        let Some(decoder) = &mut self.decoder else { return meter.push(bytes) };
        for piece in bytes.chunks(CODED_PIECE) {
            match decoder.push(piece) {
                Ok(plain) => meter.push(&plain),
                Err(_) => {
                    // What came before it may have said enough.
                    return self.settle();
                }
            }
        }
    }
}

impl UsageTap {
    /// Tells what was counted, once.
    fn settle(&mut self) {
        if let Some(meter) = self.meter.take() {
            self.account.add_usage(meter.finish());
        }
    }
}

impl Drop for UsageTap {
    fn drop(&mut self) {
        self.settle();
    }
}

/// The body of an answer, and who reads along as it passes.
pub(crate) struct TappedBody {
    pub(crate) body: Body,
    pub(crate) tap: Option<Box<UsageTap>>,
}

impl From<Body> for TappedBody {
    fn from(body: Body) -> Self {
        TappedBody { body, tap: None }
    }
}

impl TappedBody {
    /// Shows the tap what came. At the end the tap reports before the last bytes are forwarded, so that a client that
    /// has the whole answer finds it counted.
    fn tell(&mut self, frame: Option<&Frame<Bytes>>) {
        if let (Some(tap), Some(data)) = (&mut self.tap, frame.and_then(Frame::data_ref)) {
            tap.see(data);
        }
        if frame.is_none() || self.body.is_end_stream() {
            self.tap = None;
        }
    }
}

impl HttpBody for TappedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let me = self.get_mut();
        let frame = ready!(Pin::new(&mut me.body).poll_frame(context));
        if me.tap.is_some() {
            me.tell(frame.as_ref().and_then(|frame| frame.as_ref().ok()));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
