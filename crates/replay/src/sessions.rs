//! Measures the sessions of a set.

use crate::account::Account;
use crate::corpus::CorpusError;
use crate::plan::Plan;
use crate::probes::Probe;
use crate::report::Set;
use crate::source::LogSource;

/// What becomes of the sessions of one set.
///
/// # Errors
/// If one cannot be read.
pub(crate) fn measure(
    sessions: Vec<(LogSource, Vec<Probe>)>,
    plan: &Plan<'_>,
) -> Result<Set, CorpusError> {
    let mut total = Account::new();
    let (mut count, mut dearer) = (0, 0);
    for (source, probes) in sessions {
        let malformed = |error: crate::read::LogError| CorpusError::Malformed {
            path: source.path().to_owned(),
            line: 1,
            reason: error.to_string(),
        };
        let (sessions, _) = source.replay(plan, probes, &|_| false, &|_| {}).map_err(malformed)?;
        count += sessions.len();
        dearer += sessions.iter().filter(|session| session.is_dearer()).count();
        sessions.iter().for_each(|session| total.add(&session.account));
    }
    Ok(Set {
        sessions: count,
        dearer,
        tool_tokens_in: total.results.tokens_in,
        tool_tokens_out: total.results.tokens_out,
        probes: total.probes.unwrap_or_default(),
        cost_ratio: total.input_cost_ratio(),
        bill_ratio: total.cost_ratio(),
        requests: total.requests,
        logged: total.logged,
        prefix_stability: total.prefix_stability,
    })
}
