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
use tokenforge_proxy::byte_budget::{ByteBudget, BytePermit};

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 512 << 10;

/// How long after the deadline the work is waited for: a store may not answer.
const GRACE: Duration = Duration::from_secs(5);

/// Rewrites bodies.
#[derive(Clone)]
pub(crate) struct Rewriter {
    pub(crate) shared: Arc<RewriteShared>,
    pub(crate) strategy: Arc<StrategyShared>,
    pub(crate) workers: WorkerPool,
    /// Room for a body that is kept after its request went on.
    pub(crate) bodies: Arc<ByteBudget>,
}

impl Rewriter {
    /// Rewrites a body, on threads of its own if there is work.
    pub(crate) async fn rewrite(&self, input: &RewriteInput) -> Result<RewrittenBody, Problem> {
        let rewritten = self.rewrite_once(input).await?;
        if !rewritten.originals.is_empty() && self.shared.store.has_epoch() {
            let body = HeldInput::of(input, &self.bodies);
            tokio::spawn(self.clone().store_again_what_was_lost(body));
        }
        Ok(rewritten)
    }

    async fn rewrite_once(&self, input: &RewriteInput) -> Result<RewrittenBody, Problem> {
        let mut reading = None;
        if input.body.len() <= SHORT {
            match attempt(input, RewriteEffort::Remembered)? {
                RewriteAttempt::Done(rewritten) => return Ok(rewritten),
                RewriteAttempt::Unfinished(read) => reading = read,
            }
        }
        Box::pin(self.rewrite_anew(input, reading)).await
    }

    /// Asks the store, beside a request that was rewritten from memory, whether it lost its entries. If it did, the body is
    /// rewritten once more, which stores its originals again; the outcome is the same and goes nowhere. The request does
    /// not wait for that, because the store may be far away, and whatever its own model asks for is in the request itself.
    /// Where there is no room for the body, its originals are stored with the next request that holds them.
    async fn store_again_what_was_lost(self, body: Option<HeldInput>) {
        let shared = self.shared.clone();
        let has_lost = run_blocking(move || {
            let epoch = shared.store.epoch().ok().flatten();
            epoch.is_some_and(|epoch| shared.memo.follow_store(epoch))
        });
        if has_lost.await == Some(true)
            && let Some(body) = body
        {
            let _ = Box::pin(self.rewrite_anew(&body.input, None)).await;
        }
    }

    /// Rewrites a body on threads of its own.
    async fn rewrite_anew(
        &self,
        input: &RewriteInput,
        reading: Option<UnfinishedRewrite>,
    ) -> Result<RewrittenBody, Problem> {
        let answers = shorten(&self.strategy, input).await?;
        let failure = match self.work(input.clone(), answers, reading).await {
            Ok(Ok(RewriteAttempt::Done(rewritten))) => return Ok(rewritten),
            Ok(Ok(RewriteAttempt::Unfinished(_))) => WorkFailure::Failed,
            Ok(Err(problem)) => return Err(problem),
            Err(failure) => failure,
        };
        self.shared.telemetry.gave_up();
        if input.state.settings.redact_secrets {
            return Err(match failure {
                WorkFailure::Busy => Problem::busy(),
                WorkFailure::Failed => unchecked_problem("the check took too long"),
            });
        }
        // On a thread that may block: hidden turns may have to be read from the store.
        let again = input.clone();
        let attempt = run_blocking(move || attempt(&again, RewriteEffort::Least)).await;
        let attempt = attempt.unwrap_or(Ok(RewriteAttempt::Unfinished(None)));
        Ok(match attempt? {
            RewriteAttempt::Done(rewritten) => rewritten,
            RewriteAttempt::Unfinished(_) => RewrittenBody::untouched(&input.body),
        })
    }

    /// Does all the work, as soon as the tenant has a thread for it.
    async fn work(
        &self,
        input: RewriteInput,
        answers: StrategyAnswers,
        reading: Option<UnfinishedRewrite>,
    ) -> Result<Result<RewriteAttempt, Problem>, WorkFailure> {
        let tenant = input.tenant.clone();
        let time = input.state.settings.tool_output.deadline;
        let patience = WorkPatience { queue: QUEUE_PATIENCE, work: time + GRACE };
        let working = self.workers.run(&tenant, patience, move || {
            let deadline = Instant::now() + time;
            let budget =
                RewriteBudget { effort: RewriteEffort::Full, deadline, strategy_answers: &answers };
            rewrite(&input, &budget, reading)
        });
        working.await
    }
}

/// What is to be rewritten once more if the store lost its entries, with room in the budget for its body.
struct HeldInput {
    input: RewriteInput,
    _room: Option<BytePermit>,
}

impl HeldInput {
    /// `None`: there is no room for the body now.
    fn of(input: &RewriteInput, bodies: &ByteBudget) -> Option<Self> {
        let bytes = input.body.len();
        let room = match ByteBudget::is_small(bytes) {
            true => None,
            false => Some(bodies.try_acquire(&input.tenant, bytes)?),
        };
        Some(HeldInput { input: input.clone(), _room: room })
    }
}

/// Rewrites a body with an effort in which no stage begins.
fn attempt(input: &RewriteInput, effort: RewriteEffort) -> Result<RewriteAttempt, Problem> {
    let budget = RewriteBudget {
        effort,
        deadline: Instant::now(),
        strategy_answers: &StrategyAnswers::default(),
    };
    rewrite(input, &budget, None)
}
