//! A circuit breaker: open for a while after repeated failures.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures in a row before it opens.
const FAILURES: u32 = 5;

/// How long it stays open.
const PAUSE: Duration = Duration::from_secs(30);

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker(Mutex<BreakerState>);

#[derive(Debug, Default)]
struct BreakerState {
    failures: u32,
    open_until: Option<Instant>,
}

impl CircuitBreaker {
    /// Whether a request may be sent. After the pause one is let through as a probe.
    pub(crate) fn is_closed(&self, now: Instant) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                // This caller sends the probe; the others wait for its outcome.
                state.open_until = Some(now + PAUSE);
                true
            }
            None => true,
        }
    }

    /// Records the outcome of a request.
    pub(crate) fn record(&self, is_success: bool, now: Instant) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_success {
            *state = BreakerState::default();
            return;
        }
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES {
            state.open_until = Some(now + PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_open_the_breaker_until_one_probe_succeeds() {
        let (breaker, start) = (CircuitBreaker::default(), Instant::now());
        for _ in 0..FAILURES {
            assert!(breaker.is_closed(start));
            breaker.record(false, start);
        }
        assert!(!breaker.is_closed(start + PAUSE / 2));
        assert!(breaker.is_closed(start + PAUSE));
        assert!(!breaker.is_closed(start + PAUSE));
        breaker.record(true, start + PAUSE);
        assert!(breaker.is_closed(start + PAUSE));
    }
}
