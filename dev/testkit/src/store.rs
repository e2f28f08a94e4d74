//! A store in memory around which a test does something of its own: counts, waits, fails.

use std::fmt;
use std::time::Duration;
use tokenforge_store::{EntryKind, MemoryStore, Store, StoreError, StoreStats};

/// A call of a store, before the store sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreCall<'a> {
    /// An entry is kept for a tenant under an id.
    Put(&'a str, &'a str),
    /// An entry of a tenant is asked for by its id.
    Get(&'a str, &'a str),
    /// An entry is removed.
    Forget,
    /// Everything is counted.
    Stats,
    /// Entries are purged.
    Purge,
    /// The key is asked for.
    Key,
}

/// What a test does before each call of a store.
type BeforeCall = Box<dyn Fn(StoreCall<'_>) -> Result<(), StoreError> + Send + Sync>;

/// A store in memory that asks a closure before each call: it may wait, and an error is the answer to the call.
pub struct WrappedStore {
    inner: MemoryStore,
    before: BeforeCall,
    is_durable: bool,
}

impl WrappedStore {
    /// A store whose calls go through `before`.
    pub fn new(
        before: impl Fn(StoreCall<'_>) -> Result<(), StoreError> + Send + Sync + 'static,
    ) -> Self {
        Self { inner: MemoryStore::default(), before: Box::new(before), is_durable: false }
    }

    /// The same, which says that it survives a restart.
    #[must_use]
    pub fn durable(self) -> Self {
        Self { is_durable: true, ..self }
    }
}

impl fmt::Debug for WrappedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrappedStore").field("is_durable", &self.is_durable).finish_non_exhaustive()
    }
}

impl Store for WrappedStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        (self.before)(StoreCall::Put(tenant, id))?;
        self.inner.put(kind, tenant, id, bytes)
    }
    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (self.before)(StoreCall::Get(tenant, id))?;
        self.inner.get(kind, tenant, id)
    }
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        (self.before)(StoreCall::Forget)?;
        self.inner.forget(kind, tenant, id)
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        (self.before)(StoreCall::Stats)?;
        self.inner.stats()
    }
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        (self.before)(StoreCall::Purge)?;
        self.inner.purge(kind, unused_for)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        (self.before)(StoreCall::Key)?;
        self.inner.key()
    }
    fn is_durable(&self) -> bool {
        self.is_durable
    }
}
