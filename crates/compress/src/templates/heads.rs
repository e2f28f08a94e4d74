//! Lines that only begin alike: a time, a host, a level. The rest of such a line is one value.

use super::mine::Found;
use super::rows::varying;
use super::scan::{Field, Scan, mix};

/// The longest and the shortest beginning tried, in fields.
const FIELDS: std::ops::RangeInclusive<usize> = 2..=8;
const FIELDS_TRIED: usize = 7;
/// A line of a log has a number among this many first fields: a part of its time, a process.
const NUMBER_AMONG: usize = 3;
/// The beginning must save this many tokens a line.
const MIN_GAIN_PER_ROW: i64 = 4;
/// And the template this many.
const MIN_GAIN: i64 = 12;

/// Whether half of the lines or more begin like those of a log.
pub(super) fn are_many(scan: &Scan) -> bool {
    let rows = 0..scan.lines.len() as u32;
    rows.filter(|&row| has_number(scan.fields(row))).count() * 2 >= scan.lines.len()
}

/// Adds templates for lines that none has been found for.
pub(super) fn find(scan: &Scan, found: &mut Vec<Found>) {
    let mut free = vec![true; scan.lines.len()];
    for &row in found.iter().flat_map(|found| &found.rows) {
        if let Some(free) = free.get_mut(row as usize) {
            *free = false;
        }
    }
    let rows = (0u32..).zip(&free).filter(|&(_, &free)| free).map(|(row, _)| row);
    let heads: Vec<(Head, u32)> = rows.filter_map(|row| Some((head(scan, row)?, row))).collect();
    for fields in FIELDS.rev() {
        let hash = |head: &Head| head.get(fields - FIELDS.start()).copied().flatten();
        let is_free = |row: &u32| free.get(*row as usize) == Some(&true);
        let mut order: Vec<(u64, u32)> = heads
            .iter()
            .filter(|(_, row)| is_free(row))
            .filter_map(|(head, row)| Some((hash(head)?, *row)))
            .collect();
        order.sort_unstable();
        for group in order.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 2) {
            let rows: Vec<u32> = group.iter().map(|pair| pair.1).collect();
            let Some(gain) = gain(scan, &rows, fields) else { continue };
            for &row in &rows {
                if let Some(free) = free.get_mut(row as usize) {
                    *free = false;
                }
            }
            found.push(Found { gain, rows, head: Some(fields) });
        }
    }
}

/// Lines of logs begin with a time or a process.
fn has_number(fields: &[Field]) -> bool {
    fields.iter().take(NUMBER_AMONG).any(|field| field.digits)
}

/// For each number of fields a hash of the words among them and of what is between: numbers may vary.
type Head = [Option<u64>; FIELDS_TRIED];

/// `None` for a line that does not begin like one of a log: with a number among its first fields.
fn head(scan: &Scan, row: u32) -> Option<Head> {
    let fields = scan.fields(row);
    if !has_number(fields) {
        return None;
    }
    let mut head = [None; FIELDS_TRIED];
    let mut from = scan.line(row).start;
    let mut hash = 0;
    for (count, field) in fields.iter().enumerate().take(FIELDS.end() + 1) {
        hash = mix_text(hash, scan.slice(from, field.start));
        // A value follows these fields, so that what is before it is part of the template.
        if let Some(slot) = count.checked_sub(*FIELDS.start()).and_then(|at| head.get_mut(at)) {
            *slot = Some(hash);
        }
        hash = mix(hash, if field.digits { 0 } else { field.hash.into() });
        from = field.end();
    }
    Some(head)
}

fn mix_text(hash: u64, text: &str) -> u64 {
    text.bytes().fold(mix(hash, 1), |hash, byte| mix(hash, byte.into()))
}

fn gain(scan: &Scan, rows: &[u32], count: usize) -> Option<i64> {
    let &first = rows.first()?;
    let varying = varying(scan, rows);
    let constant: i64 = scan
        .fields(first)
        .iter()
        .take(count)
        .zip(&varying)
        .map(
            |(field, &varies)| if varies { -i64::from(!field.word) } else { i64::from(field.cost) },
        )
        .sum();
    let next: &Field = scan.fields(first).get(count)?;
    let marks = scan
        .slice(scan.line(first).start, next.start)
        .bytes()
        .filter(|b| b"[](){}<>:,;|\"'=".contains(b))
        .count();
    let saved = constant + marks as i64;
    let runs = rows.chunk_by(|a, b| a + 1 == *b).count() as i64;
    let gain = saved * (rows.len() as i64 - 1) - runs * 2 - 4;
    (saved >= MIN_GAIN_PER_ROW && gain >= MIN_GAIN).then_some(gain)
}
