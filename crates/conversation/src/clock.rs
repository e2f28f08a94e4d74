//! The clock: where the time comes from. The crate reads no clock by itself, except where a program asks for
//! [`SystemClock`].

use std::time::{Instant, SystemTime};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time of day: it decides whether a provider's cache is cold, also after a restart.
    fn time(&self) -> SystemTime;

    /// The time that only goes forward: it decides when something that is remembered is made again.
    fn instant(&self) -> Instant;
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn time(&self) -> SystemTime {
        SystemTime::now()
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}
