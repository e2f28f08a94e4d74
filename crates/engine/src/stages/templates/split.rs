//! Tells kinds of line apart that have the same shape, by the value of a field.

use super::rows::ShapeRows;
use super::scan::LineScan;
use std::cmp::Reverse;

/// Rows are split at most this often.
const MAX_DEPTH: u32 = 6;
/// Rows looked at to choose the field to split by. It was 96, and six fields: this is for speed, and the sample only chooses
/// the field. What the split is worth is reckoned with all rows.
const SAMPLE: usize = 32;
/// Fields considered for a split.
const CANDIDATES: usize = 3;
/// A split must save this many tokens.
const MIN_GAIN: i64 = 4;

/// Gives `keep` the sets of rows that are cheapest as templates of their own.
pub(super) fn split_rows<'a>(
    scan: &'a LineScan<'a>,
    rows: ShapeRows<'a>,
    keep: &mut impl FnMut(ShapeRows<'a>),
) {
    grow(scan, rows, 0, keep);
}

fn grow<'a>(
    scan: &'a LineScan<'a>,
    rows: ShapeRows<'a>,
    depth: u32,
    keep: &mut impl FnMut(ShapeRows<'a>),
) {
    let field =
        if depth < MAX_DEPTH && rows.lines.len() > 3 { best_field(scan, &rows) } else { None };
    let Some(field) = field else { return keep(rows) };
    let mut others = Vec::new();
    for group in groups(scan, &rows.lines, field).chunk_by(|a, b| a.0 == b.0) {
        let group = ShapeRows::new(scan, group.iter().map(|pair| pair.1).collect());
        if group.lines.len() > 1 && group.gain_over(&rows.varying) >= MIN_GAIN {
            grow(scan, group, depth + 1, keep);
        } else {
            others.extend(group.lines);
        }
    }
    others.sort_unstable();
    keep(ShapeRows::new(scan, others));
}

/// The lines with the value of a field, sorted by it.
fn groups(scan: &LineScan, lines: &[u32], field: usize) -> Vec<(u32, u32)> {
    let value = |line: u32| scan.fields(line).get(field).map_or(0, |field| field.hash);
    let mut pairs: Vec<(u32, u32)> = lines.iter().map(|&line| (value(line), line)).collect();
    pairs.sort_unstable();
    pairs
}

/// The field by whose values a sample of the rows is best told apart.
fn best_field(scan: &LineScan, rows: &ShapeRows) -> Option<usize> {
    let step = rows.lines.len().div_ceil(SAMPLE);
    let scale = step as i64;
    let sample: Vec<u32> = rows.lines.iter().copied().step_by(step).collect();
    let fields = (0..rows.varying.len()).filter(|&field| rows.varying.get(field) == Some(&true));
    let mut shared: Vec<(i64, usize)> = fields
        .map(|field| (shared_tokens(scan, &sample, field), field))
        .filter(|&(shared, _)| shared > 0)
        .collect();
    // What no two rows share no split can save, and each repeats the constant text.
    if shared.iter().map(|pair| pair.0).sum::<i64>() * scale < rows.definition() + MIN_GAIN {
        return None;
    }
    shared.sort_unstable_by_key(|&(shared, field)| (Reverse(shared), field));
    shared
        .into_iter()
        .take(CANDIDATES)
        .map(|(_, field)| (gain(scan, &sample, field, &rows.varying, scale), field))
        .filter(|&(gain, _)| gain >= MIN_GAIN)
        .max_by_key(|&(gain, field)| (gain, Reverse(field)))
        .map(|(_, field)| field)
}

/// Tokens of a field in rows whose value an earlier row had, more or less.
fn shared_tokens(scan: &LineScan, sample: &[u32], field: usize) -> i64 {
    let mut seen = [0u64; 16];
    let mut shared = 0;
    for field in sample.iter().filter_map(|&line| scan.fields(line).get(field)) {
        let bit = 1 << (field.hash & 63);
        let Some(word) = seen.get_mut((field.hash >> 6 & 15) as usize) else { continue };
        shared += if *word & bit != 0 { field.cell() } else { 0 };
        *word |= bit;
    }
    shared
}

/// Tokens that templates for the values of a field would save.
fn gain(scan: &LineScan, sample: &[u32], field: usize, varying: &[bool], scale: i64) -> i64 {
    let pairs = groups(scan, sample, field);
    let groups = pairs.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    let gains = groups.map(|group| {
        let group = ShapeRows::new(scan, group.iter().map(|pair| pair.1).collect());
        group.gain_over_scaled(varying, scale).max(0)
    });
    gains.sum()
}
