//! Cache evictions, counted: what leaves a cache for want of room.

use crate::counter::SharedCounter;
use quick_cache::Lifecycle;

/// Counts what leaves a cache for want of room. Not in `on_evict`, which is also told of what is replaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evictions(SharedCounter);

impl Evictions {
    pub(crate) fn counted_by(counter: &SharedCounter) -> Self {
        Evictions(counter.clone())
    }
}

impl<Key, Value> Lifecycle<Key, Value> for Evictions {
    type RequestState = ();

    fn begin_request(&self) {}

    fn before_evict(&self, (): &mut (), _: &Key, _: &mut Value) {
        self.0.add(1);
    }
}
