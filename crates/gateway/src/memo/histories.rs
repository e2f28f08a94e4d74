//! What models have seen of their conversations, kept for the next turn: it differs by what is new.

use super::{Chain, Entry, Evictions};
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Weighter};
use std::sync::Arc;
use tokenforge_engine::History;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Histories by what was seen.
pub(crate) struct Histories {
    kept: Cache<Seen, Arc<History>, Weight, DefaultHashBuilder, Evictions>,
}

/// The results of a conversation so far, and what was forwarded for them, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Seen {
    chain: u128,
    forwarded: u64,
}

impl Seen {
    /// With the result at the end of this conversation, of which this became.
    pub(crate) fn and(self, chain: Chain, entry: &Entry) -> Self {
        let fingerprint = entry.figures.compressed_fingerprint.to_le_bytes();
        Seen { chain: chain.0, forwarded: xxh3_64_with_seed(&fingerprint, self.forwarded) }
    }
}

impl Histories {
    pub(super) fn new(bytes: u64, evictions: &Evictions) -> Self {
        let hasher = DefaultHashBuilder::default();
        Histories { kept: Cache::with(100, bytes, Weight, hasher, evictions.clone()) }
    }

    /// What was seen, for good: whoever takes it may add to it.
    pub(crate) fn take(&self, seen: Seen) -> Option<History> {
        let (_, history) = self.kept.remove(&seen)?;
        Some(Arc::unwrap_or_clone(history))
    }

    pub(crate) fn keep(&self, seen: Seen, history: History) {
        self.kept.insert(seen, Arc::new(history));
    }
}

#[derive(Clone)]
struct Weight;

impl Weighter<Seen, Arc<History>> for Weight {
    fn weight(&self, _: &Seen, history: &Arc<History>) -> u64 {
        (size_of::<History>() + 128 + history.bytes()) as u64
    }
}
