//! The format of an entry outside this process: a mark, a checksum, the bytes.

use crate::address::EntryAddress;

const MARK: &[u8; 4] = b"TFS1";
const CHECKSUM: usize = 16;
/// What is kept before the bytes.
pub(crate) const HEADER: usize = MARK.len() + CHECKSUM;

/// What stands before the bytes of an entry.
pub(crate) fn header(address: &EntryAddress, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let (mark, checksum) = header.split_at_mut(MARK.len());
    mark.copy_from_slice(MARK);
    // The address is part of it: what was moved is not the entry whose place it takes.
    let mut hasher = blake3::Hasher::new();
    hasher.update(address.to_string().as_bytes()).update(bytes);
    hasher.finalize_xof().fill(checksum);
    header
}

/// The bytes that were put, if what was kept is whole.
pub(crate) fn verify(address: &EntryAddress, mut contents: Vec<u8>) -> Option<Vec<u8>> {
    let (found, bytes) = contents.split_first_chunk::<HEADER>()?;
    if *found != header(address, bytes) {
        return None;
    }
    contents.drain(..HEADER);
    Some(contents)
}
