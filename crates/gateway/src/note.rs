//! A request under way, whose savings are counted when it is over, however it ends.

use crate::expand::Expanded;
use crate::gateway::Gateway;
use crate::report::Report;
use crate::telemetry::Record;
use http::HeaderMap;
use http::header::USER_AGENT;
use std::sync::Arc;
use tokenforge_ledger::Name;
use tokenforge_providers::Usage;

/// A request under way. Only one that a provider took saves anything.
pub(crate) struct Note {
    gateway: Arc<Gateway>,
    record: Record,
    is_taken: bool,
}

impl Note {
    /// It is paid for with a subscription.
    pub(crate) fn subscribed(mut self, is_subscription: bool) -> Self {
        self.record.is_subscription = is_subscription;
        self
    }

    /// A request, and the length of the body that goes on if it goes to a model.
    pub(crate) fn new(gateway: &Arc<Gateway>, report: Report, body_bytes: Option<usize>) -> Self {
        let record = Record { sums: report.sums(), report, body_bytes, ..Record::default() };
        Note { gateway: gateway.clone(), record, is_taken: false }
    }

    /// The provider took the request.
    pub(crate) fn taken(&mut self) {
        self.is_taken = true;
        self.gateway.telemetry.taken(&self.record);
        if !self.gateway.telemetry.has_ledger() {
            // Nobody asks for them one by one any more.
            self.record.report.results = Vec::new();
        }
    }

    /// The model fetched something back.
    pub(crate) fn expanded(&mut self, expanded: Option<Expanded>) {
        self.record.expanded.extend(expanded);
    }

    /// The provider said what the turn cost.
    pub(crate) fn counted(&mut self, usage: Usage) {
        self.gateway.telemetry.usage(&usage);
        self.record.usage = Some(usage);
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let record = std::mem::take(&mut self.record);
        match self.is_taken {
            true => self.gateway.telemetry.settle(record),
            false => self.gateway.telemetry.not_taken(),
        }
    }
}

/// The agent that sends these headers, as it calls itself.
pub(crate) fn client(headers: &HeaderMap) -> Option<Name> {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).and_then(named)
}

/// The name before the version: `claude-cli/2.1.0 (external, cli)` is `claude-cli`.
fn named(agent: &str) -> Option<Name> {
    let name = agent.split(['/', ' ', '(']).next()?;
    (!name.is_empty()).then(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_name_without_its_version() {
        for (agent, name) in [
            ("claude-cli/2.1.0 (external, cli)", Some("claude-cli")),
            ("codex_cli_rs/0.50.0 (Debian 13.0.0; x86_64) xterm", Some("codex_cli_rs")),
            ("OpenAI/Python 2.1.0", Some("OpenAI")),
            ("python-requests", Some("python-requests")),
            ("", None),
            ("/1", None),
        ] {
            assert_eq!(named(agent), name.map(Name::from), "{agent}");
        }
    }
}
