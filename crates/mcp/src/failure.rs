//! Why a server gave no answer, in words for its client. Nothing that the server said is repeated.

use crate::rpc::{self, ErrorCode};
use std::time::Duration;

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The program cannot be started.
    #[error("its program cannot be started: {0}")]
    NotStarted(std::io::ErrorKind),
    /// The program ended.
    #[error("its program ended")]
    Exited,
    /// Nothing answers at its address.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// It answered with a status that is no success, and without a message.
    #[error("it answered with status {0}")]
    Status(u16),
    /// It forgot the session.
    #[error("it ended the session")]
    SessionGone,
    /// It did not answer in time.
    #[error("it did not answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// Its stream ended before the answer.
    #[error("its stream ended before the answer")]
    Broken,
    /// It answered with what is no message.
    #[error("its answer cannot be understood")]
    Garbage,
    /// It answered in a coding that the gateway did not accept.
    #[error(
        "its answer is in a Content-Encoding that was not asked for (expected gzip, deflate or none)"
    )]
    Coding,
    /// It answered with more than is allowed.
    #[error("its answer has more than 8 MiB")]
    TooLong,
    /// It answered the greeting with an error.
    #[error("it refused the greeting")]
    NotGreeted,
    /// It failed again and again and is left alone for a while.
    #[error("it failed before, and is asked again in {} s", .0.as_secs().max(1))]
    Resting(Duration),
    /// Too many requests wait for it.
    #[error("too many requests wait for it")]
    Busy,
    /// The client took its request back.
    #[error("the request was cancelled")]
    Cancelled,
}

impl Failure {
    /// As the answer to a request.
    #[must_use]
    pub fn answer(&self, id: &str, prefix: &str) -> String {
        match self {
            Failure::Cancelled => rpc::error(Some(id), ErrorCode::Cancelled, "cancelled"),
            failure => rpc::error(
                Some(id),
                ErrorCode::Server,
                &format!("tool server `{prefix}`: {failure}"),
            ),
        }
    }
}
