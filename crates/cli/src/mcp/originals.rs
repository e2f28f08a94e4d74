//! Originals of results, kept in the user's data folder.

use crate::data;
use std::sync::Arc;
use tokenforge_compress::Original;
use tokenforge_compress::reference::{Key, Reference};
use tokenforge_mcp::Originals;
use tokenforge_store::{Disk, Kind, Store};

/// Originals in the user's data folder, if they can be kept there.
pub(super) struct Local(Option<(Disk, Arc<Key>)>);

impl Local {
    pub(super) fn open() -> Self {
        let opened =
            data::store().and_then(|store| Ok((Arc::new(Key::from_bytes(store.key()?)), store)));
        match opened {
            Ok((key, store)) => Local(Some((store, key))),
            Err(error) => {
                eprintln!("note: {error:#}; nothing is left out of results");
                Local(None)
            }
        }
    }

    /// Keeps nothing.
    pub(super) fn closed() -> Self {
        Local(None)
    }

    /// Can nothing be kept?
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_none()
    }
}

impl Originals for Local {
    fn key(&self) -> Option<Arc<Key>> {
        self.0.as_ref().map(|(_, key)| key.clone())
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let id = original.reference.to_string();
        let put = |(store, _): &(Disk, _)| {
            store.put(Kind::Original, tenant, &id, original.text.as_bytes())
        };
        self.0.as_ref().is_some_and(|opened| put(opened).is_ok())
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        let (store, key) = self.0.as_ref()?;
        let reference: Reference = id.parse().ok()?;
        let is_ours = reference.verify(key, tenant);
        let found =
            is_ours.then(|| store.get(Kind::Original, tenant, &reference.to_string()).ok())??;
        found.and_then(|bytes| String::from_utf8(bytes).ok())
    }
}
