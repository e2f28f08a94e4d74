//! Times and durations, as logs write them.

use super::noise::{digits, is_word};
use crate::lexeme::{MONTHS, matches, zone};

/// `2024-05-06T10:00:01.5Z`, `06/May/2024:10:00:01 +0000`, `May  6 10:00:01`, `10:00:01,250`, `1697048351.000668`.
pub(super) fn time(text: &[u8]) -> Option<usize> {
    let dated = |pattern: &[u8]| {
        let after = matches(text, pattern)?;
        let clock = clock(text.get(after..)?)?;
        Some(zone(text, after + clock))
    };
    if text.first().is_some_and(u8::is_ascii_alphabetic) {
        let month = text.get(..3).is_some_and(|name| MONTHS.contains(&name));
        return if month {
            dated(b"aaa 00 ").or_else(|| dated(b"aaa  0 ")).or_else(|| dated(b"aaa 0 "))
        } else {
            None
        };
    }
    dated(b"0000-00-00T")
        .or_else(|| dated(b"0000-00-00 "))
        .or_else(|| dated(b"0000/00/00 "))
        .or_else(|| dated(b"00/00/00 "))
        .or_else(|| dated(b"00/aaa/0000:"))
        .or_else(|| dated(b"00/aaa/0000 "))
        .or_else(|| clock(text).map(|length| zone(text, length)))
        .or_else(|| seconds(text))
}

/// `10:00:01`, with or without a fraction.
fn clock(text: &[u8]) -> Option<usize> {
    let length = matches(text, b"00:00:00")?;
    let tens = |at: usize, most: u8| text.get(at).is_some_and(|&tens| tens <= most);
    let hour = tens(0, b'1') || text.first() == Some(&b'2') && tens(1, b'3');
    let valid = hour && tens(3, b'5') && tens(6, b'5');
    let length = match text.get(length) {
        Some(b'.' | b',') => match digits(text, length + 1) {
            0 => length,
            fraction => length + 1 + fraction,
        },
        _ => length,
    };
    (valid && ends(text, length)).then_some(length)
}

/// Seconds since 1970 with a fraction.
fn seconds(text: &[u8]) -> Option<usize> {
    let fraction =
        (digits(text, 0) == 10 && text.get(10) == Some(&b'.')).then(|| digits(text, 11))?;
    ((3..=9).contains(&fraction) && ends(text, 11 + fraction)).then_some(11 + fraction)
}

/// `12ms`, `0.35s`, `2m3s`, `1.5 seconds`.
pub(super) fn duration(text: &[u8]) -> Option<usize> {
    let mut length = digits(text, 0);
    if length == 0 {
        return None;
    }
    if text.get(length) == Some(&b'm') && digits(text, length + 1) > 0 {
        length += 1 + digits(text, length + 1);
    }
    if text.get(length) == Some(&b'.') && digits(text, length + 1) > 0 {
        length += 1 + digits(text, length + 1);
    }
    let rest = text.get(length..)?;
    let unit = UNITS.iter().find(|unit| {
        rest.starts_with(unit) && rest.get(unit.len()).is_none_or(|&byte| !is_word(byte))
    })?;
    Some(length + unit.len())
}

const UNITS: [&[u8]; 11] = [
    b"ms",
    b"s",
    b"us",
    b"\xc2\xb5s",
    b"ns",
    b" ms",
    b" milliseconds",
    b" seconds",
    b" secs",
    b" sec",
    b" s",
];

/// Whether a time may end here: not within a longer number or word.
fn ends(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'Z' | b'+' | b'-') | None => true,
        Some(b':') => text.get(at + 1).is_none_or(|byte| !byte.is_ascii_digit()),
        Some(&byte) => !is_word(byte),
    }
}
