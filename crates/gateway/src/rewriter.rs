//! Rewriting a body without holding up other requests: what was made before is spliced in at once, what is new goes to
//! the worker threads.

use crate::answer::Problem;
use crate::rewrite::{
    RewriteAttempt, RewriteBudget, RewriteEffort, RewriteInput, RewriteShared, RewrittenBody,
    StrategyAnswers, UnfinishedRewrite, rewrite, unchecked_problem,
};
use crate::strategy::{StrategyShared, shorten};
use crate::workers::{QUEUE_PATIENCE, WorkFailure, WorkPatience, WorkerPool};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_proxy::blocking::run_blocking;

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 512 << 10;

/// How long after the deadline the work is waited for: a store may not answer.
const GRACE: Duration = Duration::from_secs(5);

/// Rewrites bodies.
pub(crate) struct Rewriter {
    pub(crate) shared: Arc<RewriteShared>,
    pub(crate) strategy: Arc<StrategyShared>,
    pub(crate) workers: WorkerPool,
}

impl Rewriter {
    /// Rewrites a body, on threads of its own if there is work.
    pub(crate) async fn rewrite(&self, order: &RewriteInput) -> Result<RewrittenBody, Problem> {
        let mut reading = None;
        if order.body.len() <= SHORT {
            match attempt(order, RewriteEffort::Remembered)? {
                RewriteAttempt::Done(rewritten) => return Ok(rewritten),
                RewriteAttempt::Unfinished(read) => reading = read,
            }
        }
        Box::pin(self.rewrite_anew(order, reading)).await
    }

    /// Rewrites a body on threads of its own.
    async fn rewrite_anew(
        &self,
        order: &RewriteInput,
        reading: Option<UnfinishedRewrite>,
    ) -> Result<RewrittenBody, Problem> {
        let shortened = shorten(&self.strategy, order).await?;
        let undone = match self.work(order.clone(), shortened, reading).await {
            Ok(attempt) => match attempt? {
                RewriteAttempt::Done(rewritten) => return Ok(rewritten),
                RewriteAttempt::Unfinished(_) => WorkFailure::Failed,
            },
            Err(undone) => undone,
        };
        self.shared.telemetry.gave_up();
        if order.state.settings.redact_secrets {
            return Err(match undone {
                WorkFailure::Busy => Problem::busy(),
                WorkFailure::Failed => unchecked_problem("the check took too long"),
            });
        }
        // On a thread that may block: hidden turns may have to be read from the store.
        let again = order.clone();
        let attempt = run_blocking(move || attempt(&again, RewriteEffort::Least)).await;
        let attempt = attempt.unwrap_or(Ok(RewriteAttempt::Unfinished(None)));
        Ok(match attempt? {
            RewriteAttempt::Done(rewritten) => rewritten,
            RewriteAttempt::Unfinished(_) => RewrittenBody::untouched(&order.body),
        })
    }

    /// Does all the work, as soon as the tenant has a thread for it.
    async fn work(
        &self,
        order: RewriteInput,
        shortened: StrategyAnswers,
        reading: Option<UnfinishedRewrite>,
    ) -> Result<Result<RewriteAttempt, Problem>, WorkFailure> {
        let tenant = order.tenant.clone();
        let time = order.state.settings.tool_output.deadline;
        let patience = WorkPatience { queue: QUEUE_PATIENCE, work: time + GRACE };
        let working = self.workers.run(&tenant, patience, move || {
            let deadline = Instant::now() + time;
            let means = RewriteBudget {
                effort: RewriteEffort::Full,
                deadline,
                strategy_answers: &shortened,
            };
            rewrite(&order, &means, reading)
        });
        working.await
    }
}

/// Rewrites a body with an effort in which no stage begins.
fn attempt(order: &RewriteInput, effort: RewriteEffort) -> Result<RewriteAttempt, Problem> {
    let means = RewriteBudget {
        effort,
        deadline: Instant::now(),
        strategy_answers: &StrategyAnswers::default(),
    };
    rewrite(order, &means, None)
}
