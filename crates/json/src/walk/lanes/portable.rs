//! SIMD on any processor: sixteen bytes at a time.

use crate::walk::blocks::{Block, BlockMask, BlockScan, StringMarks, StructureMarks};
use wide::u8x16;

/// Finds the tokens of as many blocks as there is room for, and says how many that were.
pub(super) fn fill(scan: &mut BlockScan<'_>, batch: &mut [BlockMask]) -> usize {
    scan.fill(batch, marks, outline)
}

#[inline(always)]
fn marks(block: &Block) -> StringMarks {
    let lanes = Lanes::of(block);
    StringMarks {
        quotes: lanes.mask(|bytes| equal(bytes, b'"')),
        backslashes: lanes.mask(|bytes| equal(bytes, b'\\')),
        controls: lanes.mask(|bytes| bytes.min(u8x16::splat(0x1f)).simd_eq(bytes)),
        usual: lanes.mask(|bytes| equal(bytes, b'n') | equal(bytes, b'r') | equal(bytes, b't')),
    }
}

#[inline(always)]
fn outline(block: &Block) -> StructureMarks {
    let lanes = Lanes::of(block);
    let structure = lanes.mask(|bytes| {
        // A bracket and its brace differ in one bit.
        let folded = bytes | u8x16::splat(0x20);
        let brackets = equal(folded, b'{') | equal(folded, b'}');
        brackets | equal(bytes, b':') | equal(bytes, b',')
    });
    let white_space = lanes.mask(|bytes| {
        let breaks = equal(bytes, b'\n') | equal(bytes, b'\r');
        breaks | equal(bytes, b' ') | equal(bytes, b'\t')
    });
    StructureMarks { structure, white_space }
}

struct Lanes([u8x16; 4]);

impl Lanes {
    #[inline(always)]
    fn of(block: &Block) -> Self {
        let (chunks, _) = block.as_chunks::<16>();
        Lanes(std::array::from_fn(|index| u8x16::new(chunks[index])))
    }

    #[inline(always)]
    fn mask(&self, class: impl Fn(u8x16) -> u8x16) -> BlockMask {
        let bits =
            |index: usize| BlockMask::from(class(self.0[index]).to_bitmask()) << (16 * index);
        bits(0) | bits(1) | bits(2) | bits(3)
    }
}

#[inline(always)]
fn equal(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}
