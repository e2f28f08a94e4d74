//! Bank accounts: IBAN, by country, length and checksum.

use super::spot::{ScanPosition, is_word};
use std::ops::Range;

/// How long the numbers of each country are.
#[rustfmt::skip]
const LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24), (b"AE", 23), (b"AL", 28), (b"AT", 20), (b"AZ", 28), (b"BA", 20), (b"BE", 16), (b"BG", 22),
    (b"BH", 22), (b"BI", 27), (b"BR", 29), (b"BY", 28), (b"CH", 21), (b"CR", 22), (b"CY", 28), (b"CZ", 24),
    (b"DE", 22), (b"DJ", 27), (b"DK", 18), (b"DO", 28), (b"EE", 20), (b"EG", 29), (b"ES", 24), (b"FI", 18),
    (b"FK", 18), (b"FO", 18), (b"FR", 27), (b"GB", 22), (b"GE", 22), (b"GI", 23), (b"GL", 18), (b"GR", 27),
    (b"GT", 28), (b"HN", 28), (b"HR", 21), (b"HU", 28), (b"IE", 22), (b"IL", 23), (b"IQ", 23), (b"IS", 26),
    (b"IT", 27), (b"JO", 30), (b"KW", 30), (b"KZ", 20), (b"LB", 28), (b"LC", 32), (b"LI", 21), (b"LT", 20),
    (b"LU", 20), (b"LV", 21), (b"LY", 25), (b"MC", 27), (b"MD", 24), (b"ME", 22), (b"MK", 19), (b"MN", 20),
    (b"MR", 27), (b"MT", 31), (b"MU", 30), (b"NI", 28), (b"NL", 18), (b"NO", 15), (b"OM", 23), (b"PK", 24),
    (b"PL", 28), (b"PS", 29), (b"PT", 25), (b"QA", 29), (b"RO", 24), (b"RS", 22), (b"RU", 33), (b"SA", 24),
    (b"SC", 31), (b"SD", 18), (b"SE", 24), (b"SI", 19), (b"SK", 24), (b"SM", 27), (b"SO", 23), (b"ST", 25),
    (b"SV", 28), (b"TL", 23), (b"TN", 24), (b"TR", 26), (b"UA", 29), (b"VA", 22), (b"VG", 24), (b"XK", 20),
    (b"YE", 30),
];

/// The account that begins here.
pub(super) fn find(spot: &ScanPosition<'_>) -> Option<Range<usize>> {
    let rest = spot.rest();
    let country = rest.first_chunk::<2>()?;
    if spot.before(1).is_some_and(is_word) || !rest.get(2..4)?.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (_, length) = LENGTHS.iter().find(|(known, _)| *known == country)?;
    let mut account = Vec::with_capacity(*length);
    let mut end = 0;
    while account.len() < *length {
        match *rest.get(end)? {
            byte @ (b'0'..=b'9' | b'A'..=b'Z') => account.push(byte),
            // On paper it is written in groups of four.
            b' ' if account.len() % 4 == 0 && rest.get(end - 1) != Some(&b' ') => {}
            _ => return None,
        }
        end += 1;
    }
    let goes_on = rest.get(end).is_some_and(|byte| is_word(*byte));
    (!goes_on && remainder(&account) == 1).then(|| spot.at..spot.at + end)
}

/// ISO 7064, mod 97-10: the first four go last, and letters count from 10.
fn remainder(account: &[u8]) -> u32 {
    account.iter().cycle().skip(4).take(account.len()).fold(0, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        _ => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
    })
}
