//! Where a relayed answer goes: a client that reads a stream, with backpressure, or one that waits for the whole.

use bytes::Bytes;
use tokenforge_proxy::body::{Body, BodyError};
use tokio::sync::mpsc;

/// How long a piece may be that waits for a client. A channel counts pieces, so that they have to be of like size.
const WAITING_BYTES: usize = 8 << 10;

/// The client that receives the answer.
pub(super) enum AnswerSink {
    /// It reads a stream, and may go away.
    Stream(mpsc::Sender<Result<Bytes, BodyError>>),
    /// It waits for the whole answer. When it goes away, the future that makes the answer is dropped too.
    Buffer(Result<Vec<u8>, BodyError>),
}

/// The client went away.
pub(super) struct ClientGone;

impl AnswerSink {
    /// One that waits for the whole answer.
    pub(super) fn buffer() -> Self {
        AnswerSink::Buffer(Ok(Vec::new()))
    }

    /// The next part of the answer.
    pub(super) async fn send(&mut self, part: Vec<u8>) -> Result<(), ClientGone> {
        match self {
            _ if part.is_empty() => Ok(()),
            AnswerSink::Stream(stream) => {
                if part.len() <= WAITING_BYTES {
                    return stream.send(Ok(part.into())).await.map_err(|_| ClientGone);
                }
                // Copied, not shared: the last bytes of a long part would keep all of it in memory for as long as the client
                // does not read them.
                let pieces: Vec<_> =
                    part.chunks(WAITING_BYTES).map(Bytes::copy_from_slice).collect();
                drop(part);
                for piece in pieces {
                    stream.send(Ok(piece)).await.map_err(|_| ClientGone)?;
                }
                Ok(())
            }
            AnswerSink::Buffer(Ok(whole)) if whole.is_empty() => {
                *whole = part;
                Ok(())
            }
            AnswerSink::Buffer(Ok(whole)) => {
                whole.extend_from_slice(&part);
                Ok(())
            }
            AnswerSink::Buffer(Err(_)) => Err(ClientGone),
        }
    }

    /// The answer is not whole and never will be.
    pub(super) async fn fail(&mut self, error: BodyError) -> ClientGone {
        match self {
            AnswerSink::Stream(stream) => drop(stream.send(Err(error)).await),
            AnswerSink::Buffer(answer) => *answer = Err(error),
        }
        ClientGone
    }

    /// Completes when the client of a stream has gone.
    pub(super) async fn closed(&self) {
        match self {
            AnswerSink::Stream(stream) => stream.closed().await,
            AnswerSink::Buffer(_) => std::future::pending().await,
        }
    }

    /// The whole answer, to who waits for it; a stream has its own already.
    pub(super) fn into_answer(self) -> Result<Body, BodyError> {
        match self {
            AnswerSink::Stream(_) => Ok(Body::empty()),
            AnswerSink::Buffer(answer) => answer.map(|whole| Bytes::from(whole).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn d68_a_long_part_waits_in_pieces_that_hold_nothing_else() {
        let part: Vec<u8> = (0..5 * WAITING_BYTES + 1).map(|at| at as u8).collect();
        let (sender, mut receiver) = mpsc::channel(10);
        assert!(AnswerSink::Stream(sender).send(part.clone()).await.is_ok());
        let mut arrived = Vec::new();
        while let Some(Ok(piece)) = receiver.recv().await {
            assert!(piece.len() <= WAITING_BYTES);
            // Alone in its allocation, or this would give the piece back.
            let piece = piece.try_into_mut().expect("a piece is shared with no other");
            assert!(piece.capacity() <= WAITING_BYTES, "{}", piece.capacity());
            arrived.extend_from_slice(&piece);
        }
        assert_eq!(arrived, part);
    }
}
