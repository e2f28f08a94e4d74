//! Tells kinds of line apart that have the same shape, by the value of a field.

use super::cost::{Cost, varying};
use super::scan::Scan;
use std::cmp::Reverse;

/// Rows are split at most this often.
const MAX_DEPTH: u32 = 6;
/// Rows looked at to choose the field to split by.
const SAMPLE: usize = 96;
/// Fields considered for a split.
const CANDIDATES: usize = 6;
/// A split must save this many tokens.
const MIN_GAIN: i64 = 4;

/// Gives `keep` the sets of rows that are cheapest as templates of their own.
pub(super) fn split(scan: &Scan, rows: Vec<u32>, keep: &mut impl FnMut(Vec<u32>)) {
    grow(scan, rows, 0, keep);
}

fn grow(scan: &Scan, rows: Vec<u32>, depth: u32, keep: &mut impl FnMut(Vec<u32>)) {
    let varying = varying(scan, &rows);
    let field = if depth < MAX_DEPTH && rows.len() > 3 { best_field(scan, &rows, &varying) } else { None };
    let Some(field) = field else { return keep(rows) };
    let mut others = Vec::new();
    for group in groups(scan, &rows, field) {
        let cost = Cost::new(scan, &group);
        if group.len() > 1 && cost.rows(&varying) - cost.template() - cost.switches() >= MIN_GAIN {
            grow(scan, group, depth + 1, keep);
        } else {
            others.extend(group);
        }
    }
    others.sort_unstable();
    keep(others);
}

/// The rows for every value of a field.
fn groups(scan: &Scan, rows: &[u32], field: usize) -> Vec<Vec<u32>> {
    let value = |row: u32| scan.fields(row).get(field).map_or(0, |field| field.hash);
    let mut order: Vec<(u32, u32)> = rows.iter().map(|&row| (value(row), row)).collect();
    order.sort_unstable();
    let groups = order.chunk_by(|a, b| a.0 == b.0);
    groups.map(|group| group.iter().map(|pair| pair.1).collect()).collect()
}

/// The field by whose values a sample of the rows is best told apart.
fn best_field(scan: &Scan, rows: &[u32], varying: &[bool]) -> Option<usize> {
    let step = rows.len().div_ceil(SAMPLE);
    let sample: Vec<u32> = rows.iter().copied().step_by(step).collect();
    let varying_fields = varying.iter().enumerate().filter(|&(_, &varies)| varies).map(|(field, _)| field);
    let mut shared: Vec<(i64, usize)> = varying_fields
        .map(|field| (shared(scan, &sample, field), field))
        .filter(|&(shared, _)| shared > 0)
        .collect();
    shared.sort_by_key(|&(shared, field)| (Reverse(shared), field));
    shared
        .into_iter()
        .take(CANDIDATES)
        .map(|(_, field)| (gain(scan, &sample, field, varying, step as i64), field))
        .filter(|&(gain, _)| gain > 0)
        .max_by_key(|&(gain, field)| (gain, Reverse(field)))
        .map(|(_, field)| field)
}

/// Tokens that equal values of a field would save.
fn shared(scan: &Scan, sample: &[u32], field: usize) -> i64 {
    let fields = sample.iter().filter_map(|&row| scan.fields(row).get(field));
    let mut values: Vec<(u32, i64)> = fields.map(|field| (field.hash, field.cell())).collect();
    values.sort_unstable();
    let equal = values.chunk_by(|a, b| a.0 == b.0);
    equal.map(|equal| (equal.len() as i64 - 1) * equal.first().map_or(0, |value| value.1)).sum()
}

/// Tokens that templates for the values of a field would save, if there are `scale` rows for each of the sample.
fn gain(scan: &Scan, sample: &[u32], field: usize, varying: &[bool], scale: i64) -> i64 {
    let groups = groups(scan, sample, field);
    let gains = groups.iter().filter(|group| group.len() > 1).map(|group| {
        let cost = Cost::new(scan, group);
        let inside = cost.rows(cost.varying());
        ((cost.rows(varying) - inside) * scale - (cost.template() - inside)).max(0)
    });
    gains.sum()
}
