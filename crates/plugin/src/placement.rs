//! Where a plugin stands in a chain, and how far it is trusted.

use std::time::Duration;

/// Where a plugin stands in a chain, and how far it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Lower is called earlier, in every phase. Equals are called in the order in which they were given. Plugins that
    /// [encode](crate::Plugin::encodes) come after all others.
    pub priority: i32,
    /// How a request goes on when a call fails.
    pub on_error: ErrorPolicy,
    /// How long a call may take before it has failed.
    pub timeout: Duration,
}

impl Default for Placement {
    fn default() -> Self {
        Self { priority: 0, on_error: ErrorPolicy::default(), timeout: Duration::from_secs(1) }
    }
}

/// How a request goes on when a plugin's call panics, fails or takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorPolicy {
    /// As if the plugin were not there: the request matters more.
    #[default]
    Open,
    /// Not at all: the client gets a 502. In [`Phase::OnError`](crate::Phase::OnError), where the request has failed
    /// already, this is the same as `Open`.
    Closed,
}
