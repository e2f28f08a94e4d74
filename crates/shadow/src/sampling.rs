//! Deterministic sampling (by hash): which requests are asked in the shadow.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Is a request part of this share? The same request is, or is not, however often it is asked, so that a client that tries
/// again does not pay twice; another seed chooses others.
#[must_use]
pub fn is_sampled(request: &[u8], seed: u64, share: f64) -> bool {
    // 53 bits: as many as a number between 0 and 1 can tell apart.
    let drawn = (xxh3_64_with_seed(request, seed) >> 11) as f64 / (1_u64 << 53) as f64;
    drawn < share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_the_share_is_kept_and_a_request_is_always_treated_alike() {
        let of = |share, seed| {
            (0..20_000_u32).filter(|n| is_sampled(&n.to_le_bytes(), seed, share)).count()
        };
        assert!((1_850..2_150).contains(&of(0.1, 0)), "{}", of(0.1, 0));
        assert_eq!((of(0.0, 0), of(1.0, 0)), (0, 20_000));
        assert_eq!(of(0.1, 7), of(0.1, 7));
        let differ =
            |n: &u32| is_sampled(&n.to_le_bytes(), 1, 0.5) != is_sampled(&n.to_le_bytes(), 2, 0.5);
        assert!((0..1_000).filter(differ).count() > 400);
    }
}
