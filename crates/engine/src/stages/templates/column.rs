//! A varying field of a template, without the text that all its values begin or end with.

use super::scan::LineScan;

/// A directory that all values begin with is moved to the template from this length on.
const MIN_FRONT: usize = 8;

/// Which field varies, and how much of it belongs to the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TemplateColumn {
    pub(super) field: usize,
    /// Bytes at the start that are the same in every row: a directory.
    pub(super) front: u32,
    /// Bytes at the end that are the same in every row: a unit after a number.
    pub(super) back: u32,
}

/// The columns of rows of one shape.
pub(super) fn columns(scan: &LineScan, rows: &[u32], varying: &[bool]) -> Vec<TemplateColumn> {
    let varying = varying.iter().enumerate().filter(|&(_, &varies)| varies);
    varying.map(|(field, _)| column(scan, rows, field)).collect()
}

fn column(scan: &LineScan, rows: &[u32], field: usize) -> TemplateColumn {
    let mut values = rows.iter().filter_map(|&row| {
        let value = scan.fields(row).get(field)?;
        Some(scan.slice(value.start, value.end()))
    });
    let Some(first) = values.next() else { return TemplateColumn { field, front: 0, back: 0 } };
    let mut front = directory(first);
    let mut unit = unit(first);
    for value in values {
        if front > 0 {
            front = common(value.as_bytes(), first.as_bytes().get(..front).unwrap_or_default());
        }
        if !unit.is_empty() && self::unit(value) != unit {
            unit = "";
        }
    }
    let front = directory(first.get(..front).unwrap_or_default());
    let front = if front < MIN_FRONT { 0 } else { front };
    TemplateColumn {
        field,
        front: front as u32,
        back: if front > 0 { 0 } else { unit.len() as u32 },
    }
}

/// The length of the directory part of an absolute path. A URL stays whole.
fn directory(value: &str) -> usize {
    let rooted = value.starts_with('/') && !value.contains("://");
    if rooted { value.rfind('/').map_or(0, |at| at + 1) } else { 0 }
}

/// What follows the digits of a number: `ms` of `12ms`.
fn unit(value: &str) -> &str {
    let number = value.strip_prefix(['-', '+']).unwrap_or(value);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.,:".contains(c));
    if unit.contains(|c: char| c.is_ascii_digit()) { "" } else { unit }
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
