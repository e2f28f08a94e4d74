//! Originals of what was left out, in the store, under references of the installation's key.

use crate::reference_key::ReferenceKey;
use crate::telemetry::Telemetry;
use std::sync::Arc;
use tokenforge_engine::reference::{Key, Reference};
use tokenforge_store::{Error, Kind, Store};

/// Where originals are kept, and the key under which they are referred to.
pub(crate) struct OriginalStore {
    store: Arc<dyn Store>,
    key: ReferenceKey,
    pub(crate) telemetry: Arc<Telemetry>,
}

impl OriginalStore {
    pub(crate) fn new(store: Arc<dyn Store>, key: ReferenceKey, telemetry: Arc<Telemetry>) -> Self {
        OriginalStore { store, key, telemetry }
    }

    /// The key under which references are made, if nobody has to be asked for it.
    pub(crate) fn known_key(&self) -> Option<Arc<Key>> {
        self.key.cached(&*self.store)
    }

    /// The key under which references are made, if the store gives it. Blocks.
    pub(crate) fn reference_key(&self) -> Option<Arc<Key>> {
        self.key.ask(&*self.store).unwrap_or_else(|error| {
            self.telemetry.key_missing(&error);
            None
        })
    }

    /// Keeps an original for a tenant. Blocks.
    pub(crate) fn put(&self, tenant: &str, reference: Reference, text: &str) -> Result<(), Error> {
        self.store.put(Kind::Original, tenant, &reference.to_string(), text.as_bytes())
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
        let stored = self.store.get(Kind::Original, tenant, &reference.to_string());
        stored.ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(unknown)
    }
}

/// Models write an id as they saw it, with its marks or without.
pub(crate) fn parse_reference(id: &str) -> Option<Reference> {
    id.trim().trim_start_matches("<<<SHADOW:").trim_end_matches(">>>").parse().ok()
}
