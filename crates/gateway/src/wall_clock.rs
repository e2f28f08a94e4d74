//! The clock of a gateway: the time of day may be another than the system's, for tests.

use std::sync::Arc;
use std::time::{Instant, SystemTime};
use tokenforge_conversation::Clock;

/// Tells the time of day.
pub(crate) type WallClock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The clock that rewriting is given.
pub(crate) struct GatewayClock(pub(crate) WallClock);

impl Clock for GatewayClock {
    fn time(&self) -> SystemTime {
        (self.0)()
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}
