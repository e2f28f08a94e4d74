//! Measures the sessions of a set.

use crate::account::{ReplayAccount, ReplayedSession, ratio};
use crate::corpus::CorpusError;
use crate::plan::ReplayPlan;
use crate::probes::Probe;
use crate::report::{DeclarationShares, OldResultReport, SetReport};
use crate::source::LogSource;

/// What becomes of the sessions of one set.
///
/// # Errors
/// If one cannot be read.
pub(crate) fn measure(
    sessions: Vec<(LogSource, Vec<Probe>)>,
    plan: &ReplayPlan<'_>,
) -> Result<SetReport, CorpusError> {
    let mut total = ReplayAccount::new();
    let (mut count, mut dearer, mut made_dearer) = (0, 0, 0);
    for (source, probes) in sessions {
        let malformed = |error: crate::read::UnreadableLog| CorpusError::Malformed {
            path: source.path().to_owned(),
            line: 1,
            reason: error.to_string(),
        };
        let (sessions, _) = source.replay(plan, probes, &|_| false, &|_| {}).map_err(malformed)?;
        count += sessions.len();
        dearer += sessions.iter().filter(|session| session.is_dearer()).count();
        made_dearer += sessions.iter().filter(|session| is_made_dearer(session)).count();
        sessions.iter().for_each(|session| total.add(&session.account));
    }
    Ok(SetReport {
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
        old_results: old_results(&total, made_dearer),
        declarations: DeclarationShares::of(&total),
    })
}

/// Does leaving old results out make a session dearer?
fn is_made_dearer(session: &ReplayedSession) -> bool {
    session.account.old_results.is_some_and(|sums| sums.is_dearer())
}

fn old_results(total: &ReplayAccount, dearer: usize) -> Option<OldResultReport> {
    let sums = total.old_results?;
    let (before, after) = (&total.before.cost, &total.after.cost);
    let input = after.total_input() + sums.saved.cost.total_input();
    Some(OldResultReport {
        sums,
        fetched: total.expansions.fetched,
        cost_ratio_without: ratio(input, before.total_input()),
        bill_ratio_without: ratio(after.total() + sums.saved.cost.total(), before.total()),
        dearer,
    })
}
