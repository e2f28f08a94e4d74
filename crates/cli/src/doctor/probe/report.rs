//! What is said of a probed agent: what was relied on, and whether it is honoured.

use super::CHECK;
use crate::doctor::finding::Finding;
use serde::Serialize;
use tokenforge_agents::Agent;

/// What Tokenforge relies on of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reliance {
    /// It asks the base URL that it is given.
    Address,
    /// It names its session in a header.
    Session,
    /// It shows its model what the hook prints.
    Hook,
    /// It starts tool servers as `tokenforge mcp wrap` writes them.
    #[serde(rename = "mcp wrap")]
    McpWrap,
}

/// How it went, and what was seen or why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Honoured(String),
    Ignored(String),
    NotTried(String),
}

/// The same for a program.
#[derive(Debug, Serialize)]
pub(in crate::doctor) struct ProbeReport {
    agent: &'static str,
    version: Option<String>,
    relied_on: Reliance,
    honoured: &'static str,
    why: String,
}

impl Reliance {
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Session => "session",
            Self::Hook => "hook",
            Self::McpWrap => "mcp wrap",
        }
    }

    /// What follows where it is not honoured.
    fn consequence(self) -> &'static str {
        match self {
            Self::Address => "its requests do not go through Tokenforge",
            Self::Session => "its conversations are told apart by their first calls alone",
            Self::Hook => "`tokenforge init` has no effect on it",
            Self::McpWrap => "`tokenforge mcp wrap` does not work for it",
        }
    }
}

impl Verdict {
    /// A run that could not be made.
    pub(super) fn of_error(error: &anyhow::Error) -> Self {
        Self::NotTried(format!("{error:#}"))
    }

    pub(super) fn finding(
        self,
        agent: &'static Agent,
        version: Option<&str>,
        relied_on: Reliance,
    ) -> Finding {
        let shown = version.map(|version| format!(" {version}")).unwrap_or_default();
        let name = format!("{}{shown}, {}", agent.id, relied_on.name());
        let tested = agent.tested.as_deref().unwrap_or("none");
        let remedy = format!("{}; version {tested} was tested", relied_on.consequence());
        let (finding, honoured, why) = match self {
            Self::Honoured(seen) => {
                (Finding::ok(CHECK, format!("{name}: honoured ({seen})")), "yes", seen)
            }
            Self::Ignored(why) => {
                let says = format!("{name}: not honoured; {why}");
                let finding = match relied_on {
                    Reliance::Session => Finding::note(CHECK, says),
                    _ => Finding::broken(CHECK, says),
                };
                (finding.remedied_by(remedy), "no", why)
            }
            Self::NotTried(why) => {
                (Finding::note(CHECK, format!("{name}: not tried; {why}")), "not tried", why)
            }
        };
        let version = version.map(str::to_owned);
        finding.probed(ProbeReport { agent: &agent.id, version, relied_on, honoured, why })
    }
}
