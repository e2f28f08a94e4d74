//! Rewriting a body without holding up other requests: what was made before is spliced in at once, what is new goes to
//! the worker threads.

use crate::answer::Problem;
use crate::rewrite::{
    Attempt, Effort, Means, Order, Reading, RewriteShared, Rewritten, Shortened, rewrite, unchecked,
};
use crate::strategy::{StrategyShared, shorten};
use crate::workers::{Patience, QUEUE_PATIENCE, Undone, Workers};
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
    pub(crate) workers: Workers,
}

impl Rewriter {
    /// Rewrites a body, on threads of its own if there is work.
    pub(crate) async fn rewrite(&self, order: &Order) -> Result<Rewritten, Problem> {
        let mut reading = None;
        if order.body.len() <= SHORT {
            match attempt(order, Effort::Remembered)? {
                Attempt::Done(rewritten) => return Ok(rewritten),
                Attempt::Unfinished(read) => reading = read,
            }
        }
        Box::pin(self.rewrite_anew(order, reading)).await
    }

    /// Rewrites a body on threads of its own.
    async fn rewrite_anew(
        &self,
        order: &Order,
        reading: Option<Reading>,
    ) -> Result<Rewritten, Problem> {
        let shortened = shorten(&self.strategy, order).await?;
        let undone = match self.work(order.clone(), shortened, reading).await {
            Ok(attempt) => match attempt? {
                Attempt::Done(rewritten) => return Ok(rewritten),
                Attempt::Unfinished(_) => Undone::Failed,
            },
            Err(undone) => undone,
        };
        self.shared.telemetry.gave_up();
        if order.state.settings.redact_secrets {
            return Err(match undone {
                Undone::Busy => Problem::busy(),
                Undone::Failed => unchecked("the check took too long"),
            });
        }
        // On a thread that may block: hidden turns may have to be read from the store.
        let again = order.clone();
        let attempt = run_blocking(move || attempt(&again, Effort::Least)).await;
        let attempt = attempt.unwrap_or(Ok(Attempt::Unfinished(None)));
        Ok(match attempt? {
            Attempt::Done(rewritten) => rewritten,
            Attempt::Unfinished(_) => Rewritten::untouched(&order.body),
        })
    }

    /// Does all the work, as soon as the tenant has a thread for it.
    async fn work(
        &self,
        order: Order,
        shortened: Shortened,
        reading: Option<Reading>,
    ) -> Result<Result<Attempt, Problem>, Undone> {
        let tenant = order.tenant.clone();
        let time = order.state.settings.tool_output.deadline;
        let patience = Patience { queue: QUEUE_PATIENCE, work: time + GRACE };
        let working = self.workers.run(&tenant, patience, move || {
            let deadline = Instant::now() + time;
            let means = Means { effort: Effort::Full, deadline, shortened: &shortened };
            rewrite(&order, &means, reading)
        });
        working.await
    }
}

/// Rewrites a body with an effort in which no stage begins.
fn attempt(order: &Order, effort: Effort) -> Result<Attempt, Problem> {
    let means = Means { effort, deadline: Instant::now(), shortened: &Shortened::default() };
    rewrite(order, &means, None)
}
