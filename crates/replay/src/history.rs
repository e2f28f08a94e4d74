//! A user's whole history, replayed on several threads: one log at a time on each.

use crate::account::{Account, Session};
use crate::plan::Plan;
use crate::source::Source;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// What was found out about a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    /// All sessions together.
    pub total: Account,
    /// Each of them, in the order of their logs.
    pub sessions: Vec<Session>,
    /// Logs that tell nothing, or not all.
    pub problems: Vec<Problem>,
}

/// A log that could not be read, or not wholly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// Which.
    pub file: String,
    /// Which line of it, where it is one line's problem.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// What came of one log.
type Outcome = (Vec<Session>, Vec<Problem>);

/// Replays logs. `progress` is told of the bytes that were read, from any thread.
pub fn replay(
    sources: &[Source],
    plan: &Plan<'_>,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> History {
    let next = AtomicUsize::new(0);
    let (sender, outcomes) = mpsc::channel::<(usize, Outcome)>();
    let mut history = History { total: Account::new(), sessions: Vec::new(), problems: Vec::new() };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, sources.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((at, source)) = taken(sources, next) {
                    if sender.send((at, one(source, plan, progress))).is_err() {
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

impl History {
    fn add(&mut self, (sessions, problems): Outcome) {
        // A log of settings, or a session in which nobody was asked anything.
        let asked = sessions.into_iter().filter(|session| session.account.requests > 0);
        for mut session in asked {
            self.total.add(&session.account);
            session.account.tools.clear();
            session.account.stages.clear();
            session.account.kept.clear();
            self.sessions.push(session);
        }
        self.problems.extend(problems);
    }
}

/// The next log that nobody took.
fn taken<'s>(sources: &'s [Source], next: &AtomicUsize) -> Option<(usize, &'s Source)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    sources.get(at).map(|source| (at, source))
}

fn one(source: &Source, plan: &Plan<'_>, progress: &(dyn Fn(u64) + Sync)) -> Outcome {
    let file = source.path().display().to_string();
    let problem = |line, reason| Problem { file: file.clone(), line, reason };
    match source.replay(plan, Vec::new(), &|bytes| progress(bytes)) {
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
