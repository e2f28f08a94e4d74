//! Timestamps, URLs and numbers: what a reader copies whole and searches for, so that no notation may split it.

use foldhash::HashSet;
use std::ops::Range;

/// Where the timestamp, URL or number ends that begins at an offset; `None` if none does.
pub(crate) fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let text = bytes.get(at..)?;
    let is_inside = at.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|&b| is_word(b));
    if is_inside {
        return None;
    }
    timestamp(text).or_else(|| url(text)).or_else(|| number(text)).map(|length| at + length)
}

/// The timestamps, URLs and numbers of a text, first to last.
pub(crate) fn lexemes(text: &str) -> impl Iterator<Item = &str> {
    spans(text).filter_map(|span| text.get(span))
}

/// Where they are.
pub(crate) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            if !is_word(bytes[start]) {
                at += 1;
                continue;
            }
            match end(bytes, start) {
                Some(end) => {
                    at = end;
                    return Some(start..end);
                }
                None => at += word(&bytes[start..]),
            }
        }
        None
    })
}

/// Does every timestamp, URL and number of some text stand whole in another?
pub(crate) fn are_whole_in(text: &str, other: &str) -> bool {
    let mut wanted: HashSet<&str> = lexemes(text).collect();
    if wanted.is_empty() {
        return true;
    }
    for lexeme in lexemes(other) {
        wanted.remove(lexeme);
    }
    // A URL may be followed by what would belong to it elsewhere: a comma, a column.
    wanted.iter().all(|lexeme| lexeme.contains("://") && other.contains(lexeme))
}

/// The length of the timestamp that a text begins with: a date and a time of day, or either of them.
///
/// `2024-05-06T10:00:01.5Z`, `06/May/2024:10:00:01 +0000`, `Mon Jul 27 16:54:23 2026 -0500`, `May  6 10:00`, `May  6  2024`,
/// `10:00:01,250`, `1697048351.000668`.
pub(crate) fn timestamp(text: &[u8]) -> Option<usize> {
    // Asked at every word of a text: what a first byte cannot begin is not compared with it.
    let length = match text.first()? {
        b'0'..=b'9' => dated_in_digits(text)
            .or_else(|| clock(text).map(|length| zone(text, length)))
            .or_else(|| seconds(text)),
        b'A'..=b'Z' => dated_in_words(text),
        _ => None,
    }?;
    text.get(length).is_none_or(|&byte| !is_word(byte)).then_some(length)
}

/// As logs name them.
pub(crate) const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

/// A date in digits, with the time of day behind it if there is one.
fn dated_in_digits(text: &[u8]) -> Option<usize> {
    let dates: &[&[u8]] = match (text.get(2)?, text.get(4)?) {
        (b'/', _) => &[b"00/aaa/0000", b"00/00/0000"],
        (_, b'-') => &[b"0000-00-00"],
        (_, b'/') => &[b"0000/00/00"],
        _ => return None,
    };
    let date = dates.iter().find_map(|date| matches(text, date))?;
    let time = matches!(text.get(date), Some(b'T' | b't' | b' ' | b':'))
        .then(|| clock(text.get(date + 1..)?))
        .flatten();
    Some(time.map_or(date, |time| zone(text, date + 1 + time)))
}

/// A date that begins with the name of a day or of a month, with the time of day behind it if there is one.
fn dated_in_words(text: &[u8]) -> Option<usize> {
    // The name of a day or a month ends here. Most words are longer, and were compared with all of them.
    if !matches!(text.get(3), Some(b' ' | b',')) {
        return None;
    }
    let day = text.get(..3).is_some_and(|name| DAYS.contains(&name));
    let at = if day {
        3 + matches(text.get(3..)?, b", ").or(matches(text.get(3..)?, b" "))?
    } else {
        0
    };
    let rest = text.get(at..)?;
    let written: [&[u8]; 5] = [b"aaa 00", b"aaa  0", b"aaa 0", b"00 aaa 0000", b"0 aaa 0000"];
    let has_month = |length: usize| {
        let date = rest.get(..length).unwrap_or_default();
        date.windows(3).any(|name| MONTHS.contains(&name))
    };
    let date =
        written.iter().find_map(|date| matches(rest, date)).filter(|date| has_month(*date))?;
    let mut end = at + date;
    let before = end;
    if text.get(end) == Some(&b' ')
        && let Some(time) = text.get(end + 1..).and_then(clock)
    {
        end += 1 + time;
    }
    let year = [&b" 0000"[..], b"  0000"].iter().find_map(|year| matches(text.get(end..)?, year));
    if let Some(year) = year.filter(|year| text.get(end + year).is_none_or(|&byte| !is_word(byte)))
    {
        end += year;
    }
    // `May 6` alone are two words.
    (end > before || date > 6).then(|| zone(text, end))
}

/// The length of a text that looks like the pattern: `0` is any digit, `a` any letter.
pub(crate) fn matches(text: &[u8], pattern: &[u8]) -> Option<usize> {
    let same = |(&byte, &wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        _ => byte == wanted,
    };
    (text.len() >= pattern.len() && text.iter().zip(pattern).all(same)).then_some(pattern.len())
}

/// `10:00`, `9:05:01`, with or without a fraction.
fn clock(text: &[u8]) -> Option<usize> {
    if text.get(1) != Some(&b':') && text.get(2) != Some(&b':') {
        return None;
    }
    let mut length = matches(text, b"00:00").or_else(|| matches(text, b"0:00"))?;
    length += text.get(length..).and_then(|rest| matches(rest, b":00")).unwrap_or(0);
    if matches!(text.get(length), Some(b'.' | b',')) {
        let fraction = digits(text, length + 1);
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    (!text.get(length).is_some_and(u8::is_ascii_digit)).then_some(length)
}

/// The length with a time zone after it: `Z`, `+0200`, ` +02:00`, ` UTC`.
pub(crate) fn zone(text: &[u8], length: usize) -> usize {
    let rest = text.get(length..).unwrap_or_default();
    let zones: [&[u8]; 11] = [
        b"Z", b"+00:00", b"-00:00", b"+0000", b"-0000", b" +00:00", b" -00:00", b" +0000",
        b" -0000", b" UTC", b" GMT",
    ];
    zones
        .iter()
        .find_map(|zone| matches(rest, zone))
        .map(|zone| length + zone)
        .filter(|&end| text.get(end).is_none_or(|&byte| !is_word(byte)))
        .unwrap_or(length)
}

/// Seconds since 1970 with a fraction.
fn seconds(text: &[u8]) -> Option<usize> {
    let has_fraction = digits(text, 0) == 10 && text.get(10) == Some(&b'.');
    has_fraction
        .then(|| digits(text, 11))
        .filter(|&fraction| fraction > 0)
        .map(|fraction| 11 + fraction)
}

/// `https://example.com/a?b=c`, without the marks that end the sentence around it.
fn url(text: &[u8]) -> Option<usize> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let scheme = text.iter().take(MAX_SCHEME).take_while(|byte| is_scheme(byte)).count();
    if scheme == 0 || !text.get(scheme..)?.starts_with(b"://") {
        return None;
    }
    let is_part = |byte: &u8| *byte > b' ' && !b"\"'`<>()[]{}|\\".contains(byte);
    let length =
        scheme + 3 + text.get(scheme + 3..)?.iter().take_while(|byte| is_part(byte)).count();
    let marks =
        text.get(..length)?.iter().rev().take_while(|byte| b".,;:!?".contains(byte)).count();
    (length - marks > scheme + 3).then_some(length - marks)
}

/// No scheme is longer.
const MAX_SCHEME: usize = 16;

/// Digits, with points, commas and colons between them: `1,024`, `3.14`, `10.0.0.1:80`.
fn number(text: &[u8]) -> Option<usize> {
    let mut length = digits(text, 0);
    if length == 0 {
        return None;
    }
    while matches!(text.get(length), Some(b'.' | b',' | b':')) && digits(text, length + 1) > 0 {
        length += 1 + digits(text, length + 1);
        if length > MAX_NUMBER {
            return None;
        }
    }
    text.get(length).is_none_or(|&byte| !is_word(byte)).then_some(length)
}

/// No number is longer. Without a bound, `1.1.1…1x` was looked at again from each of its digits: 160 KB took 13 s.
const MAX_NUMBER: usize = 64;

/// How many digits follow, as far as anybody asks.
fn digits(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default().iter().take(MAX_NUMBER);
    rest.take_while(|byte| byte.is_ascii_digit()).count()
}

fn word(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_word(byte)).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_found_whole() {
        for time in [
            "2024-05-06T10:00:01.5Z",
            "2024-05-06 10:00:01,250",
            "2024-05-06 10:00",
            "2024/05/06 10:00:01 +0200",
            "06/May/2024:10:00:01 +0000",
            "Mon Jul 27 16:54:23 2026 -0500",
            "Mon, 27 Jul 2026 16:54:23 +0000",
            "May  6 10:00",
            "May 16  2024",
            "10:00:01,250",
            "1697048351.000668",
            "2024-05-06",
        ] {
            let text = format!("[{time}] done");
            assert_eq!(lexemes(&text).collect::<Vec<_>>(), [time], "{time}");
        }
    }

    #[test]
    fn urls_and_numbers_are_found_whole() {
        let text = "see https://example.com/a/1?b=2, then 1,024 of 10.0.0.1:80 (v2, 3.5) in part7";
        let found: Vec<_> = lexemes(text).collect();
        assert_eq!(found, ["https://example.com/a/1?b=2", "1,024", "10.0.0.1:80", "3.5"]);
    }

    #[test]
    fn a_text_without_the_whole_of_it_is_known() {
        assert!(are_whole_in("at 10:00:01 5 of 7", "5 x 7 at\n10:00:01"));
        assert!(!are_whole_in("at 10:00:01", "10:00 :01"));
        assert!(!are_whole_in("https://a.b/c/d", "https://a.b/\nc/d"));
        assert!(!are_whole_in("2024-05-06 10:00:01", "2024-05-06\n10:00:01"));
    }
}
