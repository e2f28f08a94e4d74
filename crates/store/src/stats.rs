//! Statistics: how much a store keeps.

use crate::EntryKind;

/// How much a store keeps of each kind, all tenants together. Entries whose lifetime is over count until they are
/// removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreStats {
    originals: EntryAmount,
    results: EntryAmount,
    kept: EntryAmount,
}

/// A number of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryAmount {
    /// The number of entries.
    pub entries: u64,
    /// The bytes that were put, without what keeping them costs.
    pub bytes: u64,
}

impl StoreStats {
    /// How much of one kind.
    pub fn of(&self, kind: EntryKind) -> EntryAmount {
        match kind {
            EntryKind::Original => self.originals,
            EntryKind::Result => self.results,
            EntryKind::Kept => self.kept,
        }
    }

    /// How much of all kinds.
    pub fn total(&self) -> EntryAmount {
        let all = [self.originals, self.results, self.kept];
        EntryAmount {
            entries: all.iter().map(|amount| amount.entries).sum(),
            bytes: all.iter().map(|amount| amount.bytes).sum(),
        }
    }

    /// Counts an entry of this many bytes.
    pub(crate) fn add(&mut self, kind: EntryKind, bytes: u64) {
        let amount = self.of_mut(kind);
        amount.entries += 1;
        amount.bytes += bytes;
    }

    /// Takes an entry that was counted off again.
    pub(crate) fn subtract(&mut self, kind: EntryKind, bytes: u64) {
        let amount = self.of_mut(kind);
        amount.entries -= 1;
        amount.bytes -= bytes;
    }

    fn of_mut(&mut self, kind: EntryKind) -> &mut EntryAmount {
        match kind {
            EntryKind::Original => &mut self.originals,
            EntryKind::Result => &mut self.results,
            EntryKind::Kept => &mut self.kept,
        }
    }
}
