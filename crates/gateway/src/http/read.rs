//! Reading a body whole, within bounds.

use super::body::{Body, BodyError, Limit, TooSlow};
use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

/// However long a body says it is, there is room for no more before any of it has arrived.
const ROOM: u64 = 1 << 20;

/// A body that was to be read whole.
pub(crate) enum Read {
    /// All of it.
    Whole(Bytes),
    /// It is longer than the bound, or nobody knows how long: what was read is put before the rest.
    TooLong(Body),
}

/// Reads a body of up to `limit` bytes, which must be here by `until`.
pub(crate) async fn read(body: Incoming, limit: usize, until: Instant) -> Result<Read, BodyError> {
    timeout_at(until, read_within(body, limit, until)).await.map_err(|_| TooSlow)?
}

async fn read_within(mut body: Incoming, limit: usize, until: Instant) -> Result<Read, BodyError> {
    let mut gathered = Gathered::default();
    loop {
        let Some(frame) = body.frame().await else { return Ok(Read::Whole(gathered.into())) };
        let Ok(piece) = frame?.into_data() else { continue };
        gathered.add(piece, body.size_hint().lower());
        if gathered.len() > limit {
            let body = Body::resumed(gathered.into(), body, Limit::Until(until), None);
            return Ok(Read::TooLong(body));
        }
    }
}

/// What arrived of a body so far, in one piece.
///
/// The first piece is kept as it came: a body that has no other is not copied. Of the others no more than the bytes are
/// kept, so that the connection can use the memory they came in again.
#[derive(Default)]
pub(super) struct Gathered {
    first: Bytes,
    all: BytesMut,
}

impl Gathered {
    /// One more piece, and how much is known to follow it.
    pub(super) fn add(&mut self, piece: Bytes, rest: u64) {
        if self.len() == 0 {
            self.first = piece;
            return;
        }
        if self.all.is_empty() {
            let first = std::mem::take(&mut self.first);
            self.all.reserve(first.len() + piece.len() + rest.min(ROOM) as usize);
            self.all.extend_from_slice(&first);
        }
        self.all.extend_from_slice(&piece);
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() + self.all.len()
    }
}

impl From<Gathered> for Bytes {
    fn from(Gathered { first, all }: Gathered) -> Self {
        if all.is_empty() { first } else { all.freeze() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_the_same_in_however_many_pieces_it_comes() {
        for pieces in [&["", "one piece"][..], &["one", " ", "piece"], &["one piece", "", ""]] {
            let mut gathered = Gathered::default();
            for piece in pieces {
                gathered.add(Bytes::from_static(piece.as_bytes()), u64::MAX);
            }
            assert_eq!(gathered.len(), 9);
            assert_eq!(Bytes::from(gathered), "one piece");
        }
    }

    #[test]
    fn a_body_of_one_piece_is_not_copied() {
        let (mut gathered, piece) = (Gathered::default(), Bytes::from("one piece".to_owned()));
        gathered.add(piece.clone(), 0);
        assert_eq!(Bytes::from(gathered).as_ptr(), piece.as_ptr());
    }
}
