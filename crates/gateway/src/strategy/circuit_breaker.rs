//! A circuit breaker: who does not answer is left alone for a while.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures in a row before it opens.
const FAILURES: u32 = 5;

/// How long nobody is asked then.
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
    /// May somebody be asked? After a pause one is, to see.
    pub(crate) fn is_closed(&self, now: Instant) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                // The one who goes first; the others wait for what it finds.
                state.open_until = Some(now + PAUSE);
                true
            }
            None => true,
        }
    }

    /// Somebody was asked, and answered or not.
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
    fn after_five_failures_nobody_is_asked_until_one_may_try() {
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
