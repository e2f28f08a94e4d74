//! Incremental reading: what an earlier reading of a conversation found, so that it is not read byte by byte again.

use crate::request::ConversationTurns;

/// Knows texts and turns of earlier bodies.
pub trait EarlierReading {
    /// How long the text is that starts at `at` of the body, if it is known; `rest` is the body from there on.
    ///
    /// Only for what a [`Request`](crate::Request) found as [`ResultShape::Text`](crate::ResultShape::Text), byte for
    /// byte: a text that never stood between two quotes would be taken for one that did.
    fn text_length(&self, at: usize, rest: &[u8]) -> Option<usize>;

    /// What was found in the turns of a list when it was read before, and the [end](ConversationTurns::end_within) of
    /// the last one that is the same now. The list starts at `at` of the body, with a bracket; `list` is the body from
    /// there on.
    ///
    /// Only for bodies in one dialect, and only for bytes that are the same.
    fn turns(&self, at: usize, list: &[u8]) -> Option<(&ConversationTurns, usize)>;
}

/// Knows none.
pub(crate) struct NoEarlierReading;

impl EarlierReading for NoEarlierReading {
    fn text_length(&self, _: usize, _: &[u8]) -> Option<usize> {
        None
    }

    fn turns(&self, _: usize, _: &[u8]) -> Option<(&ConversationTurns, usize)> {
        None
    }
}
