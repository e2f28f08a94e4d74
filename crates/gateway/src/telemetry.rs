//! What can be seen from outside: counters, events, logs. Never a text, a prompt or a key.

use crate::answer::Problem;
use crate::report::Report;
use tokenforge_compress::prompt;
use tokenforge_config::Settings;
use tokenforge_dialects::Usage;

/// Counts, and tells whoever listens.
pub(crate) struct Telemetry {}

impl Telemetry {
    pub(crate) fn new(_settings: &Settings) -> Self {
        Telemetry {}
    }

    pub(crate) fn reconfigure(&self, _settings: &Settings) {}

    /// A request was rewritten.
    pub(crate) fn rewritten(&self, _report: &Report) {}

    /// The provider said what a turn cost.
    pub(crate) fn usage(&self, _usage: &Usage) {}

    /// The model asked for what was left out: it got this text, or this explanation.
    pub(crate) fn expansion(&self, _answer: Result<&str, &String>) {}

    /// A text of a prompt was converted, or not.
    pub(crate) fn prompt(&self, _outcome: &prompt::Outcome, _is_logged: bool) {}

    /// What a strategy said before was used again.
    pub(crate) fn strategy_remembered(&self) {}

    /// A strategy was asked, and had an answer or not.
    pub(crate) fn strategy_asked(&self, _is_success: bool) {}

    /// A client hears of a problem.
    pub(crate) fn problem(&self, problem: &Problem) {
        tracing::info!(status = problem.status.as_u16(), "a request was not served");
    }

    pub(crate) fn store_failed(&self, error: &tokenforge_store::Error) {
        tracing::warn!(%error, "the store does not answer; nothing is left out of new results");
    }
}
