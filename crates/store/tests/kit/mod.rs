//! A clock that stands still until a test moves it, and a real server.

#![allow(dead_code, reason = "not every test needs all of it")]

pub(crate) mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);

/// What makes time pass for a store.
pub(crate) trait Passing {
    fn pass(&self, time: Duration);
}

/// Seconds since the start of a test.
#[derive(Clone, Default)]
pub(crate) struct Time(Arc<AtomicU64>);

impl Passing for Time {
    fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_secs(), Ordering::SeqCst);
    }
}

impl Time {
    pub(crate) fn go_back(&self, time: Duration) {
        self.0.fetch_sub(time.as_secs(), Ordering::SeqCst);
    }

    /// What a store takes for its clock.
    pub(crate) fn clock(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let (time, start) = (self.clone(), SystemTime::now());
        move || start + Duration::from_secs(time.0.load(Ordering::SeqCst))
    }
}
