//! Forwarded histories: what models have seen of their conversations, cached for the next turn, which differs by what is
//! new. Bounded in bytes; eviction is `quick_cache`'s, close to LRU.

use super::{ConversationKey, EvictionCounter, MemoEntry};
use crate::cache_hasher::CacheHasher;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use tokenforge_engine::History;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Histories by what was seen.
pub(crate) struct ForwardedHistories {
    histories: Cache<HistoryKey, Arc<History>, HistoryWeight, CacheHasher, EvictionCounter>,
}

/// The results of a conversation so far, and what was forwarded for them, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct HistoryKey {
    conversation: u128,
    forwarded: u64,
}

impl HistoryKey {
    /// With the result at the end of this conversation, of which this became.
    pub(crate) fn and(self, conversation: ConversationKey, entry: &MemoEntry) -> Self {
        let fingerprint = entry.figures.compressed_fingerprint.to_le_bytes();
        HistoryKey {
            conversation: conversation.0,
            forwarded: xxh3_64_with_seed(&fingerprint, self.forwarded),
        }
    }
}

impl ForwardedHistories {
    pub(super) fn new(bytes: u64, evictions: &EvictionCounter) -> Self {
        let hasher = CacheHasher::default();
        ForwardedHistories {
            histories: Cache::with(100, bytes, HistoryWeight, hasher, evictions.clone()),
        }
    }

    /// Removes and returns a history. The caller owns it, and may add to it.
    pub(crate) fn take(&self, key: HistoryKey) -> Option<History> {
        let (_, history) = self.histories.remove(&key)?;
        Some(Arc::unwrap_or_clone(history))
    }

    pub(crate) fn keep(&self, key: HistoryKey, history: History) {
        self.histories.insert(key, Arc::new(history));
    }
}

#[derive(Clone)]
struct HistoryWeight;

impl Weighter<HistoryKey, Arc<History>> for HistoryWeight {
    fn weight(&self, _: &HistoryKey, history: &Arc<History>) -> u64 {
        (size_of::<History>() + 128 + history.bytes()) as u64
    }
}
