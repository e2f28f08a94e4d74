//! Bounded buffering: reading a body whole, up to a limit.

use super::body::{Body, BodyError, BodyTimeout};
use bytes::{Bytes, BytesMut};
use hyper::body::Incoming;

/// However long a body says it is, there is room for no more before any of it has arrived. The operating system gives
/// memory when it is written to, so that this costs addresses; a buffer that grows would hold all of it twice for a moment.
const ROOM: u64 = 32 << 20;

/// So many pieces of a body are kept apart: reading is quicker than that most of the time.
const FEW: usize = 8;

/// A body that was to be read whole.
pub enum BodyRead<T = Bytes> {
    /// All of it.
    Whole(T),
    /// It is longer than the bound, or of unknown length: what was read is put before the rest.
    TooLong(Body),
}

/// Reads a body of up to `limit` bytes, which must come in time.
pub async fn read_whole(
    body: Incoming,
    limit: usize,
    timeout: BodyTimeout,
) -> Result<BodyRead, BodyError> {
    Body::passing(body, timeout).read(limit).await
}

/// Reads a body that passes like [`read_whole`], to be passed on as it is: in the pieces in which it came, if they are few.
pub async fn read_pieces(body: Body, limit: usize) -> Result<BodyRead<Vec<Bytes>>, BodyError> {
    let Body::Passing(mut passing) = body else { return Ok(BodyRead::TooLong(body)) };
    Ok(match passing.gather(limit, PieceBuffer::apart()).await? {
        Some(gathered) => BodyRead::Whole(gathered.into_pieces()),
        None => BodyRead::TooLong(Body::Passing(passing)),
    })
}

/// What arrived of a body so far.
///
/// A few pieces are kept as they came: a body that has no others is not copied. Of more than that, no more than the bytes
/// are kept, so that the connection can use the memory they came in again.
pub(super) struct PieceBuffer {
    few: Vec<Bytes>,
    all: BytesMut,
    /// How many are few.
    most: usize,
}

impl Default for PieceBuffer {
    /// To be one piece in the end.
    fn default() -> Self {
        PieceBuffer { few: Vec::new(), all: BytesMut::new(), most: 1 }
    }
}

impl PieceBuffer {
    /// Need not be one piece in the end.
    fn apart() -> Self {
        PieceBuffer { most: FEW, ..Self::default() }
    }

    /// One more piece, and how much is known to follow it.
    pub(super) fn add(&mut self, piece: Bytes, rest: u64) {
        if piece.is_empty() {
            return;
        }
        if self.all.is_empty() && self.few.len() < self.most {
            self.few.push(piece);
            return;
        }
        if self.all.is_empty() {
            self.all.reserve(self.len() + piece.len() + rest.min(ROOM) as usize);
            self.few.drain(..).for_each(|piece| self.all.extend_from_slice(&piece));
        }
        self.all.extend_from_slice(&piece);
    }

    pub(super) fn len(&self) -> usize {
        self.few.iter().map(Bytes::len).sum::<usize>() + self.all.len()
    }

    fn into_pieces(self) -> Vec<Bytes> {
        if self.all.is_empty() { self.few } else { vec![self.all.freeze()] }
    }
}

impl From<PieceBuffer> for Bytes {
    fn from(gathered: PieceBuffer) -> Self {
        concat_pieces(gathered.into_pieces())
    }
}

/// Pieces as one: not copied if it is one already.
pub fn concat_pieces(mut pieces: Vec<Bytes>) -> Bytes {
    match pieces.len() {
        0 | 1 => pieces.pop().unwrap_or_default(),
        _ => pieces.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_the_same_in_however_many_pieces_it_comes() {
        for pieces in [&["", "one piece"][..], &["one", " ", "piece"], &["one piece", "", ""]] {
            let mut gathered = PieceBuffer::default();
            for piece in pieces {
                gathered.add(Bytes::from_static(piece.as_bytes()), u64::MAX);
            }
            assert_eq!(gathered.len(), 9);
            assert_eq!(Bytes::from(gathered), "one piece");
        }
    }

    #[test]
    fn pieces_are_kept_apart_as_long_as_they_are_few() {
        let gathered = |count: usize| {
            let mut gathered = PieceBuffer::apart();
            (0..count).for_each(|_| gathered.add(Bytes::from_static(b"ab"), 0));
            assert_eq!(gathered.len(), 2 * count);
            gathered.into_pieces()
        };
        assert_eq!(gathered(FEW).len(), FEW);
        assert_eq!(gathered(3 * FEW), ["ab".repeat(3 * FEW)]);
        assert_eq!(concat_pieces(gathered(FEW)), "ab".repeat(FEW));
    }

    #[test]
    fn a_body_of_one_piece_is_not_copied() {
        let (mut gathered, piece) = (PieceBuffer::default(), Bytes::from("one piece".to_owned()));
        gathered.add(piece.clone(), 0);
        assert_eq!(Bytes::from(gathered).as_ptr(), piece.as_ptr());
    }
}
