//! Reading a body whole, within bounds.

use super::body::{Body, BodyError, Limit, TooSlow};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::collections::VecDeque;
use tokio::time::{Instant, timeout_at};

/// A body that was to be read whole.
pub(crate) enum Read {
    /// All of it, in the pieces it came in.
    Whole(VecDeque<Bytes>),
    /// It is longer than the bound, or nobody knows how long: what was read is put before the rest.
    TooLong(Body),
}

/// Reads a body of up to `limit` bytes, which must be here by `until`.
pub(crate) async fn read(body: Incoming, limit: usize, until: Instant) -> Result<Read, BodyError> {
    timeout_at(until, read_within(body, limit, until)).await.map_err(|_| TooSlow)?
}

async fn read_within(mut body: Incoming, limit: usize, until: Instant) -> Result<Read, BodyError> {
    let mut pieces = VecDeque::new();
    let mut length = 0;
    loop {
        let Some(frame) = body.frame().await else { return Ok(Read::Whole(pieces)) };
        let Ok(piece) = frame?.into_data() else { continue };
        length += piece.len();
        pieces.push_back(piece);
        if length > limit {
            return Ok(Read::TooLong(Body::resumed(pieces, body, Limit::Until(until), None)));
        }
    }
}

/// The pieces as one. A body that came in one piece is not copied.
pub(crate) fn joined(mut pieces: VecDeque<Bytes>) -> Bytes {
    if pieces.len() <= 1 {
        return pieces.pop_front().unwrap_or_default();
    }
    let mut whole = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
    pieces.iter().for_each(|piece| whole.extend_from_slice(piece));
    whole.freeze()
}
