//! The problems of a request: why it cannot go on as its sender wants.

/// Why a request cannot be rewritten, and must not go on as it came either.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RewriteProblem {
    /// It asks us for something that does not exist.
    #[error("{message}")]
    BadOption {
        /// The member of the request that is wrong.
        field: Option<String>,
        /// What is wrong with it, and what would be right.
        message: String,
    },
    /// Secrets are to be taken out of it, and it could not be checked for them.
    #[error("the request could not be checked for secrets, and was not sent: {0}")]
    Unchecked(String),
    /// JSON in its prompt cannot be converted, and the settings say that it must not go on as it is.
    #[error("{0}")]
    Unconvertible(String),
}

impl RewriteProblem {
    /// It asks for something that does not exist.
    pub(crate) fn bad_option(message: impl Into<String>) -> Self {
        RewriteProblem::BadOption { field: None, message: message.into() }
    }

    /// It could not be checked for secrets.
    pub(crate) fn unchecked(why: &str) -> Self {
        RewriteProblem::Unchecked(why.to_owned())
    }
}
