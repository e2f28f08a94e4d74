//! Why a plugin cannot have what it asked its context for.

use crate::phase::Phase;

/// Why a part of a request or response cannot be seen or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// It is shown in other phases only.
    #[error("{part} not available in phase {phase}")]
    WrongPhase {
        /// What was asked for.
        part: &'static str,
        /// When.
        phase: Phase,
    },
    /// The plugin did not say that it needs this body.
    #[error("{part} not available in phase {phase}: `Plugin::body` declares no need for it")]
    Undeclared {
        /// What was asked for.
        part: &'static str,
        /// When.
        phase: Phase,
    },
    /// It streams by, since it is larger than the plugin was ready to wait for, or never ends.
    #[error("{part} not available: it is no body of up to {limit} bytes, as the plugin declared")]
    NotBuffered {
        /// What was asked for.
        part: &'static str,
        /// The size that the plugin declared.
        limit: usize,
    },
    /// It is a stream: it passes while it is made, and is never there as a whole.
    #[error("{part} not available: it is a stream, which passes while it is made")]
    Streamed {
        /// What was asked for.
        part: &'static str,
    },
    /// There is none.
    #[error("{part} not available: there is none yet")]
    Missing {
        /// What was asked for.
        part: &'static str,
    },
}
