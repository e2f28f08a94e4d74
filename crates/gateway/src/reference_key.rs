//! The reference key: that of the settings, else the store's, which is followed where it becomes another.

use arc_swap::ArcSwapOption;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokenforge_config::Settings;
use tokenforge_engine::reference::Key;
use tokenforge_store::{Error, Store};

/// How long a store that did not give its key is left alone.
const RETRY: Duration = Duration::from_secs(1);

/// The key under which references are made.
pub(crate) struct ReferenceKey {
    /// That of the settings, which no store can change.
    fixed: Option<Arc<Key>>,
    /// The store's, once it gave it.
    known: ArcSwapOption<StoreKey>,
    /// When the store was last asked for it, in vain.
    asked: Mutex<Option<Instant>>,
}

struct StoreKey {
    bytes: [u8; 32],
    key: Arc<Key>,
}

impl ReferenceKey {
    pub(crate) fn new(settings: &Settings) -> Self {
        let secret = settings.store.key.as_ref();
        let fixed = secret.map(|secret| Arc::new(Key::from_secret(secret.expose())));
        ReferenceKey { fixed, known: ArcSwapOption::empty(), asked: Mutex::default() }
    }

    /// The key, if nobody has to be asked for it.
    pub(crate) fn cached(&self, store: &dyn Store) -> Option<Arc<Key>> {
        if self.fixed.is_some() {
            return self.fixed.clone();
        }
        let known = self.known.load();
        match store.known_key() {
            Some(bytes) if known.as_ref().is_none_or(|known| known.bytes != bytes) => {
                Some(self.learn(bytes))
            }
            _ => known.as_ref().map(|known| known.key.clone()),
        }
    }

    /// The key, if the store gives it; now and then why it does not. Blocks.
    pub(crate) fn ask(&self, store: &dyn Store) -> Result<Option<Arc<Key>>, Error> {
        if let Some(key) = self.cached(store) {
            return Ok(Some(key));
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been given it while this one waited.
        if let Some(key) = self.cached(store) {
            return Ok(Some(key));
        }
        if asked.is_some_and(|asked| asked.elapsed() < RETRY) {
            return Ok(None);
        }
        match store.key() {
            Ok(bytes) => Ok(Some(self.learn(bytes))),
            Err(error) => {
                *asked = Some(Instant::now());
                Err(error)
            }
        }
    }

    fn learn(&self, bytes: [u8; 32]) -> Arc<Key> {
        let key = Arc::new(Key::from_bytes(bytes));
        self.known.store(Some(Arc::new(StoreKey { bytes, key: key.clone() })));
        key
    }
}
