//! What the calls of each plugin came to.

use crate::failure::FailureCause;
use crate::phase::Phase;
use crate::plugin::Flow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What the calls of one plugin in one phase came to so far.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginMetrics {
    /// The name of the plugin.
    pub plugin: Arc<str>,
    /// The phase it was called in.
    pub phase: Phase,
    /// Calls that were begun. One that a client's disconnect cut short is counted here only.
    pub calls: u64,
    /// Calls that ended the request with a response of the plugin's own.
    pub terminations: u64,
    /// Calls that gave an error.
    pub errors: u64,
    /// Calls that panicked.
    pub panics: u64,
    /// Calls that took too long.
    pub timeouts: u64,
    /// What the calls took, waiting included.
    pub nanoseconds: u64,
}

/// The counters of one plugin, for every phase.
#[derive(Default)]
pub(crate) struct Meter([Counters; Phase::ALL.len()]);

#[derive(Default)]
struct Counters {
    calls: AtomicU64,
    terminations: AtomicU64,
    errors: AtomicU64,
    panics: AtomicU64,
    timeouts: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Meter {
    pub(crate) fn count_call(&self, phase: Phase) {
        self.0[phase.index()].calls.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_result(
        &self,
        phase: Phase,
        result: &Result<Flow, FailureCause>,
        took: Duration,
    ) {
        let counters = &self.0[phase.index()];
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        counters.nanoseconds.fetch_add(nanoseconds, Relaxed);
        let counter = match result {
            Ok(Flow::Continue | Flow::SkipRest) => return,
            Ok(Flow::Terminate(_)) => &counters.terminations,
            Err(FailureCause::Error(_)) => &counters.errors,
            Err(FailureCause::Panic) => &counters.panics,
            Err(FailureCause::Timeout(_)) => &counters.timeouts,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub(crate) fn read(&self, plugin: Arc<str>, phase: Phase) -> PluginMetrics {
        let counters = &self.0[phase.index()];
        PluginMetrics {
            plugin,
            phase,
            calls: counters.calls.load(Relaxed),
            terminations: counters.terminations.load(Relaxed),
            errors: counters.errors.load(Relaxed),
            panics: counters.panics.load(Relaxed),
            timeouts: counters.timeouts.load(Relaxed),
            nanoseconds: counters.nanoseconds.load(Relaxed),
        }
    }
}
