//! The tools that can be searched, cached for each tenant until a list changes (cache invalidation by a generation).

use crate::era::Era;
use crate::session::ServerScope;
use crate::tool_search::ToolIndex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many are kept.
const CATALOGUES: usize = 32;

/// How long one is used. Servers need not say that their lists changed.
const FRESH: Duration = Duration::from_secs(5 * 60);

/// The same where a server did not answer, which may do so soon.
const INCOMPLETE: Duration = Duration::from_secs(15);

/// Whose tools they are: servers may show different ones to different clients.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CatalogueKey {
    pub(crate) tenant: Arc<str>,
    pub(crate) scope: ServerScope,
    pub(crate) era: Era,
    /// The client's session, if it has conversations with servers of its own.
    pub(crate) session: Option<Arc<str>>,
}

/// Tools as they were listed.
pub(crate) struct ToolCatalogue {
    pub(crate) index: ToolIndex,
    /// The servers that did not answer.
    pub(crate) missing: Vec<String>,
    /// Which generation of lists it is of.
    pub(crate) generation: u64,
    pub(crate) since: Instant,
}

/// The tools that can be searched.
#[derive(Default)]
pub(crate) struct Catalogues {
    generation: AtomicU64,
    kept: Mutex<HashMap<CatalogueKey, Arc<ToolCatalogue>>>,
}

impl Catalogues {
    /// Which generation of lists is asked for now. Read it before listing: what changes meanwhile is another one.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// A list changed, or the servers did.
    pub(crate) fn changed(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The tools that were listed before, if they still hold at this time.
    pub(crate) fn find(&self, key: &CatalogueKey, now: Instant) -> Option<Arc<ToolCatalogue>> {
        let kept = self.locked().get(key).cloned()?;
        let span = if kept.missing.is_empty() { FRESH } else { INCOMPLETE };
        let holds = kept.generation == self.generation()
            && now.saturating_duration_since(kept.since) < span;
        holds.then_some(kept)
    }

    pub(crate) fn keep(&self, key: CatalogueKey, catalogue: Arc<ToolCatalogue>) {
        let mut kept = self.locked();
        if kept.len() >= CATALOGUES && !kept.contains_key(&key) {
            let oldest = kept.iter().min_by_key(|(_, catalogue)| catalogue.since);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                kept.remove(&oldest);
            }
        }
        kept.insert(key, catalogue);
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<CatalogueKey, Arc<ToolCatalogue>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tenant: &str) -> CatalogueKey {
        CatalogueKey {
            tenant: tenant.into(),
            scope: ServerScope::All,
            era: Era::Legacy,
            session: None,
        }
    }

    fn catalogue(all: &Catalogues, missing: &[&str], since: Instant) -> Arc<ToolCatalogue> {
        let missing = missing.iter().map(ToString::to_string).collect();
        let generation = all.generation();
        Arc::new(ToolCatalogue { index: ToolIndex::default(), missing, generation, since })
    }

    #[test]
    fn m21_tools_are_listed_again_after_a_change_or_a_while() {
        let (all, now) = (Catalogues::default(), Instant::now());
        assert!(all.find(&key("a"), now).is_none());
        all.keep(key("a"), catalogue(&all, &[], now));
        all.keep(key("b"), catalogue(&all, &["slow"], now));
        assert!(all.find(&key("a"), now + INCOMPLETE).is_some());
        assert!(all.find(&key("b"), now + INCOMPLETE).is_none(), "a server was missing");
        assert!(all.find(&key("a"), now + FRESH).is_none());
        all.changed();
        assert!(all.find(&key("a"), now).is_none());
    }

    #[test]
    fn m21_the_oldest_of_too_many_catalogues_goes() {
        let (all, now) = (Catalogues::default(), Instant::now());
        for n in 0..=CATALOGUES {
            let since = now + Duration::from_millis(n as u64);
            all.keep(key(&n.to_string()), catalogue(&all, &[], since));
        }
        assert!(all.find(&key("0"), now).is_none());
        assert!(all.find(&key("1"), now).is_some());
        assert_eq!(all.locked().len(), CATALOGUES);
    }
}
