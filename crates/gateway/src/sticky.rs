//! Decisions that are no function of what was decided about, and so must be remembered: a deadline that passed, the
//! words of a strategy.

use tokenforge_compress::{Output, Settings};
use tokenforge_store::{Kind, Store};

/// What stands for "the original goes on".
const KEPT: &[u8] = b"\0kept";

/// The place of one decision in the store.
pub(crate) struct Sticky<'s> {
    store: &'s dyn Store,
    tenant: &'s str,
    /// The decision, by what was decided about.
    id: String,
}

impl<'s> Sticky<'s> {
    /// The decision about an output, of one `kind`, under settings.
    pub(crate) fn of(
        store: &'s dyn Store,
        tenant: &'s str,
        kind: &str,
        output: &Output<'_>,
        settings: &Settings,
    ) -> Self {
        let flags = [u8::from(output.is_error)];
        let fingerprint = settings.fingerprint(false).to_le_bytes();
        // The text is first: what begins at a whole block is hashed several blocks at a time.
        let parts = [
            output.text.as_bytes(),
            output.tool.as_bytes(),
            output.arguments.as_bytes(),
            kind.as_bytes(),
            &flags,
            &fingerprint,
        ];
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        for part in parts {
            hasher.update(&part.len().to_le_bytes());
        }
        Sticky { store, tenant, id: hasher.finalize().to_hex().to_string() }
    }

    /// The decision of this id.
    pub(crate) fn known(store: &'s dyn Store, tenant: &'s str, id: &str) -> Self {
        Sticky { store, tenant, id: id.to_owned() }
    }

    pub(crate) fn id(&self) -> String {
        self.id.clone()
    }

    /// Was there no time for it once? Then there is none now, or the provider's cache would be lost.
    pub(crate) fn is_late(&self) -> bool {
        self.found().is_some()
    }

    pub(crate) fn remember_late(&self) {
        self.remember(None);
    }

    /// What was decided: `Some(None)` that the original goes on.
    pub(crate) fn found(&self) -> Option<Option<String>> {
        let bytes = self.store.get(Kind::Result, self.tenant, &self.id).ok().flatten()?;
        if bytes == KEPT {
            return Some(None);
        }
        String::from_utf8(bytes).ok().map(Some)
    }

    /// Remembers what was decided. A store that is away forgets it, and that is no error.
    pub(crate) fn remember(&self, text: Option<&str>) {
        let bytes = text.map_or(KEPT, str::as_bytes);
        let _ = self.store.put(Kind::Result, self.tenant, &self.id, bytes);
    }
}
