//! A store of the caller's own: two functions, get and put.

use std::sync::OnceLock;
use std::time::Duration;
use tokenforge_store::{EntryKind, Store, StoreError, StoreOptions, StoreStats};

/// Looks something up by its name.
type Get = dyn Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + Send + Sync;

/// Keeps something under its name.
type Put = dyn Fn(&str, &[u8]) -> Result<(), StoreError> + Send + Sync;

/// The name under which the key of references is kept.
const KEY: &str = "key";

/// A store that asks the caller's functions. How long entries live and how much room they take is the caller's to bound.
pub struct CallbackStore {
    get: Box<Get>,
    put: Box<Put>,
    key: OnceLock<[u8; 32]>,
}

impl CallbackStore {
    /// A store of these two.
    pub fn new(
        get: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + Send + Sync + 'static,
        put: impl Fn(&str, &[u8]) -> Result<(), StoreError> + Send + Sync + 'static,
    ) -> Self {
        CallbackStore { get: Box::new(get), put: Box::new(put), key: OnceLock::new() }
    }
}

fn name(kind: EntryKind, tenant: &str, id: &str) -> String {
    match tenant {
        "" => format!("{}/{id}", kind.name()),
        tenant => format!("{}/{tenant}/{id}", kind.name()),
    }
}

impl Store for CallbackStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        (self.put)(&name(kind, tenant, id), bytes)
    }

    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (self.get)(&name(kind, tenant, id))
    }

    /// There is no function for it: the entry is made empty, which nothing reads as an entry of ours.
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        let was_there = self.get(kind, tenant, id)?.is_some();
        self.put(kind, tenant, id, b"")?;
        Ok(was_there)
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        Ok(StoreStats::default())
    }

    fn purge(
        &self,
        _kind: Option<EntryKind>,
        _unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// Drawn once and kept like everything else, so that references stay the same after a restart.
    fn key(&self) -> Result<[u8; 32], StoreError> {
        if let Some(key) = self.key.get() {
            return Ok(*key);
        }
        let kept = (self.get)(KEY)?.and_then(|bytes| bytes.try_into().ok());
        let key = match kept {
            Some(key) => key,
            None => {
                let drawn = tokenforge_store::MemoryStore::new(StoreOptions::MEMORY).key()?;
                (self.put)(KEY, &drawn)?;
                drawn
            }
        };
        Ok(*self.key.get_or_init(|| key))
    }
}
