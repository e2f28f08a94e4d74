//! A store behind a panic guard (bulkhead): where it panics, it failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_store::{EntryKind, Store, StoreError, StoreStats};

/// Another store, without its panics.
pub(crate) struct PanicSafeStore(pub(crate) Arc<dyn Store>);

impl Store for PanicSafeStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        catch_panic(|| self.0.put(kind, tenant, id, bytes))
    }

    fn pin(&self, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        catch_panic(|| self.0.pin(tenant, id, bytes))
    }

    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        catch_panic(|| self.0.get(kind, tenant, id))
    }

    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        catch_panic(|| self.0.put_if_absent(kind, tenant, id, bytes))
    }

    fn is_durable(&self) -> bool {
        self.0.is_durable()
    }

    fn has_epoch(&self) -> bool {
        self.0.has_epoch()
    }

    fn epoch(&self) -> Result<Option<u64>, StoreError> {
        catch_panic(|| self.0.epoch())
    }

    fn complete_for(&self) -> Result<Option<Duration>, StoreError> {
        catch_panic(|| self.0.complete_for())
    }

    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        catch_panic(|| self.0.forget(kind, tenant, id))
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        catch_panic(|| self.0.stats())
    }

    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        catch_panic(|| self.0.purge(kind, unused_for))
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        catch_panic(|| self.0.key())
    }

    fn known_key(&self) -> Option<[u8; 32]> {
        catch_unwind(AssertUnwindSafe(|| self.0.known_key())).unwrap_or_default()
    }

    fn put_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        entries: &[(&str, &[u8])],
    ) -> Result<(), StoreError> {
        catch_panic(|| self.0.put_all(kind, tenant, entries))
    }

    fn get_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        ids: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        catch_panic(|| self.0.get_all(kind, tenant, ids))
    }
}

fn catch_panic<T>(call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let failed =
        || StoreError::Server { server: "the gateway".into(), reason: "it panicked".into() };
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err(failed()))
}
