//! A spliced body: the body that came, and what stands in place of some of its ranges. A long one is put together only
//! while it is sent, because a second copy of it would be most of the memory that a request takes.

use bytes::{Bytes, BytesMut};
use std::ops::Range;
use std::sync::Arc;
use tokenforge_providers::replace;

/// A shorter body is put together at once: one write sends it, and many small pieces would take several.
const SHORT: usize = 256 << 10;

/// Pieces of a long body that are copied have about so many bytes, and those that are not copied at least so many.
const PIECE: usize = 64 << 10;

/// A range of a body, and what stands in its place.
pub type Replacement = (Range<usize>, Arc<str>);

/// The body that came, with ranges replaced.
#[derive(Debug, Clone)]
pub struct SplicedBody {
    came: Bytes,
    /// In the order of the body. They do not overlap.
    replaced: Arc<[Replacement]>,
    length: usize,
}

impl SplicedBody {
    /// The body as it came.
    #[must_use]
    pub fn untouched(came: Bytes) -> Self {
        let length = came.len();
        SplicedBody { came, replaced: Arc::default(), length }
    }

    /// A body with these ranges replaced, in any order. Nothing if they overlap or are not of this body.
    #[must_use]
    pub fn new(came: Bytes, mut replaced: Vec<Replacement>) -> Option<Self> {
        replaced.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut at, mut length) = (0, came.len());
        for (range, with) in &replaced {
            if range.start < at || range.end < range.start || range.end > came.len() {
                return None;
            }
            at = range.end;
            length = length - range.len() + with.len();
        }
        Some(SplicedBody { came, replaced: replaced.into(), length })
    }

    /// Is it another body than the one that came?
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// How it is made from the one that came.
    #[must_use]
    pub fn replaced(&self) -> &Arc<[Replacement]> {
        &self.replaced
    }

    /// How many bytes it has.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// All of its bytes. Where nothing is replaced they are the very same.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        // The ranges are of this body, so that something is always made.
        with_replaced(&self.came, &self.replaced).unwrap_or_else(|| self.came.clone())
    }

    /// Is it put together at once when it is sent? One that is short, or as it came, is.
    #[must_use]
    pub fn is_sent_whole(&self) -> bool {
        self.length <= SHORT || !self.is_changed()
    }

    /// Its bytes in pieces, each put together when it is asked for.
    #[must_use]
    pub fn into_pieces(self) -> SplicePieces {
        SplicePieces { body: self, at: 0, next: 0 }
    }
}

/// A body with these ranges replaced; nothing if they are not of this body. Where there are none it is the very same bytes.
#[must_use]
pub fn with_replaced(body: &Bytes, replaced: &[Replacement]) -> Option<Bytes> {
    if replaced.is_empty() {
        return Some(body.clone());
    }
    let ranges = replaced.iter().map(|(range, with)| (range.clone(), &**with));
    replace(body, ranges).map(Bytes::from)
}

/// The pieces of a spliced body: long ranges of the body that came as they are, and what stands between them copied.
#[derive(Debug, Clone)]
pub struct SplicePieces {
    body: SplicedBody,
    /// Up to here the body that came is done.
    at: usize,
    /// The next of the replaced ranges.
    next: usize,
}

impl Iterator for SplicePieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let SplicedBody { came, replaced, .. } = &self.body;
        let mut copied = BytesMut::new();
        while copied.len() < PIECE {
            let replacement = replaced.get(self.next);
            let end = replacement.map_or(came.len(), |(range, _)| range.start);
            let kept = end - self.at;
            if kept >= PIECE {
                if !copied.is_empty() {
                    break;
                }
                let piece = came.slice(self.at..end);
                self.at = end;
                return Some(piece);
            }
            copied.extend_from_slice(&came[self.at..end]);
            self.at = end;
            let Some((range, with)) = replacement else { break };
            copied.extend_from_slice(with.as_bytes());
            self.at = range.end;
            self.next += 1;
        }
        (!copied.is_empty()).then(|| copied.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(range: Range<usize>, with: &str) -> Replacement {
        (range, with.into())
    }

    #[test]
    fn l1_a_long_body_is_sent_as_the_same_bytes_that_it_has_as_a_whole() {
        let mut state = 7_usize;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        for round in 0..40 {
            let length = SHORT + below(4 * PIECE);
            let came: Vec<u8> = (0..length).map(|at| b'a' + (at % 23) as u8).collect();
            let mut replaced = Vec::new();
            let mut end = 0;
            while end < length {
                let start = end + below([10, PIECE, 3 * PIECE][round % 3]);
                end = start + below([3, 3 * PIECE][round % 2]);
                if end <= length {
                    replaced.push(at(start..end, &"X".repeat(below(2 * PIECE))));
                }
            }
            replaced.reverse();
            let body = SplicedBody::new(came.into(), replaced).unwrap();
            let whole = body.to_bytes();
            assert_eq!(body.length(), whole.len());
            let pieces = body.clone().into_pieces().collect::<Vec<_>>();
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
            assert!(pieces.concat() == whole, "round {round}");
        }
    }

    #[test]
    fn ranges_of_another_body_are_refused() {
        let body = Bytes::from_static(b"0123");
        for replaced in [[at(0..3, ""), at(2..4, "")], [at(0..1, ""), at(3..9, "")]] {
            assert!(SplicedBody::new(body.clone(), replaced.into()).is_none());
        }
        let reversed = Range { start: 3, end: 1 };
        assert!(SplicedBody::new(body, vec![at(reversed, "")]).is_none());
    }
}
