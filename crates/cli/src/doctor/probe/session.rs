//! Does an agent name its session, by which conversations are told apart: the same in all requests of one, another in
//! the next?

use super::listener::ProbeScript;
use super::report::Verdict;
use super::trial::{Candidate, TrialRecord};
use std::collections::BTreeSet;

/// How it went in two runs of its own.
pub(super) async fn attempt(candidate: Candidate<'_>) -> anyhow::Result<Verdict> {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let trial = candidate.trial().await?;
        let asked = |record: &TrialRecord| !record.requests.is_empty();
        runs.push(trial.run(ProbeScript::default(), asked).await?);
    }
    Ok(verdict(&candidate.agent.session_headers, &runs))
}

/// How it went in these runs, of which each is a conversation.
pub(super) fn verdict(headers: &[String], runs: &[TrialRecord]) -> Verdict {
    let runs = runs.iter().filter(|run| !run.requests.is_empty());
    let mut sessions = Vec::new();
    let mut names = BTreeSet::new();
    for run in runs {
        let mut own = BTreeSet::new();
        for request in &run.requests {
            let Some((name, session)) = &request.session else {
                let headers = headers.join(", ");
                return Verdict::Ignored(format!("POST {} has no {headers}", request.path));
            };
            names.insert(*name);
            own.insert(session.as_str());
        }
        if own.len() > 1 {
            return Verdict::Ignored("it changes within a conversation".to_owned());
        }
        sessions.extend(own);
    }
    if sessions.iter().collect::<BTreeSet<_>>().len() < sessions.len() {
        return Verdict::Ignored("it is the same in two conversations".to_owned());
    }
    if names.is_empty() {
        Verdict::NotTried("it asked its model nothing".to_owned())
    } else {
        Verdict::Honoured(names.into_iter().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::listener::ModelRequest;
    use super::*;

    fn run(sessions: &[Option<&str>]) -> TrialRecord {
        let request = |session: &Option<&str>| ModelRequest {
            path: "/v1/messages".to_owned(),
            session: session.map(|session| ("session-id", session.to_owned())),
            ..ModelRequest::default()
        };
        TrialRecord { requests: sessions.iter().map(request).collect(), ..TrialRecord::default() }
    }

    #[test]
    fn w2_a_session_is_named_in_every_request_and_is_another_in_another_conversation() {
        let headers = ["session-id".to_owned()];
        let verdict = |runs: &[&[Option<&str>]]| {
            verdict(&headers, &runs.iter().map(|sessions| run(sessions)).collect::<Vec<_>>())
        };
        let (a, b) = (Some("a"), Some("b"));
        assert_eq!(verdict(&[&[a], &[b, b]]), Verdict::Honoured("session-id".to_owned()));
        assert_eq!(verdict(&[&[a], &[]]), Verdict::Honoured("session-id".to_owned()));
        let ignored = |why: &str| Verdict::Ignored(why.to_owned());
        assert_eq!(verdict(&[&[a], &[None]]), ignored("POST /v1/messages has no session-id"));
        assert_eq!(verdict(&[&[a], &[b, a]]), ignored("it changes within a conversation"));
        assert_eq!(verdict(&[&[a], &[a]]), ignored("it is the same in two conversations"));
        assert!(matches!(verdict(&[&[], &[]]), Verdict::NotTried(_)));
    }
}
