//! Where the tokens of a JSON text start, 64 bytes at a time.
//!
//! A token is a bracket, brace, colon, comma, either quote of a string, or the first byte of a number or word. Inside
//! strings there are none, so a long string costs a few instructions per 64 bytes whatever it contains.

use wide::u8x16;

const SIZE: usize = 64;

/// One bit per byte of a block, the first byte lowest.
type Mask = u64;

/// The blocks of a text, one after the other.
pub(super) struct Blocks<'a> {
    text: &'a [u8],
    /// Where the next block starts.
    next: usize,
    /// All ones if the next block starts inside a string.
    in_string: Mask,
    /// One if the first byte of the next block is escaped.
    escaped: Mask,
    /// One if the last byte was part of a number or word.
    in_scalar: Mask,
    is_malformed: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Blocks { text, next: 0, in_string: 0, escaped: 0, in_scalar: 0, is_malformed: false }
    }

    /// The tokens of the next block, and where that block starts.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<(usize, Mask)> {
        let start = self.next;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        self.next += SIZE;
        let tokens = match rest.first_chunk::<SIZE>() {
            Some(block) => self.tokens(start, block),
            None => self.tokens(start, &padded(rest)),
        };
        Some((start, tokens))
    }

    /// Whether every string so far was well formed, and the last one is closed.
    pub(super) fn is_well_formed(&self) -> bool {
        !self.is_malformed && self.in_string == 0
    }

    #[inline]
    fn tokens(&mut self, start: usize, block: &[u8; SIZE]) -> Mask {
        let bytes = Bytes::of(block);
        if self.in_string & !self.escaped == Mask::MAX && bytes.are_plain() {
            return 0;
        }
        let backslashes = bytes.are(b'\\');
        let escaped = self.escaped_by(backslashes);
        let any_quotes = bytes.are(b'"');
        let quotes = any_quotes & !escaped;
        // From an opening quote up to, and without, the closing one.
        let inside = if quotes == 0 { self.in_string } else { parity(quotes) ^ self.in_string };
        self.in_string = ((inside as i64) >> 63) as Mask;
        if bytes.have_control() {
            self.is_malformed |= bytes.are_control() & inside != 0;
        }
        self.is_malformed |= backslashes & !inside != 0;
        if escaped != 0 {
            // The escapes that texts are full of need no closer look.
            self.check_escapes(start, escaped & !(any_quotes | backslashes | bytes.are(b'n')));
        }
        if quotes == 0 && inside == Mask::MAX {
            self.in_scalar = 0;
            return 0;
        }
        let outside = !(inside | quotes);
        let structure = bytes.are_structure() & outside;
        let scalars = outside & !structure & !bytes.are_white_space();
        let starts = scalars & !(scalars << 1 | self.in_scalar);
        self.in_scalar = scalars >> 63;
        structure | quotes | starts
    }

    /// The bytes behind an odd number of backslashes.
    #[inline]
    fn escaped_by(&mut self, backslashes: Mask) -> Mask {
        const ODD: Mask = 0xAAAA_AAAA_AAAA_AAAA;
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        // Adding a run of backslashes to its own start carries to the bit behind the run; whether that bit and the
        // start are both even or both odd tells whether the run is.
        let backslashes = backslashes & !self.escaped;
        let follow = backslashes << 1 | self.escaped;
        let odd_starts = backslashes & ODD & !follow;
        let (ends, carries) = odd_starts.overflowing_add(backslashes);
        self.escaped = Mask::from(carries);
        (!ODD ^ (ends << 1)) & follow
    }

    fn check_escapes(&mut self, start: usize, mut escaped: Mask) {
        while escaped != 0 {
            let at = start + escaped.trailing_zeros() as usize;
            escaped &= escaped - 1;
            self.is_malformed |= match self.text.get(at) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => false,
                Some(b'u') => !self.has_four_digits(at + 1),
                _ => true,
            };
        }
    }

    fn has_four_digits(&self, at: usize) -> bool {
        self.text.get(at..at + 4).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    }
}

/// Whether the number of bits up to and with each bit is odd.
#[inline]
fn parity(mut bits: Mask) -> Mask {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cold]
fn padded(rest: &[u8]) -> [u8; SIZE] {
    let mut block = [b' '; SIZE];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// 64 bytes, and which of them are what.
struct Bytes([u8x16; 4]);

impl Bytes {
    #[inline]
    fn of(block: &[u8; SIZE]) -> Self {
        let (chunks, _) = block.as_chunks::<16>();
        Bytes(std::array::from_fn(|index| u8x16::new(chunks[index])))
    }

    #[inline]
    fn are(&self, byte: u8) -> Mask {
        self.mask(|bytes| equal(bytes, byte))
    }

    #[inline]
    fn are_control(&self) -> Mask {
        self.mask(control)
    }

    #[inline]
    fn have_control(&self) -> bool {
        self.have(control)
    }

    /// Whether there is nothing but text, if this is inside a string.
    #[inline]
    fn are_plain(&self) -> bool {
        !self.have(|bytes| equal(bytes, b'"') | equal(bytes, b'\\') | control(bytes))
    }

    /// `{ } [ ] : ,`
    #[inline]
    fn are_structure(&self) -> Mask {
        self.mask(|bytes| {
            // A bracket and its brace differ in one bit.
            let folded = bytes | u8x16::splat(0x20);
            let brackets = equal(folded, b'{') | equal(folded, b'}');
            brackets | equal(bytes, b':') | equal(bytes, b',')
        })
    }

    #[inline]
    fn are_white_space(&self) -> Mask {
        self.mask(|bytes| {
            let breaks = equal(bytes, b'\n') | equal(bytes, b'\r');
            breaks | equal(bytes, b' ') | equal(bytes, b'\t')
        })
    }

    #[inline]
    fn have(&self, class: impl Fn(u8x16) -> u8x16) -> bool {
        let [a, b, c, d] = self.0.map(class);
        (a | b | c | d).to_bitmask() != 0
    }

    #[inline]
    fn mask(&self, class: impl Fn(u8x16) -> u8x16) -> Mask {
        let bits = |index: usize| Mask::from(class(self.0[index]).to_bitmask()) << (16 * index);
        bits(0) | bits(1) | bits(2) | bits(3)
    }
}

#[inline]
fn control(bytes: u8x16) -> u8x16 {
    bytes.min(u8x16::splat(0x1f)).simd_eq(bytes)
}

#[inline]
fn equal(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, byte by byte.
    fn plainly(text: &[u8]) -> Vec<usize> {
        let (mut tokens, mut in_string, mut in_scalar, mut is_escaped) =
            (vec![], false, false, false);
        for (at, byte) in text.iter().enumerate() {
            let is_scalar = !in_string && !b"{}[]:,\" \n\r\t".contains(byte);
            let is_quote = *byte == b'"' && !is_escaped;
            let is_structure = !in_string && b"{}[]:,".contains(byte);
            if is_quote || is_structure || (is_scalar && !in_scalar) {
                tokens.push(at);
            }
            in_string ^= is_quote;
            in_scalar = is_scalar;
            is_escaped = *byte == b'\\' && !is_escaped;
        }
        tokens
    }

    fn in_blocks(text: &[u8]) -> Vec<usize> {
        let mut blocks = Blocks::new(text);
        let mut tokens = vec![];
        while let Some((start, mut mask)) = blocks.advance() {
            while mask != 0 {
                tokens.push(start + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
        tokens
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn blocks_find_the_tokens_that_a_byte_by_byte_reading_finds(
            // Where an escape stands outside a string the text is malformed and its tokens do not matter.
            text in r#"([ \n{}\[\]:,0-9a]|"([a-z{}:, ]|\\["\\nu/]){0,90}"){0,60}"#
        ) {
            prop_assert_eq!(in_blocks(text.as_bytes()), plainly(text.as_bytes()));
        }
    }
}
