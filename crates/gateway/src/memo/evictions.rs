//! Cache evictions, counted: what leaves a cache for want of room.

use crate::counter::SharedCounter;
use quick_cache::Lifecycle;

/// Counts what leaves a cache for want of room. Not in `on_evict`, which is also told of what is replaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvictionCounter(SharedCounter);

impl EvictionCounter {
    pub(crate) fn counted_by(counter: &SharedCounter) -> Self {
        EvictionCounter(counter.clone())
    }
}

impl<Key, Value> Lifecycle<Key, Value> for EvictionCounter {
    type RequestState = ();

    fn begin_request(&self) {}

    fn before_evict(&self, (): &mut (), _: &Key, _: &mut Value) {
        self.0.add(1);
    }
}
