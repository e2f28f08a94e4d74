//! From which reply a conversation goes on, where the provider keeps it (`previous_response_id`).

/// The conversation goes on from another reply than the client may think: the replies before the last one have calls
/// that the client never answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyContinuation {
    /// The ids of those replies.
    pub from: Vec<String>,
    /// The id of the one that has the answers.
    pub to: String,
}
