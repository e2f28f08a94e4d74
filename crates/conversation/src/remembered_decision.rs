//! Remembered decisions: those that are no function of what was decided about (a deadline that passed, the words of a
//! strategy, an original that the store did not pin), and so must be the same in every later request.

use crate::strategy_decision::StrategyDecision;
use tokenforge_engine::reference::Reference;
use tokenforge_engine::{Output, Settings};
use tokenforge_store::{EntryKind, Store, StoreError};
use xxhash_rust::xxh3::xxh3_128;

/// Kept for an output for which there was no time.
const LATE: &[u8] = b"\0late";

/// Kept for an original that the store refused to pin.
const REFUSED: &[u8] = b"\0refused";

/// The owner of these decisions: all tenants together. A decision is found by the content that it is about, which a
/// client must send itself, and a credential that is renewed must not change it. No tenant has this name.
const ALL_TENANTS: &str = "\0all";

/// The place of one decision in the store.
pub(crate) struct RememberedDecision<'s> {
    store: &'s dyn Store,
    /// The decision, by what was decided about.
    id: String,
}

impl<'s> RememberedDecision<'s> {
    /// Whether there was time for an output. Every new one is asked about, so its text is hashed in the fastest way:
    /// a client that makes two texts collide only has one of them forwarded as it came.
    pub(crate) fn of_deadline(
        store: &'s dyn Store,
        output: &Output<'_>,
        settings: &Settings,
    ) -> Self {
        let text = xxh3_128(output.text.as_bytes()).to_le_bytes();
        RememberedDecision { store, id: id("late", &text, output, settings) }
    }

    /// Whether the store refused to pin the original of a tenant's call. The same text may be pinned for another call, when
    /// there is room again, and for another tenant, whose share has room.
    pub(crate) fn of_refused_pin(
        store: &'s dyn Store,
        tenant: &str,
        reference: Reference,
        call: Option<&str>,
    ) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("tokenforge 2026 refused pin");
        let reference = reference.to_string();
        for part in [tenant, &reference, call.unwrap_or_default()] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        RememberedDecision { store, id: hasher.finalize().to_hex().to_string() }
    }

    /// The words of one strategy for an output, under settings. They stand in its place, so no client may be able to
    /// make two texts collide.
    pub(crate) fn of_strategy(
        store: &'s dyn Store,
        strategy: &str,
        output: &Output<'_>,
        settings: &Settings,
    ) -> Self {
        RememberedDecision { store, id: id(strategy, output.text.as_bytes(), output, settings) }
    }

    /// The decision of this id.
    pub(crate) fn by_id(store: &'s dyn Store, id: &str) -> Self {
        RememberedDecision { store, id: id.to_owned() }
    }

    pub(crate) fn id(&self) -> String {
        self.id.clone()
    }

    /// Was there no time for it once? Then there is none now, or the provider's cache would be lost.
    pub(crate) fn was_late(&self) -> bool {
        self.find().is_ok_and(|found| found.is_some())
    }

    /// A store that is away forgets it, and that is no error.
    pub(crate) fn remember_late(&self) {
        let _ = self.put(LATE);
    }

    /// Whether the store refused to pin the original.
    pub(crate) fn was_refused(&self) -> Result<bool, StoreError> {
        Ok(self.find()?.is_some())
    }

    /// A store that is down forgets the refusal, and that is no error.
    pub(crate) fn remember_refusal(&self) {
        let _ = self.put(REFUSED);
    }

    /// The decision about a strategy's answer, if there was one.
    pub(crate) fn recall(&self) -> Result<Option<StrategyDecision>, StoreError> {
        Ok(self.find()?.and_then(StrategyDecision::from_bytes))
    }

    /// Remembers the decision about a strategy's answer.
    pub(crate) fn remember(&self, decision: &StrategyDecision) -> Result<(), StoreError> {
        self.put(&decision.to_bytes())
    }

    fn find(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(EntryKind::Result, ALL_TENANTS, &self.id)
    }

    fn put(&self, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.put(EntryKind::Result, ALL_TENANTS, &self.id, bytes)
    }
}

/// A decision of one `kind` about an output, of which `text` is the text or stands for it.
fn id(kind: &str, text: &[u8], output: &Output<'_>, settings: &Settings) -> String {
    let flags = [u8::from(output.is_error)];
    let fingerprint = settings.fingerprint().to_le_bytes();
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_engine::reference::ReferenceSecret;
    use tokenforge_store::MemoryStore;

    #[test]
    fn g83_a_refused_pin_is_remembered_for_one_tenant_and_call() {
        let store = MemoryStore::default();
        let reference = Reference::of(&ReferenceSecret::from_bytes([7; 32]), "a text");
        let of = |tenant: &str, call: &str| {
            RememberedDecision::of_refused_pin(&store, tenant, reference, Some(call))
        };
        of("a", "call").remember_refusal();
        assert!(of("a", "call").was_refused().unwrap());
        for (tenant, call) in [("b", "call"), ("a", "other"), ("", "acall")] {
            assert!(!of(tenant, call).was_refused().unwrap(), "{tenant} {call}");
        }
    }
}
