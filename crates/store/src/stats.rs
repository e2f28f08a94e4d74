//! How much a store keeps.

use crate::Kind;

/// How much a store keeps of each kind, all tenants together. Entries whose lifetime is over count until they are
/// removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    originals: Amount,
    results: Amount,
}

/// A number of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// The number of entries.
    pub entries: u64,
    /// The bytes that were put, without what keeping them costs.
    pub bytes: u64,
}

impl Stats {
    /// How much of one kind.
    pub fn of(&self, kind: Kind) -> Amount {
        match kind {
            Kind::Original => self.originals,
            Kind::Result => self.results,
        }
    }

    /// How much of all kinds.
    pub fn total(&self) -> Amount {
        let (originals, results) = (self.originals, self.results);
        Amount {
            entries: originals.entries + results.entries,
            bytes: originals.bytes + results.bytes,
        }
    }

    /// Counts an entry of this many bytes.
    pub(crate) fn add(&mut self, kind: Kind, bytes: u64) {
        let amount = self.of_mut(kind);
        amount.entries += 1;
        amount.bytes += bytes;
    }

    /// Takes an entry that was counted off again.
    pub(crate) fn subtract(&mut self, kind: Kind, bytes: u64) {
        let amount = self.of_mut(kind);
        amount.entries -= 1;
        amount.bytes -= bytes;
    }

    fn of_mut(&mut self, kind: Kind) -> &mut Amount {
        match kind {
            Kind::Original => &mut self.originals,
            Kind::Result => &mut self.results,
        }
    }
}
