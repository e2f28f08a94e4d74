//! The figures of the store, as they were counted last.
//!
//! A store on disk or on a server counts by looking at every entry: with 200,000 of them that took 5.2 s, for each look at the
//! dashboard. So the sums are kept, and counted again beside the answer once they are old, at most for a twentieth of the time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokenforge_proxy::blocking::{find_blocking, run_blocking};
use tokenforge_store::{Store, StoreStats};

/// How old figures are before they are counted again.
const FRESH: Duration = Duration::from_secs(5);

/// They are kept this many times as long as counting took.
const REST: u32 = 20;

/// How long a request waits for the first count.
const PATIENCE: Duration = Duration::from_millis(200);

/// What the store holds, as far as that was counted.
pub(crate) struct StoreFigures {
    store: Arc<dyn Store>,
    kept: Mutex<KeptFigures>,
}

#[derive(Default)]
struct KeptFigures {
    stats: Option<StoreStats>,
    /// When they are counted again.
    until: Option<Instant>,
    is_counting: bool,
}

impl StoreFigures {
    pub(crate) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(StoreFigures { store, kept: Mutex::default() })
    }

    /// The figures, which may be older than what the store holds. `None`: they were not counted yet, or cannot be.
    pub(crate) async fn stats(self: &Arc<Self>) -> Option<StoreStats> {
        if !self.store.is_durable() {
            // In memory the store itself keeps its sums.
            let store = self.store.clone();
            return find_blocking(move || store.stats().ok()).await;
        }
        let (known, is_due) = self.claim_count();
        if !is_due {
            return known;
        }
        let this = self.clone();
        let counting = tokio::spawn(async move { run_blocking(move || this.count()).await });
        if known.is_none() {
            let _ = tokio::time::timeout(PATIENCE, counting).await;
            return self.kept().stats;
        }
        known
    }

    /// What is known, and whether the caller is to have it counted.
    fn claim_count(&self) -> (Option<StoreStats>, bool) {
        let mut kept = self.kept();
        let is_old = kept.until.is_none_or(|until| Instant::now() >= until);
        let is_due = is_old && !kept.is_counting;
        kept.is_counting |= is_due;
        (kept.stats, is_due)
    }

    /// Counts. Blocks.
    fn count(&self) {
        let begun = Instant::now();
        let stats = self.store.stats().ok();
        let mut kept = self.kept();
        let rest = FRESH.max(begun.elapsed() * REST);
        *kept = KeptFigures { stats, until: Some(Instant::now() + rest), is_counting: false };
    }

    fn kept(&self) -> MutexGuard<'_, KeptFigures> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
