//! Pins: entries that are not evicted before their lifetime is over, and how many bytes of them a tenant may have.
//!
//! Pins take at most half of a store, so that what is not pinned has a place, and a tenant at most half of what the other
//! tenants' pins leave of that (the dynamic threshold of shared buffers, Choudhury and Hahne 1998): one tenant alone has a
//! quarter of the store, and there is room for one more tenant however many there are. A fixed share would be too small for
//! the only tenant of a gateway, or let a few tenants take all of it.

use crate::StoreError;
use std::collections::HashMap;
use std::fmt;

/// A tenant, as stores write it down: a hash, so that no name becomes part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PinOwner(u64);

impl PinOwner {
    pub(crate) fn of(tenant: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("tokenforge 2026 store pin owner");
        let mut hash = [0; 8];
        hasher.update(tenant.as_bytes()).finalize_xof().fill(&mut hash);
        PinOwner(u64::from_be_bytes(hash))
    }

    /// The owner of this name, as [`Display`](fmt::Display) writes it.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        (name.len() == 16).then(|| u64::from_str_radix(name, 16).ok().map(PinOwner)).flatten()
    }
}

impl fmt::Display for PinOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How many bytes are pinned, by tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PinnedBytes {
    by_owner: HashMap<PinOwner, u64>,
    total: u64,
}

impl PinnedBytes {
    /// Checks that an owner may pin an entry of so many bytes in a store of `max_bytes`, in place of one that it has pinned
    /// with `replaced` bytes. An entry that is pinned already may always be pinned again, or a conversation would lose its
    /// original.
    ///
    /// # Errors
    /// Its share is full.
    pub(crate) fn admit(
        &self,
        owner: PinOwner,
        bytes: u64,
        replaced: u64,
        max_bytes: u64,
    ) -> Result<(), StoreError> {
        let own = self.of(owner);
        let others = self.total.saturating_sub(own);
        let limit = (max_bytes / 2).saturating_sub(others) / 2;
        if bytes <= replaced || own.saturating_sub(replaced).saturating_add(bytes) <= limit {
            Ok(())
        } else {
            Err(StoreError::PinsFull { bytes, pinned: own, limit })
        }
    }

    pub(crate) fn add(&mut self, owner: PinOwner, bytes: u64) {
        let own = self.by_owner.entry(owner).or_default();
        *own = own.saturating_add(bytes);
        self.total = self.total.saturating_add(bytes);
    }

    pub(crate) fn subtract(&mut self, owner: PinOwner, bytes: u64) {
        let Some(own) = self.by_owner.get_mut(&owner) else { return };
        let bytes = bytes.min(*own);
        *own -= bytes;
        self.total = self.total.saturating_sub(bytes);
        // The bytes of a tenant without pins are not kept: tenants come and go.
        if *own == 0 {
            self.by_owner.remove(&owner);
        }
    }

    pub(crate) fn of(&self, owner: PinOwner) -> u64 {
        self.by_owner.get(&owner).copied().unwrap_or_default()
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (PinOwner, u64)> {
        self.by_owner.iter().map(|(owner, bytes)| (*owner, *bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g82_tenants_share_half_of_the_store_and_leave_room() {
        let mut pinned = PinnedBytes::default();
        let owners: Vec<PinOwner> = (0..20).map(|n| PinOwner::of(&format!("tenant {n}"))).collect();
        for owner in &owners {
            while pinned.admit(*owner, 1, 0, 1 << 20).is_ok() {
                pinned.add(*owner, 1 << 5);
            }
        }
        assert!(pinned.total() <= 1 << 19, "{}", pinned.total());
        let shares: Vec<u64> = owners.iter().map(|owner| pinned.of(*owner)).collect();
        assert_eq!(shares[..3], [1 << 18, 1 << 17, 1 << 16]);
        assert_eq!(PinOwner::from_name(&owners[0].to_string()), Some(owners[0]));
    }

    #[test]
    fn g82_a_pin_may_be_renewed_in_a_share_that_is_full() {
        let (mut pinned, owner) = (PinnedBytes::default(), PinOwner::of("t"));
        pinned.add(owner, 256);
        assert!(matches!(
            pinned.admit(owner, 1, 0, 1024),
            Err(StoreError::PinsFull { bytes: 1, pinned: 256, limit: 256 })
        ));
        pinned.admit(owner, 100, 100, 1024).unwrap();
        pinned.subtract(owner, 300);
        assert_eq!(pinned, PinnedBytes::default());
    }
}
