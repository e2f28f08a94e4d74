//! Originals of what was left out, in the store, under references of the installation's key.

use crate::earlier_results::EarlierResults;
use crate::reference_key::{KeyState, ReferenceKey};
use crate::telemetry::Telemetry;
use std::sync::{Arc, OnceLock};
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_store::{EntryKind, Store, StoreError};

/// Where originals are kept, and the key under which they are referred to.
pub(crate) struct OriginalStore {
    store: Arc<dyn Store>,
    key: ReferenceKey,
    /// Results that nothing was left out of.
    pub(crate) earlier: EarlierResults,
    command_tenant: OnceLock<String>,
    pub(crate) telemetry: Arc<Telemetry>,
}

impl OriginalStore {
    pub(crate) fn new(store: Arc<dyn Store>, key: ReferenceKey, telemetry: Arc<Telemetry>) -> Self {
        let earlier = EarlierResults::new(store.clone());
        OriginalStore { store, key, earlier, command_tenant: OnceLock::new(), telemetry }
    }

    /// The command that prints originals on this machine reads this store, and there those of this tenant.
    pub(crate) fn set_command_tenant(&self, tenant: &str) {
        // Whoever says it twice says the same.
        let _ = self.command_tenant.set(tenant.to_owned());
    }

    /// Whose originals the command on this machine prints, if it reads this store.
    pub(crate) fn command_tenant(&self) -> Option<&str> {
        self.command_tenant.get().map(String::as_str)
    }

    /// What is known of the key under which references are made, without asking anybody.
    pub(crate) fn key_state(&self) -> KeyState {
        self.key.state(&*self.store)
    }

    /// The key under which references are made, if the store gives it. Blocks.
    pub(crate) fn reference_key(&self) -> Option<Arc<ReferenceSecret>> {
        self.key.ask(&*self.store).unwrap_or_else(|error| {
            self.telemetry.key_missing(&error);
            None
        })
    }

    /// Keeps an original for a tenant. Blocks.
    pub(crate) fn put(
        &self,
        tenant: &str,
        reference: Reference,
        text: &str,
    ) -> Result<(), StoreError> {
        self.store.put(EntryKind::Original, tenant, &reference.to_string(), text.as_bytes())
    }

    /// An original that is kept for a tenant, or why there is none. Blocks.
    pub(crate) fn find(&self, tenant: &str, id: &str) -> Result<String, String> {
        let unknown = || {
            let id: String =
                id.chars().filter(|character| !character.is_control()).take(64).collect();
            format!(
                "No original is kept under {id:?} here. If the line under it names `tokenforge expand`, run that in a shell; \
                 else run the tool again if you need its output."
            )
        };
        let reference = parse_reference(id).ok_or_else(unknown)?;
        let key = self.reference_key().ok_or_else(unknown)?;
        if !reference.verify(&key) {
            return Err(unknown());
        }
        let stored = self.store.get(EntryKind::Original, tenant, &reference.to_string());
        stored.ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(unknown)
    }
}

/// Models write an id as they saw it, with its marks or without.
pub(crate) fn parse_reference(id: &str) -> Option<Reference> {
    id.trim().trim_start_matches("<<<SHADOW:").trim_end_matches(">>>").parse().ok()
}
