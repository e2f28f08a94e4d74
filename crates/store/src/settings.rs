//! Capacity and time to live: how much is kept, and for how long.

use crate::EntryKind;
use std::fmt;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The bounds of a store, and its key if it is not the store's to choose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoreOptions {
    /// The most bytes kept; beyond that, the entries unused for longest make room. A server has a bound of its own.
    pub max_bytes: u64,
    /// How long an original, or a result that is kept like one, lives after its last use.
    pub original_lifetime: Duration,
    /// How long a remembered result lives after its last use.
    pub result_lifetime: Duration,
    /// The key under which references are made, in place of the one that the store draws and keeps.
    pub key: Option<[u8; 32]>,
}

impl StoreOptions {
    /// 64 MiB and 24 hours: the defaults for a store in memory.
    pub const MEMORY: Self =
        Self { max_bytes: 64 << 20, original_lifetime: DAY, result_lifetime: DAY, key: None };

    /// 1 GiB and 24 hours: the defaults for a store on disk.
    pub const DISK: Self = Self { max_bytes: 1 << 30, ..Self::MEMORY };

    pub(crate) fn lifetime(&self, kind: EntryKind) -> Duration {
        match kind {
            EntryKind::Original | EntryKind::Kept => self.original_lifetime,
            EntryKind::Result => self.result_lifetime,
        }
    }

    /// Is the lifetime of an entry over?
    pub(crate) fn is_over(&self, kind: EntryKind, last_use: SystemTime, now: SystemTime) -> bool {
        is_unused_for(self.lifetime(kind), last_use, now)
    }
}

/// Was an entry not used for this long? A last use in the future, after a clock was set back, was just now.
pub(crate) fn is_unused_for(time: Duration, last_use: SystemTime, now: SystemTime) -> bool {
    now.duration_since(last_use).unwrap_or_default() >= time
}

impl fmt::Debug for StoreOptions {
    /// Everything but the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("max_bytes", &self.max_bytes)
            .field("original_lifetime", &self.original_lifetime)
            .field("result_lifetime", &self.result_lifetime)
            .finish_non_exhaustive()
    }
}

/// Tells the time. Tests bring their own.
pub(crate) struct StoreClock(Box<dyn Fn() -> SystemTime + Send + Sync>);

impl StoreClock {
    pub(crate) fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Box::new(now))
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl Default for StoreClock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for StoreClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l10_a_key_is_never_shown() {
        let shown = format!("{:?}", StoreOptions { key: Some([77; 32]), ..StoreOptions::DISK });
        assert!(shown.contains("max_bytes") && !shown.contains("77"), "{shown}");
    }
}
