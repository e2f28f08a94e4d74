//! Lines that only begin alike: a time, a host, a level. The rest of such a line is one value.

use super::mine::TemplateRows;
use super::rows::varying;
use super::scan::{LineScan, ScanField, mix};
use super::tally::HashTally;

/// The longest and the shortest beginning tried, in fields.
const FIELDS: std::ops::RangeInclusive<usize> = 2..=8;
const FIELDS_TRIED: usize = 7;
/// A line of a log has a number among this many first fields: a part of its time, a process.
const NUMBER_AMONG: usize = 3;
/// So many lines must begin alike.
const FEWEST: usize = 3;
/// The beginning must save this many tokens a line.
const MIN_GAIN_PER_ROW: i64 = 4;
/// And the template this many.
const MIN_GAIN: i64 = 12;

/// Whether half of the lines or more begin like those of a log.
pub(super) fn are_many(scan: &LineScan) -> bool {
    let rows = 0..scan.lines.len() as u32;
    rows.filter(|&row| has_number(scan.fields(row))).count() * 2 >= scan.lines.len()
}

/// Adds templates for lines that none has been found for.
pub(super) fn find(scan: &LineScan, found: &mut Vec<TemplateRows>) {
    let mut free = vec![true; scan.lines.len()];
    for &row in found.iter().flat_map(|found| &found.rows) {
        if let Some(free) = free.get_mut(row as usize) {
            *free = false;
        }
    }
    let rows = (0u32..).zip(&free).filter(|&(_, &free)| free).map(|(row, _)| row);
    let heads = heads(scan, rows.filter(|&row| has_number(scan.fields(row))));
    let mut order: Vec<(u64, u32)> = Vec::with_capacity(heads.len());
    for fields in FIELDS.rev() {
        let hash =
            |head: &HeadHashes| head.get(fields - FIELDS.start()).copied().filter(|&hash| hash > 0);
        let is_free = |row: &u32| free.get(*row as usize) == Some(&true);
        let free_heads = heads.iter().filter(|(_, row)| is_free(row));
        order.clear();
        order.extend(free_heads.filter_map(|(head, row)| Some((hash(head)?, *row))));
        order.sort_unstable();
        for group in order.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() >= FEWEST) {
            let rows: Vec<u32> = group.iter().map(|pair| pair.1).collect();
            let Some(gain) = gain(scan, &rows, fields) else { continue };
            for &row in &rows {
                if let Some(free) = free.get_mut(row as usize) {
                    *free = false;
                }
            }
            found.push(TemplateRows { gain, rows, head: Some(fields) });
        }
    }
}

/// Lines of logs begin with a time or a process.
fn has_number(fields: &[ScanField]) -> bool {
    fields.iter().take(NUMBER_AMONG).any(|field| field.digits)
}

/// For each number of fields a hash of the words among them and of what is between: numbers may vary. Zero where there
/// are fewer fields.
type HeadHashes = [u64; FIELDS_TRIED];

/// The heads of the lines that begin like others, and maybe of some more. To leave out most lines their shortest
/// beginning is enough, so that only this is hashed of all.
fn heads(scan: &LineScan, rows: impl Iterator<Item = u32>) -> Vec<(HeadHashes, u32)> {
    let shortest = rows.filter_map(|row| Some((beginnings(scan, row).next()?, row)));
    let shortest: Vec<(u64, u32)> = shortest.collect();
    let tally = HashTally::of(shortest.iter().map(|pair| pair.0));
    let alike = shortest.into_iter().filter(|pair| usize::from(tally.at_most(pair.0)) >= FEWEST);
    let head = |(_, row)| {
        let mut head = [0; FIELDS_TRIED];
        head.iter_mut().zip(beginnings(scan, row)).for_each(|(slot, hash)| *slot = hash);
        (head, row)
    };
    alike.map(head).collect()
}

/// The hashes of a line's beginnings, the shortest first. Each ends where the value behind it begins: what is between
/// the fields and that value is part of the template.
fn beginnings(scan: &LineScan, row: u32) -> impl Iterator<Item = u64> {
    let mut from = scan.line(row).start;
    let mut hash = 0;
    let beginnings = scan.fields(row).iter().map(move |field| {
        let up_to_field = mix_text(hash, scan.slice(from, field.start));
        hash = mix(up_to_field, if field.digits { 0 } else { field.hash.into() });
        from = field.end();
        up_to_field
    });
    beginnings.skip(*FIELDS.start())
}

fn mix_text(hash: u64, text: &str) -> u64 {
    text.bytes().fold(mix(hash, 1), |hash, byte| mix(hash, byte.into()))
}

fn gain(scan: &LineScan, rows: &[u32], count: usize) -> Option<i64> {
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
    let next: &ScanField = scan.fields(first).get(count)?;
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
