//! Decisions that are no function of what was decided about, and so must be remembered: a deadline that passed, the
//! words of a strategy.

use tokenforge_compress::{Output, Settings};
use tokenforge_store::{Kind, Store};
use xxhash_rust::xxh3::xxh3_128;

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
    /// Whether there was time for an output. Every new one is asked about, so its text is hashed in the fastest way:
    /// whoever makes two texts look alike has one of them go on as it came.
    pub(crate) fn late(
        store: &'s dyn Store,
        tenant: &'s str,
        output: &Output<'_>,
        settings: &Settings,
    ) -> Self {
        let text = xxh3_128(output.text.as_bytes()).to_le_bytes();
        Sticky { store, tenant, id: id("late", &text, output, settings) }
    }

    /// The words of one strategy for an output, under settings. They stand in its place, so nobody may be able to make
    /// two texts look alike.
    pub(crate) fn words(
        store: &'s dyn Store,
        tenant: &'s str,
        strategy: &str,
        output: &Output<'_>,
        settings: &Settings,
    ) -> Self {
        Sticky { store, tenant, id: id(strategy, output.text.as_bytes(), output, settings) }
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

/// A decision of one `kind` about an output, of which `text` is the text or stands for it.
fn id(kind: &str, text: &[u8], output: &Output<'_>, settings: &Settings) -> String {
    let flags = [u8::from(output.is_error)];
    let fingerprint = settings.fingerprint(false).to_le_bytes();
    // The text is first: what begins at a whole block is hashed several blocks at a time.
    let parts = [
        text,
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
    hasher.finalize().to_hex().to_string()
}
