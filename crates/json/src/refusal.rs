//! Why the walker does not read a text.

/// Why a body is not read, and left as it is. Its offset is in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is no text.
    #[error("invalid UTF-8 at byte {at}")]
    NotUtf8 {
        /// Where.
        at: usize,
    },
    /// It is not JSON. A fault inside a string may be reported at the end of the body.
    #[error("invalid JSON at byte {at}")]
    NotJson {
        /// Where.
        at: usize,
    },
    /// It nests deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    #[error("nested too deeply at byte {at}")]
    TooDeep {
        /// Where.
        at: usize,
    },
    /// A member that decides something occurs twice in one object: readers differ in which of the two they take, so
    /// the gateway cannot tell what the provider would see.
    #[error("`{key}` occurs twice in one object, at byte {at}")]
    Ambiguous {
        /// Its name.
        key: String,
        /// Where the second one is.
        at: usize,
    },
}
