//! A bounded key-value store for originals and remembered results: least recently used entries are evicted, and each has a
//! time to live.
//!
//! A lossy stage may drop what the model can ask for again, so an original lives here under its reference; and the
//! outcome of an impure strategy lives here under the hash of what went in. A [`Store`] keeps both, scoped by tenant, until
//! a lifetime after their last use.
//!
//! | store | survives a restart | for |
//! |---|---|---|
//! | [`MemoryStore`] | no | a gateway that needs nothing on disk |
//! | [`DiskStore`] | yes, and a kill | the command line, hooks, a gateway; all of them at once on one folder |
//! | [`RedisStore`] | yes, as the server does | gateways behind one load balancer |
//!
//! [`open`] opens any of them by its URL.
//!
//! ```
//! use tokenforge_store::{EntryKind, MemoryStore, Store};
//!
//! let store = MemoryStore::default();
//! store.put(EntryKind::Original, "tenant", "shadow_abc", b"a long tool output")?;
//! let original = store.get(EntryKind::Original, "tenant", "shadow_abc")?;
//! assert_eq!(original.as_deref(), Some(&b"a long tool output"[..]));
//! assert_eq!(store.get(EntryKind::Original, "another", "shadow_abc")?, None);
//! # Ok::<(), tokenforge_store::StoreError>(())
//! ```
//!
//! Stores block and never log. They redact nothing: what comes here is redacted already. An entry that was damaged is a
//! missing entry: no store ever answers with other bytes than were put, or with those of another tenant.

mod address;
mod disk;
mod entry;
mod error;
mod key;
mod location;
mod memory;
mod pins;
#[cfg(feature = "redis")]
mod redis;
mod settings;
mod stats;

pub use disk::{DiskStore, key_file};
pub use error::StoreError;
pub use location::{StoreLocation, open};
pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub use redis::{RedisServers, RedisStore};
pub use settings::StoreOptions;
pub use stats::{EntryAmount, StoreStats};

use std::time::Duration;

/// A place for entries. Calls block; an async caller makes them where blocking is allowed.
pub trait Store: Send + Sync {
    /// Keeps bytes under a tenant's id, in place of what was there. Older entries make room.
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Keeps an original as [`put`](Store::put) does, and evicts it for no other entry before its lifetime is over: for
    /// conversations whose next requests do not hold the original. Only [`forget`](Store::forget) and
    /// [`purge`](Store::purge) remove it earlier. A later put under the same id keeps it pinned.
    ///
    /// # Errors
    /// The tenant has no room for it among its pins ([`StoreError::PinsFull`]), or the store cannot promise that
    /// ([`StoreError::CannotPin`]); then nothing may be left out that only this original could give back.
    fn pin(&self, _tenant: &str, _id: &str, _bytes: &[u8]) -> Result<(), StoreError> {
        let reason = "this store does not say how long it keeps entries".to_owned();
        Err(StoreError::CannotPin { reason })
    }

    /// The bytes kept under a tenant's id, unless they were never put, or not used for their lifetime, or made room.
    /// Asking starts the lifetime anew.
    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes an entry. Tells whether there was one.
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError>;

    /// How much is kept. Looks at every entry, except in memory.
    fn stats(&self) -> Result<StoreStats, StoreError>;

    /// Removes the entries of a kind, or of all kinds, that were not used for this long, or all of them. Tells how many.
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError>;

    /// The key under which references are made: that of the [`StoreOptions`], else drawn once for the store and the same
    /// from then on, in every process that shares it.
    fn key(&self) -> Result<[u8; 32], StoreError>;

    /// The key as it is now, where it may become another one: a server that lost its data may have been given one by
    /// another process since. Sends no request. `None`: what [`key`](Store::key) gave stays the key.
    fn known_key(&self) -> Option<[u8; 32]> {
        None
    }

    /// Keeps bytes under a tenant's id unless something is kept there, which is the answer then. Of several that do so at once,
    /// in whichever process, one has its bytes kept and the others are answered with them; where a store has nothing
    /// better than this it is true of one process that asks at a time.
    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        match self.get(kind, tenant, id)? {
            Some(kept) => Ok(Some(kept)),
            None => self.put(kind, tenant, id, bytes).map(|()| None),
        }
    }

    /// Does it survive a restart of this process?
    fn is_durable(&self) -> bool {
        false
    }

    /// For how long no entry has made room for others, so that one which is not there was not put, or its lifetime is over.
    /// By the store's own clock. `None` where that is not known.
    fn complete_for(&self) -> Result<Option<Duration>, StoreError> {
        Ok(None)
    }

    /// May [`epoch`](Store::epoch) say anything? Asks nothing.
    fn has_epoch(&self) -> bool {
        false
    }

    /// A number that changes when entries may have been lost: all of them, with a server that keeps none, or some, removed
    /// by others. `None`: this store loses none but those that it evicts itself.
    fn epoch(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    /// Keeps several entries under a tenant's ids: all of them, or an error says that some may be missing.
    fn put_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        entries: &[(&str, &[u8])],
    ) -> Result<(), StoreError> {
        entries.iter().try_for_each(|(id, bytes)| self.put(kind, tenant, id, bytes))
    }

    /// What [`get`](Store::get) answers for each of a tenant's ids.
    fn get_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        ids: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        ids.iter().map(|id| self.get(kind, tenant, id)).collect()
    }
}

/// What an entry is. Each kind has ids and a lifetime of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// What a tool put out, redacted, before it was shortened.
    Original,
    /// What a strategy made of it.
    Result,
    /// What a tool put out, redacted, that nothing was left out of: the client may clear it from its history.
    Kept,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Original, Self::Result, Self::Kept];

    /// The name, as files are named.
    pub fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Result => "result",
            Self::Kept => "kept",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
