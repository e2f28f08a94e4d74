//! Where a wrapper holds its payloads.

use super::Codec;
use std::ops::Range;

/// A place in a text that holds a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) range: Range<usize>,
    pub(super) codec: Codec,
}

impl Slot {
    /// A payload as it is, or nothing to be touched where there is only white space.
    pub(super) fn unless_blank(text: &str, range: Range<usize>) -> Vec<Self> {
        let is_blank = text[range.clone()].trim().is_empty();
        if is_blank { Vec::new() } else { vec![Self { range, codec: Codec::Plain }] }
    }
}
