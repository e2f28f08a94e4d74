//! The file of an entry: a mark, a checksum, the bytes.

use crate::address::Address;

const MARK: &[u8; 4] = b"TFS1";
const CHECKSUM: usize = 16;
/// What a file has before the bytes.
pub(super) const HEADER: usize = MARK.len() + CHECKSUM;
/// What file systems give out.
pub(super) const BLOCK: u64 = 4096;

/// What stands before the bytes of an entry.
pub(super) fn header(address: &Address, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let (mark, checksum) = header.split_at_mut(MARK.len());
    mark.copy_from_slice(MARK);
    // The address is part of it: a file that was moved is not the entry whose place it takes.
    let mut hasher = blake3::Hasher::new();
    hasher.update(address.to_string().as_bytes()).update(bytes);
    hasher.finalize_xof().fill(checksum);
    header
}

/// The bytes in a file, if they are those that were put.
pub(super) fn checked(address: &Address, mut contents: Vec<u8>) -> Option<Vec<u8>> {
    let (found, bytes) = contents.split_first_chunk::<HEADER>()?;
    if *found != header(address, bytes) {
        return None;
    }
    contents.drain(..HEADER);
    Some(contents)
}

/// What a file of this length takes up.
pub(super) fn size_on_disk(length: u64) -> u64 {
    length.next_multiple_of(BLOCK)
}
