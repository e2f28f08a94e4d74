//! Originals of results, kept in the user's data folder, and what became of results, written down there.

use crate::{data, ledger, output};
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_config::LedgerSettings;
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_ledger::{EntrySource, Ledger, LedgerEntry, ResultOutcome};
use tokenforge_mcp::{Original, Originals};
use tokenforge_store::{DiskStore, EntryKind, Store};

/// Originals in the user's data folder, if they can be kept there.
pub(super) struct LocalOriginals {
    store: Option<(DiskStore, Arc<ReferenceSecret>)>,
    ledger: Option<Mutex<Ledger>>,
}

impl LocalOriginals {
    pub(super) fn open() -> Self {
        let opened = data::store()
            .and_then(|store| Ok((Arc::new(ReferenceSecret::from_bytes(store.key()?)), store)));
        match opened {
            Ok((key, store)) => LocalOriginals { store: Some((store, key)), ledger: None },
            Err(error) => {
                output::tell(&format!("note: {error:#}; nothing is left out of results"));
                LocalOriginals::closed()
            }
        }
    }

    /// The same, with a ledger if the settings want one.
    pub(super) fn with_ledger(self, settings: &LedgerSettings) -> Self {
        LocalOriginals { ledger: ledger::open(settings).map(Mutex::new), ..self }
    }

    /// Keeps nothing.
    pub(super) fn closed() -> Self {
        LocalOriginals { store: None, ledger: None }
    }

    /// Can nothing be kept?
    pub(super) fn is_closed(&self) -> bool {
        self.store.is_none()
    }
}

impl Originals for LocalOriginals {
    fn key(&self) -> Option<Arc<ReferenceSecret>> {
        self.store.as_ref().map(|(_, key)| key.clone())
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let id = original.reference.to_string();
        let put = |(store, _): &(DiskStore, _)| {
            store.put(EntryKind::Original, tenant, &id, original.text.as_bytes())
        };
        self.store.as_ref().is_some_and(|opened| put(opened).is_ok())
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        let (store, key) = self.store.as_ref()?;
        let reference: Reference = id.parse().ok()?;
        let is_ours = reference.verify(key);
        let found = is_ours
            .then(|| store.get(EntryKind::Original, tenant, &reference.to_string()).ok())??;
        found.and_then(|bytes| String::from_utf8(bytes).ok())
    }

    fn rewrote(&self, client: &str, outcome: ResultOutcome, is_observed: bool) {
        let Some(ledger) = &self.ledger else { return };
        let mut entry = LedgerEntry::new(EntrySource::Mcp, ledger::now());
        entry.client = (!client.is_empty()).then(|| client.into());
        entry.observed = is_observed;
        entry.add(outcome);
        // A ledger that cannot be written is no reason to keep a result from its client.
        let _ = ledger.lock().unwrap_or_else(PoisonError::into_inner).append(&entry);
    }
}
