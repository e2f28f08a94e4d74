//! Telephone numbers: with a country code, as North America writes them, or after a word that says so.

use super::spot::{Spot, is_word, run};
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
pub(super) fn find(spot: &Spot<'_>) -> Option<Range<usize>> {
    let is_inside = spot.before(1).is_some_and(|byte| is_word(byte) || b".-+/=)".contains(&byte));
    let written = match spot.after(0)? {
        b'+' if !is_inside => international(spot.rest().get(1..)?).map(|length| length + 1),
        b'(' | b'1'..=b'9' if !is_inside => american(spot.rest()),
        b'(' | b'+' | b'0'..=b'9' => None,
        _ => return None,
    };
    let length = written.or_else(|| national(spot))?;
    let next = |count: usize| spot.after(length + count);
    let goes_on = next(0).is_some_and(is_word)
        || (next(0).is_some_and(|byte| b".-".contains(&byte)) && next(1).is_some_and(is_word));
    (!goes_on).then(|| spot.at..spot.at + length)
}

/// Digits in groups.
struct Number {
    groups: Vec<usize>,
    length: usize,
}

impl Number {
    /// Reads groups for as long as there are no more than so many digits.
    fn read(bytes: &[u8], most: usize) -> Option<Self> {
        let mut number = Self { groups: Vec::with_capacity(MOST_GROUPS), length: 0 };
        let mut end = 0;
        while number.groups.len() < MOST_GROUPS {
            let rest = bytes.get(end..).unwrap_or_default();
            let gap = if end == 0 { run(rest, 1, |byte| byte == b'(') } else { gap(rest) };
            let group = run(&rest[gap..], most + 1, |byte| byte.is_ascii_digit());
            let is_parted = gap > 0 || end == 0;
            if group == 0 || !is_parted || number.digits() + group > most {
                break;
            }
            number.groups.push(group);
            end += gap + group;
            number.length = end;
        }
        (!number.groups.is_empty()).then_some(number)
    }

    fn digits(&self) -> usize {
        self.groups.iter().sum()
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
    let digits = run(bytes, MOST_DIGITS + 1, |byte| byte.is_ascii_digit());
    let is_american = bytes.first() == Some(&b'1');
    if is_american && digits != 1 {
        return (digits == 11).then_some(digits);
    }
    if (9..=MOST_DIGITS).contains(&digits) {
        return Some(digits);
    }
    let number = Number::read(bytes, if is_american { 11 } else { MOST_DIGITS })?;
    let (first, others) = number.groups.split_first()?;
    let singles = others.iter().filter(|group| **group == 1).count();
    let is_plausible = match is_american {
        true => others == [3, 3, 4],
        // A date or a table of numbers has no long group; a number whose area code is not set apart has one.
        false => {
            number.digits() >= 9
                && singles <= 1
                && (*first == code || others.iter().any(|group| *group >= 6))
        }
    };
    is_plausible.then_some(number.length)
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
    is_number.then_some(trunk + before + 3 + gap + 8)
}

/// A number of any country, since a word before it says what it is.
fn national(spot: &Spot<'_>) -> Option<usize> {
    let number = Number::read(spot.rest(), MOST_DIGITS)?;
    let is_inside = spot.before(1).is_some_and(is_word);
    (number.digits() >= 7 && !is_inside && spot.is_labelled(LABELS)).then_some(number.length)
}
