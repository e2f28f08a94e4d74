//! Texts that an earlier reading found, so that they are not looked at byte by byte again.

/// Knows texts of earlier bodies.
pub trait Known {
    /// How long the text is that starts at `at` of the body, if it is known; `rest` is the body from there on.
    ///
    /// Only for what a [`Request`](crate::Request) found as [`Shape::Text`](crate::Shape::Text), byte for byte: a text
    /// that never stood between two quotes would be taken for one that did.
    fn length(&self, at: usize, rest: &[u8]) -> Option<usize>;
}

/// Knows none.
pub(crate) struct Unknown;

impl Known for Unknown {
    fn length(&self, _: usize, _: &[u8]) -> Option<usize> {
        None
    }
}
