//! Rewriting a body without holding up other requests: what was made before is spliced in at once, what is new goes to
//! the worker threads.

use crate::answer::{Problem, unchecked_problem};
use crate::strategy::{ClientCredentials, StrategyShared, shorten};
use crate::telemetry::Telemetry;
use crate::workers::{QUEUE_PATIENCE, Undone, WorkFailure, WorkPatience, WorkerPool};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_conversation::rewrite::{
    CachedRewrite, FoundParts, RewriteInput, RewriteWork, RewrittenBody, compute, lookup, pass_on,
};
use tokenforge_conversation::strategy::StrategyAnswers;
use tokenforge_conversation::{RewriteProblem, RewriteShared};
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
    pub(crate) telemetry: Arc<Telemetry>,
}

/// A body to rewrite, and what a strategy may be asked with.
#[derive(Clone)]
pub(crate) struct RewriteJob {
    pub(crate) input: RewriteInput,
    pub(crate) credentials: Arc<ClientCredentials>,
}

impl Rewriter {
    /// Rewrites a body, on threads of its own if there is work.
    pub(crate) async fn rewrite(&self, job: &RewriteJob) -> Result<RewrittenBody, Problem> {
        let rewritten = self.rewrite_once(job).await?;
        if !rewritten.originals.is_empty() && self.shared.store.has_epoch() {
            let body = HeldJob::of(job, &self.bodies);
            tokio::spawn(self.clone().store_again_what_was_lost(body));
        }
        Ok(rewritten)
    }

    async fn rewrite_once(&self, job: &RewriteJob) -> Result<RewrittenBody, Problem> {
        let mut found = FoundParts::default();
        if job.input.body.len() <= SHORT {
            match lookup(&job.input)? {
                CachedRewrite::Complete(rewritten) => return Ok(rewritten),
                CachedRewrite::Incomplete(parts) => found = parts,
            }
        }
        Box::pin(self.compute_missing(job, found)).await
    }

    /// Asks the store, beside a request that was rewritten from memory, whether it lost its entries. If it did, the body is
    /// rewritten once more, which stores its originals again; the outcome is the same and goes nowhere. The request does
    /// not wait for that, because the store may be far away, and whatever its own model asks for is in the request itself.
    /// Where there is no room for the body, its originals are stored with the next request that holds them.
    async fn store_again_what_was_lost(self, body: Option<HeldJob>) {
        let shared = self.shared.clone();
        let has_lost = run_blocking(move || {
            let epoch = shared.store.epoch().unwrap_or_default();
            epoch.is_some_and(|epoch| shared.memo.follow_store(epoch))
        });
        if has_lost.await == Some(true)
            && let Some(body) = body
        {
            let _ = Box::pin(self.compute_missing(&body.job, FoundParts::default())).await;
        }
    }

    /// Computes what is missing on threads of its own. Where that takes too long, the body goes on with its results as they
    /// came.
    async fn compute_missing(
        &self,
        job: &RewriteJob,
        found: FoundParts,
    ) -> Result<RewrittenBody, Problem> {
        let RewriteJob { input, credentials } = job;
        let answers = shorten(&self.strategy, input, credentials).await?;
        let failure = match self.work(input.clone(), answers, found).await {
            Ok(rewritten) => return Ok(rewritten),
            Err(Undone::Refused(problem)) => return Err(problem.into()),
            Err(Undone::NotDone(failure)) => failure,
        };
        self.telemetry.gave_up();
        if input.rules.settings.redact_secrets {
            return Err(match failure {
                WorkFailure::Busy => Problem::busy(),
                WorkFailure::Failed => unchecked_problem("the check took too long"),
            });
        }
        // On a thread that may block: hidden turns may have to be read from the store.
        let again = input.clone();
        match run_blocking(move || pass_on(&again)).await {
            Some(passed_on) => Ok(passed_on?),
            None => Ok(RewrittenBody::untouched(&input.body)),
        }
    }

    /// Does all the work, as soon as the tenant has a thread for it.
    async fn work(
        &self,
        input: RewriteInput,
        answers: StrategyAnswers,
        found: FoundParts,
    ) -> Result<RewrittenBody, Undone<RewriteProblem>> {
        let tenant = input.sender.tenant.clone();
        let time = input.rules.settings.tool_output.deadline;
        let patience = WorkPatience { queue: QUEUE_PATIENCE, work: time + GRACE };
        let working = self.workers.try_run(&tenant, patience, move || {
            let deadline = Instant::now() + time;
            compute(&input, found, &RewriteWork { deadline, strategy_answers: &answers })
        });
        working.await
    }
}

/// What is to be rewritten once more if the store lost its entries, with room in the budget for its body.
struct HeldJob {
    job: RewriteJob,
    _room: Option<BytePermit>,
}

impl HeldJob {
    /// `None`: there is no room for the body now.
    fn of(job: &RewriteJob, bodies: &ByteBudget) -> Option<Self> {
        let bytes = job.input.body.len();
        let room = if ByteBudget::is_small(bytes) {
            None
        } else {
            Some(bodies.try_acquire(&job.input.sender.tenant, bytes)?)
        };
        Some(HeldJob { job: job.clone(), _room: room })
    }
}
