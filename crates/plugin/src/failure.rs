//! A call that went wrong.

use crate::phase::Phase;
use crate::plugin::Error;
use std::sync::Arc;
use std::time::Duration;

/// A call that went wrong. What it had changed was undone.
#[derive(Debug, thiserror::Error)]
#[error("plugin `{plugin}` in phase {phase}: {cause}")]
pub struct Failure {
    /// Whose call it was.
    pub plugin: Arc<str>,
    /// When.
    pub phase: Phase,
    /// What happened.
    pub cause: FailureCause,
}

/// How a call can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FailureCause {
    /// It gave an error.
    #[error("{0}")]
    Error(Error),
    /// It panicked.
    #[error("it panicked")]
    Panic,
    /// It took too long.
    #[error("it took longer than {0:?}")]
    Timeout(Duration),
}
