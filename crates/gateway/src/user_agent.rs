//! The `User-Agent` header: which agent sends a request.

use http::HeaderMap;
use http::header::USER_AGENT;
use tokenforge_ledger::BoundedName;

/// The agent that sends these headers, as it calls itself.
pub(crate) fn agent_name(headers: &HeaderMap) -> Option<BoundedName> {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).and_then(without_version)
}

/// The name before the version: `claude-cli/2.1.0 (external, cli)` is `claude-cli`.
fn without_version(agent: &str) -> Option<BoundedName> {
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
            assert_eq!(without_version(agent), name.map(BoundedName::from), "{agent}");
        }
    }
}
