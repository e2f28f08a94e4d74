//! Byte classification with SIMD: which bytes of a block are what, many bytes at a time.
//!
//! [`portable`] runs everywhere, sixteen bytes at a time. Nearly all x86-64 processors can do 32, which is found out
//! when the program runs: requests of 100 KB are then read in 8 to 15 % less time (`examples/speed.rs`).

mod portable;
#[cfg(target_arch = "x86_64")]
mod wide;

use super::blocks::{BlockMask, BlockScan};

/// Finds the tokens of as many blocks as there is room for, and says how many that were.
#[inline]
#[allow(unsafe_code, reason = "what a processor can do is asked before it is used")]
pub(super) fn fill(scan: &mut BlockScan<'_>, batch: &mut [BlockMask]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function asks for.
        return unsafe { wide::fill(scan, batch) };
    }
    portable::fill(scan, batch)
}
