//! One pass over a text that stops where a secret could be: the reason why clean text costs next to nothing.
//!
//! Two things are looked for in 64 bytes at a time. A [`SecretSpot::Run`] is a run of at least [`MIN_RUN`] letters,
//! digits, `_` and `-`: every token has one, prose and most code have few. A [`SecretSpot::Pair`] is a pair of letters,
//! in any case, of the words that name a secret, chosen for being rare: `ke` (token, key), `sw` (password), `pw`
//! (pwd), `cr` (secret, credential), `iz` (authorization), and the `:/` of a URL.

use wide::u8x16;

/// The shortest run of token characters that is worth a look.
pub(crate) const MIN_RUN: usize = 16;

/// Bytes looked at together.
const BLOCK: usize = 64;

/// Where a secret could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretSpot {
    /// A long run of token characters begins here.
    Run(usize),
    /// A telling pair of bytes is here.
    Pair(usize),
}

/// Calls `visit` for every spot of the text.
pub(crate) fn each_spot(text: &[u8], mut visit: impl FnMut(SecretSpot)) {
    let mut block_before = Masks::default();
    let mut inside_before = 0; // bytes of the block before at which a long run begins or goes on
    for at in (0..text.len() + MIN_RUN).step_by(BLOCK) {
        let block = Masks::at(text, at);
        for place in bits(block.pairs) {
            visit(SecretSpot::Pair(at + place));
        }
        // Bit n is the byte at + n - MIN_RUN: a run that began in the block before is seen whole here.
        let shifted = (u128::from(block.token) << MIN_RUN)
            | u128::from(block_before.token >> (BLOCK - MIN_RUN));
        let inside = begins_long_run(shifted);
        for place in bits(inside & !(inside << 1 | inside_before >> (BLOCK - 1))) {
            visit(SecretSpot::Run((at + place).saturating_sub(MIN_RUN)));
        }
        (block_before, inside_before) = (block, inside);
    }
}

/// The bits that have [`MIN_RUN`] ones from there on.
#[inline]
fn begins_long_run(ones: u128) -> u64 {
    const { assert!(MIN_RUN == 16) };
    let two = ones & (ones >> 1);
    let four = two & (two >> 2);
    let eight = four & (four >> 4);
    (eight & (eight >> 8)) as u64
}

/// The places of the ones, lowest first.
#[inline]
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < BLOCK).then_some(place)
    })
}

/// One bit for each byte of a block, the first byte lowest.
#[derive(Clone, Copy, Default)]
struct Masks {
    token: u64,
    pairs: u64,
}

impl Masks {
    #[inline]
    fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => Self::of(bytes),
            None => Self::of(&pad(text.get(at..).unwrap_or_default())),
        }
    }

    /// Of a block and the one byte behind it, with which its last byte may make a pair.
    #[inline]
    fn of(bytes: &[u8; BLOCK + 1]) -> Self {
        let mut masks = Self::default();
        for quarter in 0..4 {
            let here = load(bytes, quarter * 16);
            let next = load(bytes, quarter * 16 + 1);
            masks.token |= u64::from(token(here).to_bitmask()) << (quarter * 16);
            masks.pairs |= u64::from(pairs(here, next).to_bitmask()) << (quarter * 16);
        }
        masks
    }
}

#[cold]
fn pad(rest: &[u8]) -> [u8; BLOCK + 1] {
    let mut bytes = [0; BLOCK + 1];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
}

#[inline]
fn load(bytes: &[u8; BLOCK + 1], at: usize) -> u8x16 {
    u8x16::new(bytes[at..].first_chunk().copied().unwrap_or_default())
}

/// `A-Z a-z 0-9 _ -`
#[inline]
fn token(bytes: u8x16) -> u8x16 {
    let letter = at_most(lower(bytes) - u8x16::splat(b'a'), 25);
    let digit = at_most(bytes - u8x16::splat(b'0'), 9);
    letter | digit | is(bytes, b'_') | is(bytes, b'-')
}

#[inline]
fn pairs(here: u8x16, next: u8x16) -> u8x16 {
    let (first, second) = (lower(here), lower(next));
    (is(first, b'k') & is(second, b'e'))
        | ((is(first, b's') | is(first, b'p')) & is(second, b'w'))
        | (is(first, b'c') & is(second, b'r'))
        | (is(first, b'i') & is(second, b'z'))
        | (is(here, b':') & is(next, b'/'))
}

#[inline]
fn lower(bytes: u8x16) -> u8x16 {
    bytes | u8x16::splat(0x20)
}

#[inline]
fn is(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}

#[inline]
fn at_most(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.min(u8x16::splat(byte)).simd_eq(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spots(text: &[u8]) -> Vec<SecretSpot> {
        let mut spots = vec![];
        each_spot(text, |spot| spots.push(spot));
        spots.sort_by_key(|spot| match *spot {
            SecretSpot::Run(at) => (at, 0),
            SecretSpot::Pair(at) => (at, 1),
        });
        spots
    }

    /// The same, one byte after the other.
    fn expected(text: &[u8]) -> Vec<SecretSpot> {
        let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let is_run =
            |at: usize| text[at..].iter().take_while(|byte| is_token(byte)).count() >= MIN_RUN;
        let is_pair = |pair: &[u8]| {
            pair == b":/"
                || [b"ke", b"sw", b"pw", b"cr", b"iz"].iter().any(|p| pair.eq_ignore_ascii_case(*p))
        };
        let mut spots = vec![];
        for at in 0..text.len() {
            if is_run(at) && (at == 0 || !is_token(&text[at - 1])) {
                spots.push(SecretSpot::Run(at));
            }
            if text.get(at..at + 2).is_some_and(is_pair) {
                spots.push(SecretSpot::Pair(at));
            }
        }
        spots
    }

    proptest! {
        #[test]
        fn spots_are_those_that_a_byte_loop_finds(text in "([a-zA-Z_-]{1,30}|[ :/]{1,3}|ke|KE|sW|izé){0,30}") {
            prop_assert_eq!(spots(text.as_bytes()), expected(text.as_bytes()));
        }
    }

    #[test]
    fn a_run_is_found_wherever_it_lies_in_the_blocks() {
        for before in 0..200 {
            for length in [MIN_RUN - 1, MIN_RUN, MIN_RUN + 1, 64, 200] {
                let text = format!("{}{}", " ".repeat(before), "a".repeat(length));
                assert_eq!(spots(text.as_bytes()), expected(text.as_bytes()), "{before} {length}");
            }
        }
    }
}
