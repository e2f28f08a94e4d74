//! Does an agent ask the base URL that it is given?

use super::listener::ProbeScript;
use super::report::Verdict;
use super::trial::{Candidate, TrialEnd, TrialRecord};
use tokenforge_agents::AgentProbe;
use tokenforge_config::Upstreams;

/// How many hosts are named.
const NAMED: usize = 3;

/// How it went, and what was seen.
pub(super) async fn attempt(candidate: Candidate<'_>) -> anyhow::Result<(Verdict, TrialRecord)> {
    let trial = candidate.trial().await?;
    let asked = |record: &TrialRecord| !record.requests.is_empty();
    let record = trial.run(ProbeScript::default(), asked).await?;
    Ok((verdict(candidate.probe, &record), record))
}

fn verdict(probe: &AgentProbe, record: &TrialRecord) -> Verdict {
    if let Some(request) = record.requests.first() {
        return Verdict::Honoured(format!("POST {}", request.path));
    }
    let (providers, others): (Vec<&str>, Vec<&str>) =
        record.hosts.iter().map(String::as_str).partition(|host| is_provider(probe, host));
    let named = |hosts: &[&str]| hosts[..hosts.len().min(NAMED)].join(", ");
    if !providers.is_empty() {
        return Verdict::Ignored(format!("it asked {}", named(&providers)));
    }
    let end = match record.end {
        TrialEnd::Late(limit) => {
            format!("it asked its model nothing for {} seconds", limit.as_secs())
        }
        TrialEnd::Seen | TrialEnd::Ended => "it ended without asking its model anything".to_owned(),
    };
    // Some tell their makers how they are used, whatever comes after.
    match &others[..] {
        [] => Verdict::NotTried(end),
        others => Verdict::NotTried(format!("{end}, but {}", named(others))),
    }
}

/// Is a model behind this host: a provider's own, or the one that its user has set?
fn is_provider(probe: &AgentProbe, host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    let Upstreams { anthropic, openai, gemini, .. } = Upstreams::default();
    let is_own = [anthropic, openai, gemini].iter().any(|origin| origin.host() == Some(name));
    let set = probe.variables.values().chain(probe.files.values());
    is_own || set.into_iter().any(|text| text.contains(&format!("//{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::time::Duration;

    fn of(agent: &str, hosts: &[&str], end: TrialEnd) -> Verdict {
        let hosts: BTreeSet<String> = hosts.iter().map(ToString::to_string).collect();
        let probe = tokenforge_agents::find(agent).unwrap().probe.as_ref().unwrap();
        verdict(probe, &TrialRecord { hosts, end, ..TrialRecord::default() })
    }

    #[test]
    fn w1_only_who_asks_a_provider_past_the_address_ignores_it() {
        let ended = TrialEnd::Ended;
        let ignored = |asked: &str| Verdict::Ignored(format!("it asked {asked}"));
        let hosts = ["api.anthropic.com:443", "telemetry.example.com:443"];
        assert_eq!(of("claude", &hosts, ended), ignored("api.anthropic.com:443"));
        assert_eq!(of("copilot", &["provider.invalid"], ended), ignored("provider.invalid"));
        assert_eq!(of("cline", &["provider.invalid:80"], ended), ignored("provider.invalid:80"));
        let not_tried = |why: &str| Verdict::NotTried(why.to_owned());
        let why = "it ended without asking its model anything, but telemetry.example.com:443";
        assert_eq!(of("claude", &hosts[1..], ended), not_tried(why));
        let late = TrialEnd::Late(Duration::from_secs(2));
        let why = "it asked its model nothing for 2 seconds";
        assert_eq!(of("claude", &[], late), not_tried(why));
    }
}
