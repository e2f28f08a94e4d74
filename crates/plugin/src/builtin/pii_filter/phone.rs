//! Telephone numbers: with a country code, as North America writes them, or after a word that says so.

use super::ip;
use super::spot::{ScanPosition, is_word, run};
use std::ops::Range;

const MOST_DIGITS: usize = 15;
const MOST_GROUPS: usize = 7;

/// Words that introduce a number.
const LABELS: &[&str] = &[
    "cell",
    "cellphone",
    "fax",
    "gsm",
    "handy",
    "mobile",
    "mobil",
    "phone",
    "phonenumber",
    "tel",
    "telefax",
    "telefon",
    "telefono",
    "telephone",
    "tlf",
    "whatsapp",
];

/// The number that begins here.
pub(super) fn find(spot: &ScanPosition<'_>) -> Option<Range<usize>> {
    let rest = spot.rest();
    let is_inside = spot.before(1).is_some_and(|byte| is_word(byte) || b".-+/=)".contains(&byte));
    let written = match rest.first()? {
        b'+' if !is_inside => international(rest.get(1..)?).map(|length| length + 1),
        b'(' | b'1'..=b'9' if !is_inside => american(rest),
        b'(' | b'+' | b'0'..=b'9' => None,
        _ => return None,
    };
    let length = written.or_else(|| national(spot))?;
    Some(spot.at..spot.at + length)
}

/// Does a number end here, and not go on as a longer one, a version or a word?
fn ends(bytes: &[u8], length: usize) -> bool {
    let next = |count: usize| bytes.get(length + count).copied();
    match next(0) {
        Some(b'.' | b'-') => !next(1).is_some_and(is_word),
        after => !after.is_some_and(is_word),
    }
}

/// Digits in groups: how many, and where each group ends.
struct Number {
    groups: Vec<usize>,
    ends: Vec<usize>,
}

impl Number {
    /// Reads groups for as long as there are no more than so many digits.
    fn read(bytes: &[u8], most: usize) -> Self {
        let mut number = Self { groups: Vec::with_capacity(MOST_GROUPS), ends: Vec::new() };
        let mut end = 0;
        while number.groups.len() < MOST_GROUPS {
            let rest = bytes.get(end..).unwrap_or_default();
            let gap = if end == 0 { run(rest, 1, |byte| byte == b'(') } else { gap(rest) };
            let group = run(&rest[gap..], most + 1, |byte| byte.is_ascii_digit());
            let is_parted = gap > 0 || end == 0;
            if group == 0 || !is_parted || number.groups.iter().sum::<usize>() + group > most {
                break;
            }
            end += gap + group;
            number.groups.push(group);
            number.ends.push(end);
        }
        number
    }

    /// Where the longest part of it ends that is a number: what follows after a space may be another.
    fn longest(&self, bytes: &[u8], is_number: impl Fn(&[usize]) -> bool) -> Option<usize> {
        let counts = (1..=self.groups.len()).rev();
        let mut parts = counts.map(|count| (&self.groups[..count], self.ends[count - 1]));
        parts.find(|(groups, end)| ends(bytes, *end) && is_number(groups)).map(|(_, end)| end)
    }
}

/// What parts two groups: one sign, or two that differ.
fn gap(bytes: &[u8]) -> usize {
    let length = run(bytes, 3, |byte| b" -.()/".contains(&byte));
    match (length, bytes) {
        (1, _) => 1,
        (2, [first, second, ..]) if first != second => 2,
        _ => 0,
    }
}

/// `1 (415) 555-2671`, `4915112345678`, `33 6 12 34 56 78`: what follows a plus.
fn international(bytes: &[u8]) -> Option<usize> {
    let code = country_code(bytes)?;
    if ip::dotted(bytes).is_some() {
        return None;
    }
    if bytes.first() == Some(&b'1') {
        let is_number = |groups: &[usize]| matches!(groups, [11] | [1, 3, 3, 4]);
        return Number::read(bytes, 11).longest(bytes, is_number);
    }
    Number::read(bytes, MOST_DIGITS).longest(bytes, |groups| {
        let Some((first, others)) = groups.split_first() else { return false };
        let digits: usize = groups.iter().sum();
        let singles = others.iter().filter(|group| **group == 1).count();
        // A date or a table of numbers has no long group; a number whose area code is not set apart has one.
        let is_led = *first == code || others.is_empty() || others.iter().any(|group| *group >= 6);
        digits >= 9 && singles <= 1 && is_led
    })
}

/// How many digits the country code has.
fn country_code(bytes: &[u8]) -> Option<usize> {
    match (bytes.first()?, bytes.get(1)?) {
        (b'1' | b'7', _) => Some(1),
        (b'2', b'0' | b'7')
        | (b'3', b'0'..=b'4' | b'6' | b'9')
        | (b'4', b'0' | b'1' | b'3'..=b'9')
        | (b'5', b'1'..=b'8')
        | (b'6', b'0'..=b'6')
        | (b'8', b'1' | b'2' | b'4' | b'6')
        | (b'9', b'0'..=b'5' | b'8') => Some(2),
        (b'2', b'1'..=b'6' | b'9')
        | (b'3', b'5' | b'7' | b'8')
        | (b'4', b'2')
        | (b'5', b'0' | b'9')
        | (b'6', b'7'..=b'9')
        | (b'8', b'0' | b'5' | b'7' | b'8')
        | (b'9', b'6' | b'7' | b'9') => Some(3),
        _ => None,
    }
}

/// `(415) 555-2671`, `415-555-2671`, `415.555.2671`, `1-415-555-2671`.
fn american(bytes: &[u8]) -> Option<usize> {
    let (trunk, bytes) = match bytes {
        [b'1', b'-', rest @ ..] => (2, rest),
        _ => (0, bytes),
    };
    let (before, area, gap) = match bytes {
        [b'(', a, b, c, b')', b' ', ..] => (1, [*a, *b, *c], 2),
        [b'(', a, b, c, b')', ..] => (1, [*a, *b, *c], 1),
        [a, b, c, b'-' | b'.', ..] => (0, [*a, *b, *c], 1),
        _ => return None,
    };
    let rest = bytes.get(before + 3 + gap..)?;
    let [a, b, c, second, line @ ..] = rest else { return None };
    let first = bytes[before + 3];
    let is_even = if before == 0 { *second == first } else { *second == b'-' };
    let is_area = |digits: [u8; 3]| {
        digits.iter().all(u8::is_ascii_digit) && digits[0] >= b'2' && digits[1..] != *b"11"
    };
    let is_number = is_even
        && is_area(area)
        && is_area([*a, *b, *c])
        && run(line, 5, |byte| byte.is_ascii_digit()) == 4;
    let length = before + 3 + gap + 8;
    (is_number && ends(bytes, length)).then_some(trunk + length)
}

/// A number of any country, since a word before it says what it is.
fn national(spot: &ScanPosition<'_>) -> Option<usize> {
    let bytes = spot.rest();
    let length = Number::read(bytes, MOST_DIGITS)
        .longest(bytes, |groups| groups.iter().sum::<usize>() >= 7)?;
    let is_inside = spot.before(1).is_some_and(is_word);
    (!is_inside && spot.is_labelled(LABELS)).then_some(length)
}
