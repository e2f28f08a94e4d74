//! The rate limit of a strategy: how much it may ask, across the process.

use super::circuit_breaker::CircuitBreaker;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use tokenforge_config::ToolOutput;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limits on requests: concurrency, rate per second, and a circuit breaker.
pub(crate) struct StrategyLimits {
    at_once: Arc<Semaphore>,
    per_second: DefaultDirectRateLimiter,
    pub(crate) breaker: CircuitBreaker,
}

impl StrategyLimits {
    pub(crate) fn new(settings: &ToolOutput) -> Self {
        let rate = u32::try_from(settings.rate_per_second).ok().and_then(NonZeroU32::new);
        StrategyLimits {
            at_once: Arc::new(Semaphore::new(
                settings.max_concurrent.clamp(1, Semaphore::MAX_PERMITS),
            )),
            per_second: RateLimiter::direct(Quota::per_second(rate.unwrap_or(NonZeroU32::MIN))),
            breaker: CircuitBreaker::default(),
        }
    }

    /// Waits for a permit. A caller that stops waiting takes none.
    pub(crate) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        let permit = self.at_once.clone().acquire_owned().await.ok()?;
        self.per_second.until_ready().await;
        Some(permit)
    }
}
