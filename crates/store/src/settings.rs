//! How much is kept, and for how long.

use crate::Kind;
use std::fmt;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The bounds of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The most bytes kept; beyond that, the entries unused for longest make room.
    pub max_bytes: u64,
    /// How long an original lives after its last use.
    pub original_lifetime: Duration,
    /// How long a remembered result lives after its last use.
    pub result_lifetime: Duration,
}

impl Settings {
    /// 256 MiB and 24 hours: the defaults for a store in memory.
    pub const MEMORY: Self =
        Self { max_bytes: 256 << 20, original_lifetime: DAY, result_lifetime: DAY };

    /// 1 GiB and 24 hours: the defaults for a store on disk.
    pub const DISK: Self = Self { max_bytes: 1 << 30, ..Self::MEMORY };

    fn lifetime(&self, kind: Kind) -> Duration {
        match kind {
            Kind::Original => self.original_lifetime,
            Kind::Result => self.result_lifetime,
        }
    }

    /// Is the lifetime of an entry over? A last use in the future, after a clock was set back, is no reason.
    pub(crate) fn is_over(&self, kind: Kind, last_use: SystemTime, now: SystemTime) -> bool {
        now.duration_since(last_use).is_ok_and(|age| age >= self.lifetime(kind))
    }
}

/// Tells the time. Tests bring their own.
pub(crate) struct Clock(Box<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    pub(crate) fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Box::new(now))
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
