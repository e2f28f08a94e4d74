//! IP addresses, IPv4 and IPv6.

use super::spot::{TextSpot, is_word, run};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// The longest way to write either.
const LONGEST: usize = 45;

/// The address that begins here, unless it is one that every machine has.
pub(super) fn find(spot: &TextSpot<'_>) -> Option<Range<usize>> {
    v4(spot).or_else(|| v6(spot)).map(|length| spot.at..spot.at + length)
}

fn v4(spot: &TextSpot<'_>) -> Option<usize> {
    let rest = spot.rest();
    let is_inside = match spot.before(1) {
        // The end of a name, and not of a range.
        Some(b'-') => spot.before(2).is_some_and(|byte| !byte.is_ascii_digit()),
        Some(byte) => is_word(byte) || b".^~".contains(&byte),
        None => false,
    };
    if is_inside {
        return None;
    }
    let (address, length) = ipv4(rest)?;
    let goes_on = match rest.get(length) {
        Some(b'.') => rest.get(length + 1).is_some_and(u8::is_ascii_alphabetic),
        // After an address there can be only another; after a version, as in `1.2.3.4-rc1`, anything.
        Some(b'-') => {
            let next = rest.get(length + 1..).unwrap_or_default();
            next.first().is_some_and(|byte| is_word(*byte)) && ipv4(next).is_none()
        }
        Some(byte) => is_word(*byte),
        None => false,
    };
    let [first, ..] = address.octets();
    (!goes_on && !matches!(first, 0 | 127 | 255) && !is_version(spot)).then_some(length)
}

/// The address in four numbers at the beginning, and its length.
pub(super) fn ipv4(bytes: &[u8]) -> Option<(Ipv4Addr, usize)> {
    let length = run(bytes, 16, |byte| byte.is_ascii_digit() || byte == b'.');
    let ipv4 = bytes[..length].strip_suffix(b".").unwrap_or(&bytes[..length]);
    let address = str::from_utf8(ipv4).ok()?.parse().ok()?;
    Some((address, ipv4.len()))
}

/// Is it said before that this is a version? `version 1.2.3.4`, `Chrome/1.2.3.4`, `lib==1.2.3.4`
fn is_version(spot: &TextSpot<'_>) -> bool {
    match spot.before(1) {
        Some(b'/') => spot.before(2) != Some(b'/'),
        Some(b'=') if spot.before(2).is_some_and(|byte| b"=<>~!".contains(&byte)) => true,
        _ => spot.is_labelled(&["version", "ver", "v", "release"]),
    }
}

fn v6(spot: &TextSpot<'_>) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
    if spot.before(1).is_some_and(|byte| is_word(byte) || b":.-".contains(&byte)) {
        return None;
    }
    let rest = spot.rest();
    // `a::b` is code, and `12:34` a time.
    let is_mapped = rest.len() > 7 && rest[..7].eq_ignore_ascii_case(b"::ffff:");
    let is_long = run(rest, 5, |byte| byte.is_ascii_hexdigit()) == 4 && rest.get(4) == Some(&b':');
    if !is_mapped && !is_long {
        return None;
    }
    let length = run(rest, LONGEST + 1, is_part);
    let mut written = &rest[..length];
    // The end of a sentence, or a colon before what follows.
    while let Some((b'.' | b':', shorter)) =
        written.split_last().filter(|_| !written.ends_with(b"::"))
    {
        written = shorter;
    }
    let is_cut = rest.get(written.len()).is_some_and(|byte| is_word(*byte));
    let address: Ipv6Addr = str::from_utf8(written).ok()?.parse().ok()?;
    (!is_cut && is_given(address)).then_some(written.len())
}

/// Whether a person's machine may have this address: global, local to a site or a link, or IPv4's.
fn is_given(address: Ipv6Addr) -> bool {
    match address.to_ipv4_mapped() {
        Some(v4) => !v4.is_loopback() && !v4.is_unspecified(),
        None => {
            matches!(address.segments()[0], 0x2000..=0x3fff | 0xfc00..=0xfdff | 0xfe80..=0xfebf)
        }
    }
}
