//! Blanks that reach up to a column, as tools write them to align what follows.

use super::scan::{LineScan, ScanField};
use std::ops::Range;

/// No blank beyond this many bytes of a line is written as a column.
pub(super) const MAX_COLUMN: usize = 1024;

/// Whether every blank that differs in width between the rows reaches up to one column, or is a single space
/// where the text before it is too long for that.
pub(super) fn are_aligned(scan: &LineScan, rows: &[u32]) -> bool {
    let count = rows.first().map_or(0, |&row| scan.fields(row).len());
    (0..count).all(|field| !differs(scan, rows, field) || column(scan, rows, field).is_some())
}

/// The columns up to which the blanks before some fields reach, for those that differ in width between the rows.
pub(super) fn columns(scan: &LineScan, rows: &[u32]) -> Vec<(usize, usize)> {
    let Some(&first) = rows.first() else { return Vec::new() };
    if rows.iter().all(|&row| scan.line(row).spacing == scan.line(first).spacing) {
        return Vec::new();
    }
    (0..scan.fields(first).len())
        .filter(|&field| differs(scan, rows, field))
        .filter_map(|field| Some((field, column(scan, rows, field)?)))
        .collect()
}

/// The bytes of the first blank before a field of a line.
pub(super) fn blank(scan: &LineScan, row: u32, field: usize) -> Option<Range<u32>> {
    let fields = scan.fields(row);
    let after = fields.get(field.checked_sub(1)?)?.end();
    let next = fields.get(field)?;
    let start = after + scan.slice(after, next.start).find(' ')? as u32;
    let blank = start..start + u32::from(next.blank);
    ((blank.end - scan.line(row).start) as usize <= MAX_COLUMN).then_some(blank)
}

/// Whether a blank of a line is as a template with this column says.
pub(super) fn reaches(scan: &LineScan, row: u32, blank: &Range<u32>, column: usize) -> bool {
    let end = width(scan, row, blank.end);
    end == column || end > column && blank.len() == 1
}

fn differs(scan: &LineScan, rows: &[u32], field: usize) -> bool {
    let width = |row: u32| scan.fields(row).get(field).map(|field: &ScanField| field.blank);
    rows.first().is_some_and(|&first| rows.iter().any(|&row| width(row) != width(first)))
}

fn column(scan: &LineScan, rows: &[u32], field: usize) -> Option<usize> {
    let mut wide = rows
        .iter()
        .filter(|&&row| scan.fields(row).get(field).is_some_and(|field| field.blank > 1));
    let first = *wide.next()?;
    let column = width(scan, first, blank(scan, first, field)?.end);
    let fits = |&row: &u32| {
        let blank = blank(scan, row, field)?;
        // A digit after the column's number would be read as part of it.
        let digit = scan.text.as_bytes().get(blank.end as usize).is_some_and(u8::is_ascii_digit);
        Some(reaches(scan, row, &blank, column) && !digit)
    };
    rows.iter().all(|row| fits(row) == Some(true)).then_some(column)
}

/// How many characters of a line come before an offset.
fn width(scan: &LineScan, row: u32, offset: u32) -> usize {
    scan.slice(scan.line(row).start, offset).chars().count()
}
