//! The reference key: that of the settings, else the store's, which is followed where it becomes another.

use crate::clock::Clock;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokenforge_config::Settings;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_store::{Store, StoreError};

/// How long a store that did not give its key is left alone.
const RETRY: Duration = Duration::from_secs(1);

/// The key under which references are made.
pub(crate) struct ReferenceKey {
    /// That of the settings, which no store can change.
    fixed: Option<Arc<ReferenceSecret>>,
    /// The store's, once it gave it.
    known: RwLock<Option<StoreKey>>,
    /// When the store was last asked for it, in vain.
    asked: Mutex<Option<Instant>>,
    clock: Arc<dyn Clock>,
}

#[derive(Clone)]
struct StoreKey {
    bytes: [u8; 32],
    key: Arc<ReferenceSecret>,
}

/// What is known of the key without asking anybody.
pub(crate) enum KeyState {
    /// This is it.
    Known(Arc<ReferenceSecret>),
    /// The store was asked a moment ago and has none: it is not asked again yet.
    Missing,
    /// The store has to be asked, which may block.
    Unasked,
}

impl ReferenceKey {
    pub(crate) fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Self {
        let secret = settings.store.key.as_ref();
        let fixed = secret.map(|secret| Arc::new(ReferenceSecret::from_secret(secret.expose())));
        ReferenceKey { fixed, known: RwLock::default(), asked: Mutex::default(), clock }
    }

    /// What is known of the key without asking anybody. That there is none is remembered, too: without a data folder every
    /// request would go to the workers to be told so again, which cost a third of the throughput.
    pub(crate) fn state(&self, store: &dyn Store) -> KeyState {
        match self.known(store) {
            Some(key) => KeyState::Known(key),
            None if self.was_missing_just_now() => KeyState::Missing,
            None => KeyState::Unasked,
        }
    }

    fn was_missing_just_now(&self) -> bool {
        // Another thread that holds the lock is asking the store at this moment.
        let asked = self.asked.try_lock().ok().and_then(|asked| *asked);
        asked.is_some_and(|asked| self.is_recent(asked))
    }

    fn known(&self, store: &dyn Store) -> Option<Arc<ReferenceSecret>> {
        if self.fixed.is_some() {
            return self.fixed.clone();
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        match store.known_key() {
            Some(bytes) if known.as_ref().is_none_or(|known| known.bytes != bytes) => {
                Some(self.learn(bytes))
            }
            _ => known.map(|known| known.key),
        }
    }

    /// The key, if the store gives it; now and then why it does not. Blocks.
    pub(crate) fn ask(
        &self,
        store: &dyn Store,
    ) -> Result<Option<Arc<ReferenceSecret>>, StoreError> {
        if let Some(key) = self.known(store) {
            return Ok(Some(key));
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have got the key while this one waited.
        if let Some(key) = self.known(store) {
            return Ok(Some(key));
        }
        if asked.is_some_and(|asked| self.is_recent(asked)) {
            return Ok(None);
        }
        match store.key() {
            Ok(bytes) => Ok(Some(self.learn(bytes))),
            Err(error) => {
                *asked = Some(self.clock.instant());
                Err(error)
            }
        }
    }

    fn is_recent(&self, asked: Instant) -> bool {
        self.clock.instant().saturating_duration_since(asked) < RETRY
    }

    fn learn(&self, bytes: [u8; 32]) -> Arc<ReferenceSecret> {
        let key = Arc::new(ReferenceSecret::from_bytes(bytes));
        let known = StoreKey { bytes, key: key.clone() };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use tokenforge_store::MemoryStore;

    #[test]
    fn a_store_without_a_key_is_asked_again_only_after_a_pause() {
        let key = ReferenceKey::new(&Settings::default(), Arc::new(SystemClock));
        let store = MemoryStore::default()
            .with_key(|| Err(StoreError::NoKey { reason: "there is no folder".to_owned() }));
        assert!(matches!(key.state(&store), KeyState::Unasked));
        assert!(key.ask(&store).is_err());
        assert!(matches!(key.state(&store), KeyState::Missing));
        assert!(matches!(key.ask(&store), Ok(None)));
    }
}
