//! What models have seen of their conversations, kept for the next turn: it differs by what is new.

use super::{ConversationKey, Evictions, MemoEntry};
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Weighter};
use std::sync::Arc;
use tokenforge_engine::History;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Histories by what was seen.
pub(crate) struct ForwardedHistories {
    kept: Cache<HistoryKey, Arc<History>, HistoryWeight, DefaultHashBuilder, Evictions>,
}

/// The results of a conversation so far, and what was forwarded for them, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct HistoryKey {
    chain: u128,
    forwarded: u64,
}

impl HistoryKey {
    /// With the result at the end of this conversation, of which this became.
    pub(crate) fn and(self, chain: ConversationKey, entry: &MemoEntry) -> Self {
        let fingerprint = entry.figures.compressed_fingerprint.to_le_bytes();
        HistoryKey { chain: chain.0, forwarded: xxh3_64_with_seed(&fingerprint, self.forwarded) }
    }
}

impl ForwardedHistories {
    pub(super) fn new(bytes: u64, evictions: &Evictions) -> Self {
        let hasher = DefaultHashBuilder::default();
        ForwardedHistories {
            kept: Cache::with(100, bytes, HistoryWeight, hasher, evictions.clone()),
        }
    }

    /// What was seen, for good: whoever takes it may add to it.
    pub(crate) fn take(&self, seen: HistoryKey) -> Option<History> {
        let (_, history) = self.kept.remove(&seen)?;
        Some(Arc::unwrap_or_clone(history))
    }

    pub(crate) fn keep(&self, seen: HistoryKey, history: History) {
        self.kept.insert(seen, Arc::new(history));
    }
}

#[derive(Clone)]
struct HistoryWeight;

impl Weighter<HistoryKey, Arc<History>> for HistoryWeight {
    fn weight(&self, _: &HistoryKey, history: &Arc<History>) -> u64 {
        (size_of::<History>() + 128 + history.bytes()) as u64
    }
}
