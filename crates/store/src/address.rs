//! Entry addresses, the key of a lookup: an entry's kind, and a hash of its tenant and id.
//!
//! Nothing a caller says becomes a path, and what one tenant calls an entry says nothing about another's.

use crate::{EntryKind, StoreError};
use std::fmt;

const MAX_ID: usize = 128;

/// The place of one entry. [`Display`](fmt::Display) writes it as a file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EntryAddress {
    pub(crate) kind: EntryKind,
    hash: [u8; 16],
}

impl EntryAddress {
    pub(crate) fn of(kind: EntryKind, tenant: &str, id: &str) -> Result<Self, StoreError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if id.is_empty() || id.len() > MAX_ID || !id.bytes().all(is_allowed) {
            return Err(StoreError::BadId { id: id.chars().take(64).collect() });
        }
        let mut hasher = blake3::Hasher::new_derive_key("tokenforge 2026 store address");
        // The id has no NUL: where the tenant ends is clear.
        hasher.update(tenant.as_bytes()).update(b"\0").update(id.as_bytes());
        let mut hash = [0; 16];
        hasher.finalize_xof().fill(&mut hash);
        Ok(Self { kind, hash })
    }

    /// The first byte, by which entries are spread over folders.
    pub(crate) fn shard(&self) -> u8 {
        self.hash[0]
    }
}

impl fmt::Display for EntryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = u128::from_be_bytes(self.hash);
        write!(f, "{hash:032x}.{}", self.kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_tenant_and_id_all_make_a_difference() {
        let of = |kind, tenant, id| EntryAddress::of(kind, tenant, id).unwrap().to_string();
        let one = of(EntryKind::Original, "a", "bc");
        assert_eq!(of(EntryKind::Original, "a", "bc"), one);
        let others = [
            of(EntryKind::Result, "a", "bc"),
            of(EntryKind::Original, "b", "bc"),
            of(EntryKind::Original, "a", "cb"),
            of(EntryKind::Original, "ab", "c"),
            of(EntryKind::Original, "", "abc"),
        ];
        assert!(!others.contains(&one), "{others:?}");
    }

    #[test]
    fn what_is_no_id_is_refused() {
        let long = "a".repeat(129);
        for id in ["", "../key", "a/b", "a.b", "a b", "é", "a\0b", &long] {
            let error = EntryAddress::of(EntryKind::Original, "tenant", id).unwrap_err();
            assert!(matches!(error, StoreError::BadId { .. }), "{id}: {error}");
        }
    }
}
