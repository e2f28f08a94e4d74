//! Errors of our own, told to a client as its provider would.

/// An error of our own.
#[derive(Debug, Clone, Copy)]
pub struct ApiError<'a> {
    /// The status of the answer.
    pub status: u16,
    /// What is wrong.
    pub message: &'a str,
    /// The member of the request that is wrong.
    pub field: Option<&'a str>,
}
