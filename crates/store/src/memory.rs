//! An LRU cache in memory: bounded in bytes, the least recently used entries are evicted.

use crate::address::EntryAddress;
use crate::pins::{PinOwner, PinnedBytes};
use crate::settings::{StoreClock, is_unused_for};
use crate::{EntryKind, Store, StoreError, StoreOptions, StoreStats, key};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// What an entry costs beside its bytes: its places in two maps, roughly. Counted against the bound, so that a
/// million empty entries are not free.
const OVERHEAD: u64 = 256;

/// How many expired entries a put removes beside those that make room for it: none waits while thousands go. Until they
/// do, no get returns them.
const EXPIRED_BATCH: usize = 64;

/// A store that lives as long as the process.
#[derive(Debug)]
pub struct MemoryStore {
    settings: StoreOptions,
    clock: StoreClock,
    entries: Mutex<LruEntries>,
    key: KeySource,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(StoreOptions::MEMORY)
    }
}

impl MemoryStore {
    /// An empty store with these bounds.
    pub fn new(settings: StoreOptions) -> Self {
        Self {
            settings,
            clock: StoreClock::default(),
            entries: Mutex::default(),
            key: KeySource::default(),
        }
    }

    /// The same store, with a key that outlives it: asked for until there is one. Without, a key is drawn, and the
    /// references of another process are other ones.
    #[must_use]
    pub fn with_key(
        self,
        source: impl Fn() -> Result<[u8; 32], StoreError> + Send + Sync + 'static,
    ) -> Self {
        Self { key: KeySource { known: OnceLock::new(), ask: Box::new(source) }, ..self }
    }

    /// The same store, with another clock.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: StoreClock::new(now), ..self }
    }

    fn new_entry(&self, bytes: &[u8]) -> Result<CachedEntry, StoreError> {
        let (size, limit) = (bytes.len() as u64, self.settings.max_bytes.saturating_sub(OVERHEAD));
        if size > limit {
            return Err(StoreError::TooLarge { bytes: size, limit });
        }
        let last_use = self.clock.now();
        Ok(CachedEntry { bytes: bytes.into(), last_use, turn: 0, pinned_by: None })
    }

    /// No operation can leave the entries half changed, so a panic elsewhere does not spoil them.
    fn entries(&self) -> MutexGuard<'_, LruEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        let entry = self.new_entry(bytes)?;
        self.entries().insert(address, entry, &self.settings)
    }

    fn pin(&self, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let address = EntryAddress::of(EntryKind::Original, tenant, id)?;
        let pinned_by = Some(PinOwner::of(tenant));
        let entry = CachedEntry { pinned_by, ..self.new_entry(bytes)? };
        self.entries().insert(address, entry, &self.settings)
    }

    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        let now = self.clock.now();
        // The bytes are copied when the lock is free again.
        let bytes = self.entries().use_entry(&address, &self.settings, now);
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        let entry = self.new_entry(bytes)?;
        let mut entries = self.entries();
        if let Some(kept) = entries.use_entry(&address, &self.settings, entry.last_use) {
            return Ok(Some(kept.to_vec()));
        }
        entries.insert(address, entry, &self.settings)?;
        Ok(None)
    }

    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        Ok(self.entries().remove(&address).is_some())
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        Ok(self.entries().stats)
    }

    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        let now = self.clock.now();
        let is_meant = |address: &EntryAddress, entry: &CachedEntry| {
            kind.is_none_or(|kind| kind == address.kind)
                && unused_for.is_none_or(|time| is_unused_for(time, entry.last_use, now))
        };
        Ok(self.entries().remove_where(is_meant))
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        match self.settings.key {
            Some(key) => Ok(key),
            None => self.key.get(),
        }
    }
}

/// Where the key comes from: the same one as long as the store lives.
struct KeySource {
    known: OnceLock<[u8; 32]>,
    ask: Box<dyn Fn() -> Result<[u8; 32], StoreError> + Send + Sync>,
}

impl Default for KeySource {
    fn default() -> Self {
        KeySource { known: OnceLock::new(), ask: Box::new(key::random) }
    }
}

impl KeySource {
    fn get(&self) -> Result<[u8; 32], StoreError> {
        if let Some(key) = self.known.get() {
            return Ok(*key);
        }
        let key = (self.ask)()?;
        Ok(*self.known.get_or_init(|| key))
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySource")
    }
}

#[derive(Debug, Default)]
struct LruEntries {
    by_address: HashMap<EntryAddress, CachedEntry>,
    /// Those that may be evicted, least recently used first.
    by_turn: BTreeMap<u64, EntryAddress>,
    /// Those that are pinned, least recently used first. All are originals and live equally long, so the first is the
    /// first that expires.
    pinned_by_turn: BTreeMap<u64, EntryAddress>,
    pinned: PinnedBytes,
    /// Counts uses: the order of use, whatever the clock says.
    turns: u64,
    stats: StoreStats,
}

#[derive(Debug)]
struct CachedEntry {
    bytes: Arc<[u8]>,
    last_use: SystemTime,
    turn: u64,
    /// Whose share of the pins it takes, if it is pinned.
    pinned_by: Option<PinOwner>,
}

impl CachedEntry {
    fn cost(&self) -> u64 {
        self.bytes.len() as u64 + OVERHEAD
    }
}

impl LruEntries {
    /// Adds an entry, in place of what was there, which stays pinned if it is. Older entries make room.
    ///
    /// # Errors
    /// Pinned entries leave no room for it.
    fn insert(
        &mut self,
        address: EntryAddress,
        mut entry: CachedEntry,
        settings: &StoreOptions,
    ) -> Result<(), StoreError> {
        let (now, cost) = (entry.last_use, entry.cost());
        let mut expired = 0;
        while expired < EXPIRED_BATCH && self.remove_expired_pin(settings, now) {
            expired += 1;
        }
        let replaced = self.by_address.get(&address);
        entry.pinned_by = entry.pinned_by.or(replaced.and_then(|entry| entry.pinned_by));
        match entry.pinned_by {
            // A share is not full because of what is expired.
            Some(owner) => loop {
                let replaced = self.pinned_cost(&address);
                match self.pinned.admit(owner, cost, replaced, settings.max_bytes) {
                    Ok(()) => break,
                    Err(full) if !self.remove_expired_pin(settings, now) => return Err(full),
                    Err(_) => {}
                }
            },
            None => {
                let limit = settings.max_bytes.saturating_sub(self.pinned.total());
                if cost > limit {
                    return Err(StoreError::TooLarge { bytes: cost, limit });
                }
            }
        }
        self.remove(&address);
        self.stats.add(address.kind, entry.bytes.len() as u64);
        if let Some(owner) = entry.pinned_by {
            self.pinned.add(owner, cost);
        }
        self.by_address.insert(address, entry);
        self.touch(&address, now);
        self.evict(settings, now);
        Ok(())
    }

    /// Removes what must make room, and some of what is expired.
    fn evict(&mut self, settings: &StoreOptions, now: SystemTime) {
        let mut expired = 0;
        while let Some((_, oldest)) = self.by_turn.first_key_value() {
            let oldest = *oldest;
            if self.cost() <= settings.max_bytes {
                if expired == EXPIRED_BATCH || !self.is_over(&oldest, settings, now) {
                    break;
                }
                expired += 1;
            }
            self.remove(&oldest);
        }
    }

    /// Removes the pinned entry that was not used for longest, if its lifetime is over. Tells whether it did.
    fn remove_expired_pin(&mut self, settings: &StoreOptions, now: SystemTime) -> bool {
        let oldest = self.pinned_by_turn.first_key_value().map(|(_, oldest)| *oldest);
        let expired = oldest.filter(|oldest| self.is_over(oldest, settings, now));
        expired.is_some_and(|expired| self.remove(&expired).is_some())
    }

    /// The cost of the entry of this address, if it is pinned.
    fn pinned_cost(&self, address: &EntryAddress) -> u64 {
        let entry = self.by_address.get(address).filter(|entry| entry.pinned_by.is_some());
        entry.map_or(0, CachedEntry::cost)
    }

    fn is_over(&self, address: &EntryAddress, settings: &StoreOptions, now: SystemTime) -> bool {
        let entry = self.by_address.get(address);
        entry.is_some_and(|entry| settings.is_over(address.kind, entry.last_use, now))
    }

    fn use_entry(
        &mut self,
        address: &EntryAddress,
        settings: &StoreOptions,
        now: SystemTime,
    ) -> Option<Arc<[u8]>> {
        let entry = self.by_address.get(address)?;
        if settings.is_over(address.kind, entry.last_use, now) {
            self.remove(address);
            return None;
        }
        let bytes = Arc::clone(&entry.bytes);
        self.touch(address, now);
        Some(bytes)
    }

    fn touch(&mut self, address: &EntryAddress, now: SystemTime) {
        let Some(entry) = self.by_address.get_mut(address) else { return };
        let order = match entry.pinned_by {
            Some(_) => &mut self.pinned_by_turn,
            None => &mut self.by_turn,
        };
        order.remove(&entry.turn);
        self.turns += 1;
        (entry.turn, entry.last_use) = (self.turns, now);
        order.insert(self.turns, *address);
    }

    fn remove(&mut self, address: &EntryAddress) -> Option<CachedEntry> {
        let entry = self.by_address.remove(address)?;
        match entry.pinned_by {
            Some(owner) => {
                self.pinned_by_turn.remove(&entry.turn);
                self.pinned.subtract(owner, entry.cost());
            }
            None => {
                self.by_turn.remove(&entry.turn);
            }
        }
        self.stats.subtract(address.kind, entry.bytes.len() as u64);
        Some(entry)
    }

    fn remove_where(&mut self, is_meant: impl Fn(&EntryAddress, &CachedEntry) -> bool) -> u64 {
        let meant = self.by_address.iter().filter(|(address, entry)| is_meant(address, entry));
        let meant: Vec<EntryAddress> = meant.map(|(address, _)| *address).collect();
        meant.iter().filter_map(|address| self.remove(address)).count() as u64
    }

    fn cost(&self) -> u64 {
        let total = self.stats.total();
        total.bytes + total.entries * OVERHEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryAmount;

    fn bounded_store(max_bytes: u64) -> MemoryStore {
        MemoryStore::new(StoreOptions { max_bytes, ..StoreOptions::MEMORY })
    }

    #[test]
    fn d03_a_key_from_a_file_outlives_the_store_and_its_absence_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (path, nowhere) = (folder.path().join("a/key"), folder.path().join("file"));
        let open = |path: std::path::PathBuf| {
            MemoryStore::default().with_key(move || crate::key_file(&path))
        };
        let key = open(path.clone()).key().unwrap();
        assert_eq!(open(path).key().unwrap(), key);
        assert_ne!(MemoryStore::default().key().unwrap(), key);
        std::fs::write(&nowhere, "not a folder").unwrap();
        let store = open(nowhere.join("key"));
        assert!(store.key().is_err());
        std::fs::remove_file(&nowhere).unwrap();
        assert_eq!(store.key().unwrap(), store.key().unwrap(), "asked for until there is one");
    }

    #[test]
    fn the_least_recently_used_entry_makes_room() {
        let store = bounded_store(3 * (1000 + OVERHEAD));
        let put = |id| store.put(EntryKind::Original, "t", id, &[0; 1000]).unwrap();
        let has = |id| store.get(EntryKind::Original, "t", id).unwrap().is_some();
        ["a", "b", "c"].into_iter().for_each(put);
        assert!(has("a"));
        put("d");
        assert_eq!(["a", "b", "c", "d"].map(has), [true, false, true, true]);
    }

    #[test]
    fn d73_a_put_removes_a_bounded_number_of_expired_entries() {
        let hours = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let clock = hours.clone();
        let store = bounded_store(1 << 20).with_clock(move || {
            let hours = clock.load(std::sync::atomic::Ordering::SeqCst);
            SystemTime::UNIX_EPOCH + Duration::from_secs(hours * 60 * 60)
        });
        let put = |id: usize| store.put(EntryKind::Original, "t", &id.to_string(), b"x").unwrap();
        (0..1000).for_each(put);
        hours.store(25, std::sync::atomic::Ordering::SeqCst);
        put(1000);
        let entries = |store: &MemoryStore| store.stats().unwrap().total().entries as usize;
        assert_eq!(entries(&store), 1001 - EXPIRED_BATCH);
        assert_eq!(store.get(EntryKind::Original, "t", "999").unwrap(), None);
        (1001..1020).for_each(put);
        assert_eq!(entries(&store), 20);
    }

    #[test]
    fn the_bound_holds_for_entries_of_every_size() {
        let store = bounded_store(100_000);
        for index in 0..2000usize {
            let bytes = vec![1; index * 7919 % 30_000];
            store.put(EntryKind::Result, "t", &index.to_string(), &bytes).unwrap();
            let entries = store.entries();
            assert!(entries.cost() <= 100_000, "{} after {index}", entries.cost());
            assert_eq!(entries.by_turn.len(), entries.by_address.len());
        }
    }

    #[test]
    fn g82_the_bound_holds_with_pins_of_every_size_and_tenant() {
        let store = bounded_store(100_000);
        let mut pinned = 0;
        for index in 0..2000usize {
            let bytes = vec![1; index * 7919 % 9_000];
            let (tenant, id) = ((index % 7).to_string(), index.to_string());
            pinned += usize::from(store.pin(&tenant, &id, &bytes).is_ok());
            let _ = store.put(EntryKind::Original, "t", &id, &bytes);
            let entries = store.entries();
            assert!(entries.cost() <= 100_000, "{} after {index}", entries.cost());
            assert!(entries.pinned.total() <= 50_000, "{:?}", entries.pinned);
            let ordered = entries.by_turn.len() + entries.pinned_by_turn.len();
            assert_eq!(ordered, entries.by_address.len());
        }
        assert!(pinned > 10, "{pinned}");
        store.purge(None, None).unwrap();
        let entries = store.entries();
        assert_eq!((entries.cost(), &entries.pinned), (0, &PinnedBytes::default()));
    }

    #[test]
    fn an_entry_above_the_bound_is_refused_and_evicts_nothing() {
        let store = bounded_store(10_000);
        store.put(EntryKind::Original, "t", "a", b"kept").unwrap();
        let error = store.put(EntryKind::Original, "t", "b", &[0; 10_000]).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { bytes: 10_000, .. }), "{error}");
        assert_eq!(store.stats().unwrap().total(), EntryAmount { entries: 1, bytes: 4 });
    }
}
