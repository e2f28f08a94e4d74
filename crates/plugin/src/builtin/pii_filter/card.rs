//! Numbers of payment cards, by issuer, length and checksum.

use super::spot::{ScanPosition, is_word, run};
use std::ops::Range;

const LENGTHS: std::ops::RangeInclusive<usize> = 13..=19;

/// How cards are printed: the lengths of the groups.
const PRINTED: &[&[usize]] = &[&[4, 4, 4, 4], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4]];

/// The number that begins here.
pub(super) fn find(spot: &ScanPosition<'_>) -> Option<Range<usize>> {
    let rest = spot.rest();
    let is_inside = match spot.before(1) {
        Some(b'-') => spot.before(2).is_some_and(is_word),
        Some(byte) => is_word(byte) || b".+/$".contains(&byte),
        None => false,
    };
    if is_inside || !rest.first()?.is_ascii_digit() {
        return None;
    }
    let length = plain(rest).or_else(|| PRINTED.iter().find_map(|groups| printed(rest, groups)))?;
    let next = |count: usize| rest.get(length + count).copied();
    let goes_on = next(0).is_some_and(is_word)
        || (next(0).is_some_and(|byte| b".-".contains(&byte)) && next(1).is_some_and(is_word));
    let digits: Vec<u8> = rest[..length]
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .map(|byte| byte - b'0')
        .collect();
    (!goes_on && is_issued(&digits) && passes(&digits)).then(|| spot.at..spot.at + length)
}

/// The length of a number without gaps.
fn plain(bytes: &[u8]) -> Option<usize> {
    let length = run(bytes, LENGTHS.end() + 1, |byte| byte.is_ascii_digit());
    LENGTHS.contains(&length).then_some(length)
}

/// The length of a number in groups, all parted by spaces or all by hyphens.
fn printed(bytes: &[u8], groups: &[usize]) -> Option<usize> {
    let gap = *bytes.get(*groups.first()?).filter(|byte| b" -".contains(byte))?;
    let mut end = 0;
    for (index, length) in groups.iter().enumerate() {
        if index > 0 {
            end += usize::from(bytes.get(end) == Some(&gap));
        }
        if run(bytes.get(end..)?, length + 1, |byte| byte.is_ascii_digit()) != *length {
            return None;
        }
        end += length;
    }
    (end == groups.iter().sum::<usize>() + groups.len() - 1).then_some(end)
}

/// Does a card company give out numbers that begin so and are so long?
fn is_issued(digits: &[u8]) -> bool {
    let prefix = digits.iter().take(6).fold(0_u32, |prefix, digit| prefix * 10 + u32::from(*digit));
    let length = digits.len();
    match prefix {
        400_000..=499_999 => matches!(length, 13 | 16),
        510_000..=559_999 | 222_100..=272_099 => length == 16,
        340_000..=349_999 | 370_000..=379_999 => length == 15,
        300_000..=305_999 | 360_000..=369_999 | 380_000..=399_999 => length == 14,
        352_800..=358_999 | 620_000..=629_999 => length >= 16,
        601_100..=601_199 | 644_000..=659_999 => length >= 16,
        501_800..=501_899 | 502_000..=502_099 | 503_800..=503_899 | 675_900..=676_999 => {
            length == 16
        }
        _ => false,
    }
}

/// Luhn's checksum: from the right every second digit counts twice.
fn passes(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let digit = u32::from(*digit);
            match index % 2 {
                1 => digit * 2 / 10 + digit * 2 % 10,
                _ => digit,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
