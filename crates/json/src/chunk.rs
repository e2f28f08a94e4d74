//! SIMD byte classes: sixteen bytes of text at once, and which of them are what.
//!
//! A string of ordinary length is scanned without a loop, hence without a mispredicted branch at its end.

use wide::u8x16;

/// The number of bytes in a chunk.
pub const SIZE: usize = 16;

/// Sixteen bytes; behind the end of the text they are zero.
#[derive(Clone, Copy)]
pub struct Chunk(u8x16);

/// One bit per byte of a chunk, the first byte lowest.
pub type ChunkMask = u32;

/// The bits of the first `count` bytes.
#[inline]
pub fn first(count: usize) -> ChunkMask {
    (1 << count) - 1
}

/// The bytes that are not in the mask.
#[inline]
pub fn others(mask: ChunkMask) -> ChunkMask {
    !mask & first(SIZE)
}

impl Chunk {
    /// The bytes from there on.
    #[inline]
    pub fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..).and_then(|rest| rest.first_chunk::<SIZE>()) {
            Some(bytes) => Self(u8x16::new(*bytes)),
            None => Self::pad(text.get(at..).unwrap_or_default()),
        }
    }

    #[cold]
    fn pad(rest: &[u8]) -> Self {
        let mut bytes = [0; SIZE];
        bytes[..rest.len()].copy_from_slice(rest);
        Self(u8x16::new(bytes))
    }

    /// Quotes, backslashes and control characters: where plain text in a string ends.
    #[inline]
    pub fn string_stops(self) -> ChunkMask {
        (self.eq(b'"') | self.eq(b'\\') | self.at_most(0x1f)).to_bitmask()
    }

    /// `: [ ] { }`
    #[inline]
    pub fn structure(self) -> ChunkMask {
        self.structural().to_bitmask()
    }

    /// `: [ ] { } , |`
    #[inline]
    pub fn structure_or_delimiter(self) -> ChunkMask {
        (self.structural() | self.eq(b',') | self.eq(b'|')).to_bitmask()
    }

    #[inline]
    fn structural(self) -> u8x16 {
        self.brackets() | self.eq(b':')
    }

    /// `[ ] { }`
    #[inline]
    fn brackets(self) -> u8x16 {
        // A bracket and its brace differ in one bit.
        let folded = Self(self.0 | u8x16::splat(0x20));
        folded.eq(b'{') | folded.eq(b'}')
    }

    /// White space, control characters and `" \ ( ) [ ] { }`: where a bare word of STC 2 ends.
    #[inline]
    pub fn bare_stops(self) -> ChunkMask {
        let folded = Self(self.0 | u8x16::splat(1));
        let stops = self.at_most(b' ') | folded.eq(b')') | self.brackets();
        (stops | self.eq(b'"') | self.eq(b'\\')).to_bitmask()
    }

    /// A given byte.
    #[inline]
    pub fn is(self, byte: u8) -> ChunkMask {
        self.eq(byte).to_bitmask()
    }

    /// `A-Z a-z 0-9 _`
    #[inline]
    pub fn word(self) -> ChunkMask {
        let letter = Self((self.0 | u8x16::splat(0x20)) - u8x16::splat(b'a')).at_most(25);
        (letter | self.digit() | self.eq(b'_')).to_bitmask()
    }

    /// `0-9`
    #[inline]
    pub fn digits(self) -> ChunkMask {
        self.digit().to_bitmask()
    }

    #[inline]
    fn digit(self) -> u8x16 {
        Self(self.0 - u8x16::splat(b'0')).at_most(9)
    }

    #[inline]
    fn eq(self, byte: u8) -> u8x16 {
        self.0.simd_eq(u8x16::splat(byte))
    }

    #[inline]
    fn at_most(self, byte: u8) -> u8x16 {
        self.0.min(u8x16::splat(byte)).simd_eq(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_classified_in_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..SIZE {
                let mut text = [b'~'; SIZE];
                text[place] = byte;
                let chunk = Chunk::at(&text, 0);
                let expect = |yes: bool| if yes { 1 << place } else { 0 };
                let others = |yes: bool| if yes { first(SIZE) & !(1 << place) } else { 0 };
                let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
                assert_eq!(chunk.string_stops(), expect(byte < 0x20 || b"\"\\".contains(&byte)));
                assert_eq!(chunk.structure(), expect(b":[]{}".contains(&byte)));
                let is_special = b":[]{},|".contains(&byte);
                assert_eq!(chunk.structure_or_delimiter(), expect(is_special));
                assert_eq!(chunk.word(), expect(is_word));
                let is_stop = byte <= b' ' || b"\"\\()[]{}".contains(&byte);
                assert_eq!(chunk.bare_stops(), expect(is_stop));
                assert_eq!(chunk.digits(), expect(byte.is_ascii_digit()));
                assert_eq!(chunk.is(b'~'), expect(byte == b'~') | others(true));
            }
        }
    }

    #[test]
    fn behind_the_end_of_the_text_there_are_zeros() {
        assert_eq!(Chunk::at(b"abc", 1).string_stops(), first(SIZE) & !first(2));
        assert_eq!(Chunk::at(b"abc", 3).string_stops(), first(SIZE));
        assert_eq!(Chunk::at(b"abc", 9).string_stops(), first(SIZE));
    }
}
