//! A clock that stands still until a test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);

/// Seconds since the start of a test.
#[derive(Clone, Default)]
pub(crate) struct Time(Arc<AtomicU64>);

impl Time {
    pub(crate) fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_secs(), Ordering::SeqCst);
    }

    #[allow(dead_code, reason = "not every test needs it")]
    pub(crate) fn go_back(&self, time: Duration) {
        self.0.fetch_sub(time.as_secs(), Ordering::SeqCst);
    }

    pub(crate) fn since_start(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst))
    }

    /// What a store takes for its clock.
    pub(crate) fn clock(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let (time, start) = (self.clone(), SystemTime::now());
        move || start + time.since_start()
    }
}
