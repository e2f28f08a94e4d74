//! What lines cost: their bytes, and roughly their tokens.

use std::ops::Add;

/// Bytes, and runs of characters of one kind, which are nearly tokens: a line of dots is long but cheap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineCost {
    bytes: usize,
    words: usize,
}

impl LineCost {
    /// The cost of a line and of the end of the line.
    pub(super) fn of(line: &str) -> Self {
        let bytes = line.as_bytes();
        let changes = bytes.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
        Self { bytes: line.len() + 1, words: changes + 1 }
    }

    pub(super) fn is_more_than(self, other: Self) -> bool {
        self.bytes > other.bytes && self.words > other.words
    }
}

impl Add for LineCost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, words: self.words + other.words }
    }
}

/// Letters are one kind, digits are one, and any other character is a kind of its own.
fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => b'a',
        b'0'..=b'9' => b'0',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_cheap_and_words_are_not() {
        assert_eq!(LineCost::of("........................................").words, 1);
        assert!(LineCost::of("   Compiling serde v1.0.229").words > 8);
        assert_eq!(LineCost::of("").words, 1);
    }
}
