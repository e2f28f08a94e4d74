//! The key under which references are made.

use crate::StoreError;

/// The bytes of a key.
pub(crate) const LENGTH: usize = 32;

/// A new random key.
pub(crate) fn random() -> Result<[u8; LENGTH], StoreError> {
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(StoreError::NoRandomness)?;
    Ok(key)
}

/// The key that was kept at a place.
pub(crate) fn read_key(place: impl ToString, bytes: &[u8]) -> Result<[u8; LENGTH], StoreError> {
    let bad = |_| StoreError::BadKey { place: place.to_string(), length: bytes.len() };
    bytes.try_into().map_err(bad)
}
