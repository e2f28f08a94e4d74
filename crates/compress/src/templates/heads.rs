//! Lines that only begin alike: a time, a host, a level. The rest of such a line is one value.

use super::cost::varying;
use super::mine::Found;
use super::scan::{Field, Scan};

/// The longest and the shortest beginning tried, in fields.
const FIELDS: std::ops::RangeInclusive<usize> = 2..=8;
/// The beginning must save this many tokens a line.
const MIN_GAIN_PER_ROW: i64 = 4;
/// And the template this many.
const MIN_GAIN: i64 = 12;

/// Adds templates for lines that none has been found for.
pub(super) fn heads(scan: &Scan, found: &mut Vec<Found>) {
    let mut free = vec![true; scan.lines.len()];
    for &row in found.iter().flat_map(|found| &found.rows) {
        if let Some(free) = free.get_mut(row as usize) {
            *free = false;
        }
    }
    let mut rows: Vec<u32> = (0u32..).zip(free).filter(|&(_, free)| free).map(|(row, _)| row).collect();
    for count in FIELDS.rev() {
        let mut order: Vec<(u64, u32)> = rows.iter().filter_map(|&row| Some((head(scan, row, count)?, row))).collect();
        order.sort_unstable();
        for group in order.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 2) {
            let group: Vec<u32> = group.iter().map(|pair| pair.1).collect();
            if let Some(gain) = gain(scan, &group, count) {
                rows.retain(|row| group.binary_search(row).is_err());
                found.push(Found { gain, rows: group, head: Some(count) });
            }
        }
    }
}

/// Hash of the words that a line begins with and of what is between them; numbers may vary.
fn head(scan: &Scan, row: u32, count: usize) -> Option<u64> {
    let fields = scan.fields(row);
    fields.get(count)?;
    let mut from = scan.line(row).start;
    let mut hash = 0;
    let mut digits = false;
    for field in fields.get(..count)? {
        hash = mix(hash, scan.slice(from, field.start));
        digits |= field.digits;
        hash = if field.digits { hash.rotate_left(1) } else { mix(hash, scan.slice(field.start, field.end)) };
        from = field.end;
    }
    // What follows the beginning starts with a field, so that the text between is part of the template.
    let next = fields.get(count)?;
    digits.then(|| mix(hash, scan.slice(from, next.start)))
}

fn mix(hash: u64, text: &str) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    text.as_bytes().iter().fold(hash ^ 1, step)
}

fn gain(scan: &Scan, rows: &[u32], count: usize) -> Option<i64> {
    let &first = rows.first()?;
    let varying = varying(scan, rows);
    let constant: i64 = scan
        .fields(first)
        .iter()
        .take(count)
        .zip(&varying)
        .map(|(field, &varies)| if varies { -i64::from(!field.word) } else { i64::from(field.cost) })
        .sum();
    let next: &Field = scan.fields(first).get(count)?;
    let marks = scan.slice(scan.line(first).start, next.start).bytes().filter(|b| b"[](){}<>:,;|\"'=".contains(b)).count();
    let saved = constant + marks as i64;
    let runs = rows.chunk_by(|a, b| a + 1 == *b).count() as i64;
    let gain = saved * (rows.len() as i64 - 1) - runs * 2 - 4;
    (saved >= MIN_GAIN_PER_ROW && gain >= MIN_GAIN).then_some(gain)
}
