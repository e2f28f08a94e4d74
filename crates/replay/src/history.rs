//! A user's whole history, replayed on several threads: one log at a time on each.

use crate::account::{ReplayAccount, ReplayedSession};
use crate::owners::RequestOwners;
use crate::plan::ReplayPlan;
use crate::source::LogSource;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// What was found out about a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayHistory {
    /// All sessions together.
    pub total: ReplayAccount,
    /// Each of them, in the order of their logs.
    pub sessions: Vec<ReplayedSession>,
    /// Logs that tell nothing, or not all.
    pub problems: Vec<LogProblem>,
}

/// A log that could not be read, or not wholly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogProblem {
    /// Which.
    pub file: String,
    /// Which line of it, where it is one line's problem.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// What came of one log.
type LogOutcome = (Vec<ReplayedSession>, Vec<LogProblem>);

/// Replays logs. `progress` is told of the bytes that were read, from any thread.
pub fn replay(
    sources: &[LogSource],
    plan: &ReplayPlan<'_>,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> ReplayHistory {
    let threads = threads.clamp(1, sources.len().max(1));
    let (owners, next) = (owners(sources, threads), AtomicUsize::new(0));
    let (sender, outcomes) = mpsc::channel::<(usize, LogOutcome)>();
    let mut history =
        ReplayHistory { total: ReplayAccount::new(), sessions: Vec::new(), problems: Vec::new() };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, owners) = (sender.clone(), &next, &owners);
            scope.spawn(move || {
                while let Some((at, source)) = take_next(sources, next) {
                    let is_copy = |request| owners.is_copy(request, at);
                    if sender.send((at, one(source, plan, &is_copy, progress))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // In the order of the logs, so that sums do not depend on which thread was first.
        let (mut waiting, mut due) = (BTreeMap::new(), 0);
        for (at, outcome) in outcomes {
            waiting.insert(at, outcome);
            while let Some(outcome) = waiting.remove(&due) {
                history.add(outcome);
                due += 1;
            }
        }
    });
    history
}

impl ReplayHistory {
    fn add(&mut self, (sessions, problems): LogOutcome) {
        // A log of settings, or a session without a request to a model.
        let asked = sessions.into_iter().filter(|session| session.account.requests > 0);
        for mut session in asked {
            self.total.add(&session.account);
            session.account.tools.clear();
            session.account.stages.clear();
            session.account.kept.clear();
            session.account.declarations.tools.clear();
            self.sessions.push(session);
        }
        self.problems.extend(problems);
    }
}

/// Which log each request belongs to. That must be known before any is replayed, so that it is the same log whichever
/// thread is first. Only ids are read, which takes little of the time that replaying does.
fn owners(sources: &[LogSource], threads: usize) -> RequestOwners {
    let (next, owners) = (AtomicUsize::new(0), Mutex::new(RequestOwners::default()));
    if sources.len() > 1 {
        let add = |request, log| {
            owners.lock().unwrap_or_else(PoisonError::into_inner).add(request, log);
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((at, source)) = take_next(sources, &next) {
                        source.requests(&mut |request| add(request, at));
                    }
                });
            }
        });
    }
    owners.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The next log that no worker has taken.
fn take_next<'s>(sources: &'s [LogSource], next: &AtomicUsize) -> Option<(usize, &'s LogSource)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    sources.get(at).map(|source| (at, source))
}

fn one(
    source: &LogSource,
    plan: &ReplayPlan<'_>,
    is_copy: &dyn Fn(u64) -> bool,
    progress: &(dyn Fn(u64) + Sync),
) -> LogOutcome {
    let file = source.path().display().to_string();
    let problem = |line, reason| LogProblem { file: file.clone(), line, reason };
    match source.replay(plan, Vec::new(), is_copy, &|bytes| progress(bytes)) {
        Err(error) => (Vec::new(), vec![problem(None, error.to_string())]),
        Ok((sessions, skipped)) => {
            let named = skipped.first.len();
            let first = skipped.first.into_iter();
            let mut problems: Vec<_> =
                first.map(|(line, reason)| problem(Some(line), reason)).collect();
            if skipped.count > named {
                let reason = format!("{} further lines cannot be read", skipped.count - named);
                problems.push(problem(None, reason));
            }
            (sessions, problems)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExpansionOffer;
    use crate::source;
    use serde_json::{Value, json};
    use std::fs;
    use tokenforge_config::OldResults;
    use tokenforge_engine::Settings;

    /// A turn of a session: a result, and the answer to it.
    fn turn(session: &str, number: usize) -> [Value; 2] {
        let (call, answer) = (format!("t{number}"), format!("m{number}"));
        let rows: Vec<_> =
            (0..60).map(|id| json!({"id": id, "state": "open", "turn": number})).collect();
        let result = json!([{"type": "tool_result", "tool_use_id": call, "content": json!(rows).to_string()}]);
        let usage = json!({"input_tokens": 9000, "output_tokens": 5});
        let message = json!({"id": answer, "role": "assistant", "model": "claude-opus-4-5", "content": [], "usage": usage});
        [
            json!({"type": "user", "uuid": format!("u{number}"), "sessionId": session, "message": {"role": "user", "content": result}}),
            json!({"type": "assistant", "uuid": format!("a{number}"), "sessionId": session, "requestId": format!("r{number}"), "message": message}),
        ]
    }

    fn log(session: &str, turns: &[usize]) -> String {
        let lines = turns.iter().flat_map(|number| turn(session, *number));
        lines.map(|line| line.to_string() + "\n").collect()
    }

    fn replay_logs(logs: &[String], threads: usize) -> ReplayHistory {
        let folder = tempfile::tempdir().unwrap();
        for (number, log) in logs.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.jsonl")), log).unwrap();
        }
        let (settings, expansion) = (Settings::default(), ExpansionOffer::FromStart);
        let plan = ReplayPlan {
            settings,
            counter: None,
            class: None,
            expansion,
            old_results: OldResults::WhenCold,
            prices: &|_| None,
        };
        let mut history = replay(&source::at(folder.path()), &plan, threads, &|_| {});
        history.sessions.iter_mut().for_each(|session| session.file.clear());
        history
    }

    #[test]
    fn what_forks_share_is_counted_once_and_in_the_first_log() {
        let logs = [log("a", &[1, 2, 3]), log("b", &[1, 2, 4, 5]), log("c", &[1, 2, 3])];
        let found = replay_logs(&logs, 1);
        let requests: Vec<_> =
            found.sessions.iter().map(|session| session.account.requests).collect();
        assert_eq!(requests, [3, 2]);
        let total = &found.total;
        assert_eq!((total.requests, total.results.count), (5, 5));
        assert_eq!(total.before.tokens.input, 5.0 * 9000.0);
        // What a fork began with makes its own requests cheaper.
        let alone = replay_logs(&[log("b", &[4, 5])], 1);
        let fork = &found.sessions[1].account;
        assert!(fork.results.cost_saved > alone.total.results.cost_saved);
        assert_eq!(fork.results.tokens_in, alone.total.results.tokens_in);
        assert_eq!(replay_logs(&logs, 3), found);
    }
}
