//! The hasher of caches.

/// Hashes the keys of caches, under a seed that is drawn for each.
pub(crate) type CacheHasher = foldhash::fast::RandomState;
