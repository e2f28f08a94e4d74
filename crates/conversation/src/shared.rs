//! What rewriting shares across requests.

use crate::clock::Clock;
use crate::cold_cache::ConversationLog;
use crate::declared_tools::CountedLists;
use crate::deferral::DeferredCallStore;
use crate::events::Events;
use crate::expand_payoff::PromptSizes;
use crate::memo::{EvictionCounter, Memo};
use crate::original_store::OriginalStore;
use crate::panic_safe_store::PanicSafeStore;
use crate::reference_key::ReferenceKey;
use crate::sessions::CompressionSessions;
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_store::Store;

/// What rewriting remembers, and whom it tells.
pub struct RewriteShared {
    /// What became of results before.
    pub memo: Memo,
    pub(crate) prompt_sizes: PromptSizes,
    pub(crate) counted_lists: CountedLists,
    pub(crate) sessions: CompressionSessions,
    pub(crate) conversations: ConversationLog,
    /// Calls of ours that the client never sees.
    pub deferred: Arc<DeferredCallStore>,
    /// Where everything is kept. Where the store that was given panics, this one fails.
    pub store: Arc<dyn Store>,
    /// Originals of what was left out.
    pub originals: Arc<OriginalStore>,
    pub(crate) events: Arc<dyn Events>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl RewriteShared {
    /// With this store, and told to this. The settings say how much is remembered, and under which key references are made.
    #[must_use]
    pub fn new(
        settings: &Settings,
        store: Arc<dyn Store>,
        events: Arc<dyn Events>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let store: Arc<dyn Store> = Arc::new(PanicSafeStore(store));
        let key = ReferenceKey::new(settings, clock.clone());
        let evictions = EvictionCounter::told_to(&events);
        let limits = &settings.limits;
        RewriteShared {
            memo: Memo::new(limits.cache_bytes, &evictions, clock.clone()),
            prompt_sizes: PromptSizes::default(),
            counted_lists: CountedLists::default(),
            sessions: CompressionSessions::new(limits.cached_sessions, &evictions),
            conversations: ConversationLog::new(store.clone(), clock.clone()),
            deferred: Arc::new(DeferredCallStore::new(store.clone())),
            originals: Arc::new(OriginalStore::new(store.clone(), key, events.clone())),
            store,
            events,
            clock,
        }
    }
}
