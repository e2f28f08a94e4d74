//! Ready means that the first request waits for nothing.

use crate::kit::{PATIENCE, world_on};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tokenforge_store::{EntryKind, MemoryStore, Store, StoreError, StoreStats};

/// A store that gives its key when it is told to.
struct Late(MemoryStore, Mutex<mpsc::Receiver<()>>);

impl Store for Late {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.0.put(kind, tenant, id, bytes)
    }
    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(kind, tenant, id)
    }
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        self.0.forget(kind, tenant, id)
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.0.stats()
    }
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        self.0.purge(kind, unused_for)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        let _ = self.1.lock().unwrap().recv();
        self.0.key()
    }
}

#[test]
fn d73_a_gateway_is_alive_at_once_and_ready_when_it_is_warm() {
    let (give, given) = mpsc::channel();
    let world = world_on(Arc::new(Late(MemoryStore::default(), Mutex::new(given))), |_| {});
    assert_eq!(world.get("/_forge/healthz").status, 200);
    assert_eq!(world.get("/_forge/readyz").status, 503);
    give.send(()).unwrap();
    let started = Instant::now();
    while world.get("/_forge/readyz").status != 200 {
        assert!(started.elapsed() < PATIENCE, "it never gets ready");
    }
}
