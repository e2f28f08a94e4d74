//! Structural scan: where the tokens of a JSON text start, 64 bytes at a time.
//!
//! A token is a bracket, brace, colon, comma, either quote of a string, or the first byte of a number or word. Inside
//! strings there are none, so a long string costs a few instructions per 64 bytes whatever it contains.
//!
//! Why like this: a request is a megabyte of which the gateway needs a few hundred bytes, it repeats the history of the one
//! before, and nearly all of it is text inside of strings. A parser that builds values pays for all of them, and writing them
//! out again changes bytes outside of the edit, which costs the client its prompt cache. So bytes become masks, a bit
//! for each, and what follows is arithmetic on 64 of them. What that means, and what was measured:
//!
//! - The common block, inside a string and with nothing special in it, is one test ([`BlockScan::tokens`] begins with it).
//!   `n`, `r` and `t` have a mask of their own, because nearly all escapes of a text are those; only others are looked at.
//! - What has a meaning outside of strings is computed only for blocks that have an outside.
//! - Validation is part of the scan, and is asked for once, at the end.
//! - Checking UTF-8 with the standard library took a fifth of the time of a body, which is why [`Walker::new`] does not.
//! - 32 bytes at a time, with AVX2, take 8 to 15 % off a request of 100 KB, but only if all of the loop is compiled for it:
//!   closures of the standard library were not, and calling them cost more than the work. Hence `inline(always)` here, and [`BATCH`]: asking
//!   what the processor can do is paid for once in four blocks.
//! - A text that is known from an earlier request need not be scanned at all: [`Blocks::jump`].
//!
//! [`Walker::new`]: super::Walker::new

use super::lanes;
use crate::lexeme;

/// How many bytes are looked at together.
pub(super) const SIZE: usize = 64;

/// How many blocks are looked at in one go: enough to make up for asking what the processor can do, and few enough that
/// little is lost when a text is known and passed.
const BATCH: usize = 4;

/// The bytes of a block.
pub(super) type Block = [u8; SIZE];

/// One bit per byte of a block, the first byte lowest.
pub(super) type BlockMask = u64;

/// Which bytes of a block have a meaning inside of strings.
pub(super) struct StringMarks {
    pub(super) quotes: BlockMask,
    pub(super) backslashes: BlockMask,
    pub(super) controls: BlockMask,
    /// `n`, `r` and `t`, which stand behind most backslashes.
    pub(super) usual: BlockMask,
}

/// Which bytes of a block have a meaning outside of strings.
pub(super) struct StructureMarks {
    /// `{ } [ ] : ,`
    pub(super) structure: BlockMask,
    pub(super) white_space: BlockMask,
}

/// The blocks of a text, one after the other.
pub(super) struct Blocks<'a> {
    scan: BlockScan<'a>,
    /// The tokens of the blocks that were looked at.
    batch: [BlockMask; BATCH],
    /// Those of them that were not given out yet.
    waiting: std::ops::Range<usize>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Blocks { scan: BlockScan::new(text), batch: [0; BATCH], waiting: 0..0 }
    }

    /// The tokens of the next block that has any, and where that block starts.
    pub(super) fn advance(&mut self) -> Option<(usize, BlockMask)> {
        loop {
            let waiting = self.batch.get(self.waiting.clone())?;
            if let Some(index) = waiting.iter().position(|tokens| *tokens != 0) {
                let start = self.scan.next - (waiting.len() - index) * SIZE;
                let tokens = waiting[index];
                self.waiting.start += index + 1;
                return Some((start, tokens));
            }
            self.waiting = 0..lanes::fill(&mut self.scan, &mut self.batch);
            if self.waiting.is_empty() {
                return None;
            }
        }
    }

    /// Goes on there, behind what need not be looked at.
    pub(super) fn jump(&mut self, to: usize) {
        self.waiting = 0..0;
        self.scan = BlockScan { next: to, in_string: 0, escaped: 0, in_scalar: 0, ..self.scan };
    }

    /// Whether every string so far was well formed, and the last one is closed.
    pub(super) fn is_well_formed(&self) -> bool {
        !self.scan.is_malformed && self.scan.in_string == 0
    }
}

/// What is known between two blocks.
#[derive(Clone, Copy)]
pub(super) struct BlockScan<'a> {
    text: &'a [u8],
    /// Where the next block starts.
    next: usize,
    /// All ones if the next block starts inside a string.
    in_string: BlockMask,
    /// One if the first byte of the next block is escaped.
    escaped: BlockMask,
    /// One if the last byte was part of a number or word.
    in_scalar: BlockMask,
    is_malformed: bool,
}

impl<'a> BlockScan<'a> {
    fn new(text: &'a [u8]) -> Self {
        BlockScan { text, next: 0, in_string: 0, escaped: 0, in_scalar: 0, is_malformed: false }
    }

    /// Finds the tokens of as many blocks as there is room for, and says how many that were.
    ///
    /// Always inlined, so that it is compiled for the processor that `marks` and `outline` are compiled for.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        batch: &mut [BlockMask],
        marks: impl Fn(&Block) -> StringMarks,
        outline: impl Fn(&Block) -> StructureMarks,
    ) -> usize {
        for (index, tokens) in batch.iter_mut().enumerate() {
            let start = self.next;
            let rest = self.text.get(start..).unwrap_or_default();
            *tokens = match rest.first_chunk::<SIZE>() {
                Some(block) => self.tokens(start, block, &marks, &outline),
                None if rest.is_empty() => return index,
                None => self.tokens(start, &pad(rest), &marks, &outline),
            };
            self.next += SIZE;
        }
        batch.len()
    }

    #[inline(always)]
    fn tokens(
        &mut self,
        start: usize,
        block: &Block,
        marks: impl Fn(&Block) -> StringMarks,
        outline: impl Fn(&Block) -> StructureMarks,
    ) -> BlockMask {
        let StringMarks { quotes: any_quotes, backslashes, controls, usual } = marks(block);
        let is_plain = any_quotes | backslashes | controls == 0;
        if is_plain && self.in_string & !self.escaped == BlockMask::MAX {
            return 0;
        }
        let escaped = self.escaped_by(backslashes);
        let quotes = any_quotes & !escaped;
        // From an opening quote up to, and without, the closing one.
        let inside = if quotes == 0 { self.in_string } else { parity(quotes) ^ self.in_string };
        self.in_string = ((inside as i64) >> 63) as BlockMask;
        self.is_malformed |= (controls & inside) | (backslashes & !inside) != 0;
        // The escapes that texts are full of need no closer look.
        let unusual = escaped & !(any_quotes | backslashes | usual);
        if unusual != 0 {
            self.check_escapes(start, unusual);
        }
        if quotes == 0 && inside == BlockMask::MAX {
            self.in_scalar = 0;
            return 0;
        }
        let StructureMarks { structure, white_space } = outline(block);
        let outside = !(inside | quotes);
        let structure = structure & outside;
        let scalars = outside & !structure & !white_space;
        let starts = scalars & !(scalars << 1 | self.in_scalar);
        self.in_scalar = scalars >> 63;
        structure | quotes | starts
    }

    /// The bytes behind an odd number of backslashes.
    #[inline(always)]
    fn escaped_by(&mut self, backslashes: BlockMask) -> BlockMask {
        const ODD: BlockMask = 0xAAAA_AAAA_AAAA_AAAA;
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        // Adding a run of backslashes to its own start carries to the bit behind the run; whether that bit and the
        // start are both even or both odd tells whether the run is.
        let backslashes = backslashes & !self.escaped;
        let follow = backslashes << 1 | self.escaped;
        let odd_starts = backslashes & ODD & !follow;
        let (ends, carries) = odd_starts.overflowing_add(backslashes);
        self.escaped = BlockMask::from(carries);
        (!ODD ^ (ends << 1)) & follow
    }

    fn check_escapes(&mut self, start: usize, mut escaped: BlockMask) {
        while escaped != 0 {
            let at = start + escaped.trailing_zeros() as usize;
            escaped &= escaped - 1;
            // The backslash is the byte before.
            self.is_malformed |= lexeme::escape_end(self.text, at - 1).is_err();
        }
    }
}

/// Whether the number of bits up to and with each bit is odd.
#[inline(always)]
fn parity(mut bits: BlockMask) -> BlockMask {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cold]
fn pad(rest: &[u8]) -> Block {
    let mut block = [b' '; SIZE];
    block[..rest.len()].copy_from_slice(rest);
    block
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
