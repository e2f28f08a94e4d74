//! Where an entry is: its kind, and a hash of its tenant and id.
//!
//! Nothing a caller says becomes a path, and what one tenant calls an entry says nothing about another's.

use crate::{Error, Kind};
use std::fmt;

const MAX_ID: usize = 128;

/// The place of one entry. [`Display`](fmt::Display) writes it as a file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    hash: [u8; 16],
}

impl Address {
    pub(crate) fn of(kind: Kind, tenant: &str, id: &str) -> Result<Self, Error> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if id.is_empty() || id.len() > MAX_ID || !id.bytes().all(is_allowed) {
            return Err(Error::BadId { id: id.chars().take(64).collect() });
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

impl fmt::Display for Address {
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
        let of = |kind, tenant, id| Address::of(kind, tenant, id).unwrap().to_string();
        let one = of(Kind::Original, "a", "bc");
        assert_eq!(of(Kind::Original, "a", "bc"), one);
        let others = [
            of(Kind::Result, "a", "bc"),
            of(Kind::Original, "b", "bc"),
            of(Kind::Original, "a", "cb"),
            of(Kind::Original, "ab", "c"),
            of(Kind::Original, "", "abc"),
        ];
        assert!(!others.contains(&one), "{others:?}");
    }

    #[test]
    fn what_is_no_id_is_refused() {
        let long = "a".repeat(129);
        for id in ["", "../key", "a/b", "a.b", "a b", "é", "a\0b", &long] {
            let error = Address::of(Kind::Original, "tenant", id).unwrap_err();
            assert!(matches!(error, Error::BadId { .. }), "{id}: {error}");
        }
    }
}
