//! Cache evictions, told: what leaves a cache for want of room.

use crate::events::{Events, NoEvents};
use quick_cache::Lifecycle;
use std::sync::Arc;

/// Tells what leaves a cache for want of room. Not in `on_evict`, which is also told of what is replaced.
#[derive(Clone)]
pub(crate) struct EvictionCounter(Arc<dyn Events>);

impl EvictionCounter {
    pub(crate) fn told_to(events: &Arc<dyn Events>) -> Self {
        EvictionCounter(events.clone())
    }
}

impl Default for EvictionCounter {
    fn default() -> Self {
        EvictionCounter(Arc::new(NoEvents))
    }
}

impl<Key, Value> Lifecycle<Key, Value> for EvictionCounter {
    type RequestState = ();

    fn begin_request(&self) {}

    fn before_evict(&self, (): &mut (), _: &Key, _: &mut Value) {
        self.0.cache_evicted();
    }
}
