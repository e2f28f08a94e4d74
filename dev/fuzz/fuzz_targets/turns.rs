//! A conversation is read as if it were new, also where the turns of one are known that differs from it in a byte.
#![no_main]

use tokenforge_providers::Dialect;
use tokenforge_laws::reading::{EarlierBody, known_or_not};

const PLACES: usize = 8;

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    for dialect in Dialect::ALL {
        for place in 0..=PLACES {
            let mut other = body.to_vec();
            if let Some(byte) = other.get_mut(body.len() * place / PLACES) {
                *byte ^= 1;
            }
            if let Some(earlier) = EarlierBody::of(&other, *dialect) {
                known_or_not(body, *dialect, &earlier);
            }
        }
    }
});
