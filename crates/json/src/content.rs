//! What a string contains, as far as encoders care: found in the pass that finds its closing quote.

use crate::chunk::{self, Chunk, ChunkMask};
use std::ops::BitOrAssign;

/// What kinds of characters a string contains, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StringContent(u8);

/// A backslash: the text between the quotes is not the value.
const ESCAPE: u8 = 1;
/// An escape other than `\" \\ \n \r \t`.
const RARE_ESCAPE: u8 = 1 << 1;
/// Anything but `A-Z a-z 0-9 _`.
const NOT_WORD: u8 = 1 << 2;
/// Anything but `A-Z a-z 0-9 _ .`.
const NOT_DOTTED_WORD: u8 = 1 << 3;
/// One of `: [ ] { }`.
const STRUCTURE: u8 = 1 << 4;
const COMMA: u8 = 1 << 5;
const PIPE: u8 = 1 << 6;

impl StringContent {
    /// One of `\" \\ \n \r \t`.
    pub(crate) const COMMON_ESCAPE: Self = Self(ESCAPE | NOT_WORD | NOT_DOTTED_WORD);
    /// Any other escape.
    pub(crate) const RARE_ESCAPE: Self = Self(Self::COMMON_ESCAPE.0 | RARE_ESCAPE);

    /// What matters in a value, among the bytes of `mask`.
    #[inline(always)]
    pub(crate) fn of_value(chunk: Chunk, mask: ChunkMask) -> Self {
        // Most values have none of these, and one look tells.
        if chunk.structure_or_delimiter() & mask == 0 {
            return Self::default();
        }
        Self(
            flag(chunk.structure() & mask, STRUCTURE)
                | flag(chunk.is(b',') & mask, COMMA)
                | flag(chunk.is(b'|') & mask, PIPE),
        )
    }

    /// What matters in a key, among the bytes of `mask`.
    #[inline(always)]
    pub(crate) fn of_key(chunk: Chunk, mask: ChunkMask) -> Self {
        let not_word = !chunk.word() & mask;
        if not_word == 0 {
            return Self::default();
        }
        Self(NOT_WORD | flag(not_word & !chunk.is(b'.'), NOT_DOTTED_WORD))
    }

    /// The content of an unescaped value; what would need an escape counts as one.
    pub fn of(value: &str) -> Self {
        let mut content = Self::default();
        for bytes in value.as_bytes().chunks(chunk::SIZE) {
            let (chunk, all) = (Chunk::at(bytes, 0), chunk::first(bytes.len()));
            content |= Self(flag(chunk.string_stops() & all, ESCAPE));
            content |= Self::of_value(chunk, all);
            content |= Self::of_key(chunk, all);
        }
        content
    }

    /// Does the string contain a backslash?
    #[inline]
    pub fn has_escape(self) -> bool {
        self.0 & ESCAPE != 0
    }

    /// Does it contain an escape other than `\" \\ \n \r \t`?
    #[inline]
    pub fn has_rare_escape(self) -> bool {
        self.0 & RARE_ESCAPE != 0
    }

    /// A key: only ASCII letters, digits and `_`?
    #[inline]
    pub fn is_word(self) -> bool {
        self.0 & NOT_WORD == 0
    }

    /// A key: only ASCII letters, digits, `_` and `.`?
    #[inline]
    pub fn is_dotted_word(self) -> bool {
        self.0 & NOT_DOTTED_WORD == 0
    }

    /// A value: does it contain one of `: [ ] { }`?
    #[inline]
    pub fn has_structure(self) -> bool {
        self.0 & STRUCTURE != 0
    }

    /// A value: does it contain a comma?
    #[inline]
    pub fn has_comma(self) -> bool {
        self.0 & COMMA != 0
    }

    /// A value: does it contain a `|`?
    #[inline]
    pub fn has_pipe(self) -> bool {
        self.0 & PIPE != 0
    }
}

impl BitOrAssign for StringContent {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[inline]
fn flag(mask: ChunkMask, bit: u8) -> u8 {
    if mask == 0 { 0 } else { bit }
}
