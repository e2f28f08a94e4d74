//! SIMD with AVX2: 32 bytes at a time.
//!
//! Written without closures: what the standard library does with them is not compiled for AVX2, and calling back and forth
//! costs more than the work.

use crate::walk::blocks::{Block, BlockMask, BlockScan, StringMarks, StructureMarks};
use std::arch::x86_64::{
    __m256i, _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_setr_epi64x,
};

/// Finds the tokens of as many blocks as there is room for, and says how many that were.
#[target_feature(enable = "avx2")]
pub(super) fn fill(scan: &mut BlockScan<'_>, batch: &mut [BlockMask]) -> usize {
    scan.fill(batch, |block| marks(block), |block| outline(block))
}

#[inline]
#[target_feature(enable = "avx2")]
fn marks(block: &Block) -> StringMarks {
    let [low, high] = lanes(block);
    StringMarks {
        quotes: mask(equal(low, b'"'), equal(high, b'"')),
        backslashes: mask(equal(low, b'\\'), equal(high, b'\\')),
        controls: mask(controls(low), controls(high)),
        usual: mask(usual(low), usual(high)),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn outline(block: &Block) -> StructureMarks {
    let [low, high] = lanes(block);
    StructureMarks {
        structure: mask(structure(low), structure(high)),
        white_space: mask(white_space(low), white_space(high)),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn controls(bytes: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, all(0x1f)), bytes)
}

#[inline]
#[target_feature(enable = "avx2")]
fn usual(bytes: __m256i) -> __m256i {
    let breaks = _mm256_or_si256(equal(bytes, b'n'), equal(bytes, b'r'));
    _mm256_or_si256(breaks, equal(bytes, b't'))
}

#[inline]
#[target_feature(enable = "avx2")]
fn structure(bytes: __m256i) -> __m256i {
    // A bracket and its brace differ in one bit.
    let folded = _mm256_or_si256(bytes, all(0x20));
    let brackets = _mm256_or_si256(equal(folded, b'{'), equal(folded, b'}'));
    _mm256_or_si256(brackets, _mm256_or_si256(equal(bytes, b':'), equal(bytes, b',')))
}

#[inline]
#[target_feature(enable = "avx2")]
fn white_space(bytes: __m256i) -> __m256i {
    let breaks = _mm256_or_si256(equal(bytes, b'\n'), equal(bytes, b'\r'));
    _mm256_or_si256(breaks, _mm256_or_si256(equal(bytes, b' '), equal(bytes, b'\t')))
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes(block: &Block) -> [__m256i; 2] {
    let (words, _) = block.as_chunks::<8>();
    let word = |index: usize| i64::from_le_bytes(words[index]);
    [
        _mm256_setr_epi64x(word(0), word(1), word(2), word(3)),
        _mm256_setr_epi64x(word(4), word(5), word(6), word(7)),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn all(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(bytes: __m256i, byte: u8) -> __m256i {
    _mm256_cmpeq_epi8(bytes, all(byte))
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask(low: __m256i, high: __m256i) -> BlockMask {
    let bits = |half| BlockMask::from(_mm256_movemask_epi8(half).cast_unsigned());
    bits(low) | bits(high) << 32
}
