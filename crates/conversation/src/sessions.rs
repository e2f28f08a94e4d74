//! The compression sessions that requests name, each with its own memory, in a bounded cache with eviction close to LRU.

use crate::cache_hasher::CacheHasher;
use crate::memo::EvictionCounter;
use quick_cache::UnitWeighter;
use quick_cache::sync::Cache;
use std::sync::{Arc, Mutex};
use tokenforge_engine::Session;

/// Sessions by tenant and name.
pub(crate) struct CompressionSessions(
    Cache<(String, String), Arc<Mutex<Session>>, UnitWeighter, CacheHasher, EvictionCounter>,
);

impl CompressionSessions {
    /// So many are remembered; those unused for longest go first.
    pub(crate) fn new(count: usize, evictions: &EvictionCounter) -> Self {
        let hasher = CacheHasher::default();
        CompressionSessions(Cache::with(
            count,
            count as u64,
            UnitWeighter,
            hasher,
            evictions.clone(),
        ))
    }

    /// The session of this name.
    pub(crate) fn of(&self, tenant: &str, id: &str) -> Arc<Mutex<Session>> {
        let name = (tenant.to_owned(), id.to_owned());
        let made: Result<_, std::convert::Infallible> =
            self.0.get_or_insert_with(&name, || Ok(Arc::default()));
        made.unwrap_or_else(|never| match never {})
    }
}
