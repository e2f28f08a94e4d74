//! What rewriting shares across requests.

use super::{CountedLists, PromptSizes};
use crate::cold_cache::{ConversationLog, WallClock};
use crate::contents::RecentContents;
use crate::deferral::DeferredCallStore;
use crate::memo::{EvictionCounter, Memo};
use crate::original_store::OriginalStore;
use crate::sessions::CompressionSessions;
use crate::telemetry::Telemetry;
use std::sync::Arc;
use tokenforge_config::Limits;
use tokenforge_store::Store;

/// What rewriting remembers, and whom it tells.
pub(crate) struct RewriteShared {
    pub(crate) memo: Memo,
    pub(crate) prompt_sizes: PromptSizes,
    pub(crate) counted_lists: CountedLists,
    pub(crate) sessions: CompressionSessions,
    pub(crate) conversations: ConversationLog,
    pub(crate) deferred: Arc<DeferredCallStore>,
    /// What the operator may look at.
    pub(crate) contents: Arc<RecentContents>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) originals: Arc<OriginalStore>,
    pub(crate) telemetry: Arc<Telemetry>,
}

impl RewriteShared {
    pub(crate) fn new(
        limits: &Limits,
        store: &Arc<dyn Store>,
        contents: &Arc<RecentContents>,
        deferred: &Arc<DeferredCallStore>,
        originals: &Arc<OriginalStore>,
        clock: WallClock,
    ) -> Self {
        let telemetry = originals.telemetry.clone();
        let evictions = EvictionCounter::counted_by(&telemetry.counters.cache_evictions);
        RewriteShared {
            memo: Memo::new(limits.cache_bytes, &evictions),
            prompt_sizes: PromptSizes::default(),
            counted_lists: CountedLists::default(),
            sessions: CompressionSessions::new(limits.cached_sessions, &evictions),
            conversations: ConversationLog::new(store.clone(), clock),
            deferred: deferred.clone(),
            contents: contents.clone(),
            store: store.clone(),
            originals: originals.clone(),
            telemetry,
        }
    }
}
