//! Finds the templates worth writing: lines of one shape, split where a field tells two kinds of line apart.

use super::column::{Column, columns};
use super::scan::{Field, Scan};

/// A set of rows is split at most this often.
const MAX_DEPTH: u32 = 6;
/// Rows looked at to choose the field to split by.
const SAMPLE: usize = 96;
/// Fields considered for a split.
const CANDIDATES: usize = 6;
/// A split or a template must save this many tokens.
const MIN_GAIN: i64 = 4;
/// Tokens of going to a template and back again.
const SWITCH: i64 = 2;
/// Tokens around a template's text.
const DEFINITION: i64 = 4;

/// Which lines are rows of which template.
pub(super) struct Plan {
    /// In the order of their first rows.
    pub(super) templates: Vec<Template>,
    /// The template of each line.
    pub(super) of_line: Vec<Option<u32>>,
}

/// One line whose columns vary.
pub(super) struct Template {
    /// A line that shows the constant text.
    pub(super) line: u32,
    pub(super) columns: Vec<Column>,
}

/// The best templates of a text, at most `max`.
pub(super) fn mine(scan: &Scan, max: usize) -> Plan {
    let mut order: Vec<u32> = (0..scan.lines.len() as u32).collect();
    let shape = |line: u32| scan.lines.get(line as usize).map_or(0, |line| line.shape);
    order.sort_by_key(|&line| shape(line));
    let mut miner = Miner { scan, found: Vec::new() };
    for class in order.chunk_by(|&a, &b| shape(a) == shape(b)) {
        if class.len() > 1 && class.first().is_some_and(|&line| shape(line) != 0) {
            miner.grow(class.to_vec(), 0);
        }
    }
    miner.plan(max)
}

struct Found {
    gain: i64,
    rows: Vec<u32>,
}

struct Miner<'a> {
    scan: &'a Scan<'a>,
    found: Vec<Found>,
}

impl Miner<'_> {
    fn plan(mut self, max: usize) -> Plan {
        self.found.sort_by_key(|found| std::cmp::Reverse(found.gain));
        self.found.truncate(max);
        self.found.sort_by_key(|found| found.rows.first().copied());
        let mut of_line = vec![None; self.scan.lines.len()];
        let mut templates = Vec::with_capacity(self.found.len());
        for (id, found) in self.found.iter().enumerate() {
            let Some(&line) = found.rows.first() else { continue };
            let varying = self.varying(&found.rows);
            templates.push(Template { line, columns: columns(self.scan, &found.rows, &varying) });
            for &row in &found.rows {
                if let Some(slot) = of_line.get_mut(row as usize) {
                    *slot = Some(id as u32);
                }
            }
        }
        Plan { templates, of_line }
    }

    /// Makes templates of rows of one shape.
    fn grow(&mut self, mut rows: Vec<u32>, depth: u32) {
        if depth < MAX_DEPTH && rows.len() > 3 {
            let varying = self.varying(&rows);
            if let Some(column) = self.best_split(&rows, &varying) {
                for group in self.groups(&rows, column) {
                    let apart = self.template(&group) + self.runs(&group) * SWITCH;
                    if self.rows(&group, &varying) - apart >= MIN_GAIN {
                        let taken = group.clone();
                        rows.retain(|row| taken.binary_search(row).is_err());
                        self.grow(group, depth + 1);
                    }
                }
            }
        }
        self.keep(rows);
    }

    fn keep(&mut self, rows: Vec<u32>) {
        if rows.len() < 2 {
            return;
        }
        let literal: i64 = rows.iter().map(|&row| self.line_cost(row)).sum();
        let gain = literal - self.template(&rows) - self.runs(&rows) * SWITCH;
        if gain >= MIN_GAIN {
            self.found.push(Found { gain, rows });
        }
    }

    /// The rows for every value of a field that more than one row has.
    fn groups(&self, rows: &[u32], column: usize) -> Vec<Vec<u32>> {
        let mut order = rows.to_vec();
        let value = |row: u32| self.field(row, column).map_or(0, |field| field.hash);
        order.sort_by_key(|&row| value(row));
        order
            .chunk_by(|&a, &b| value(a) == value(b))
            .filter(|group| group.len() > 1)
            .map(<[u32]>::to_vec)
            .collect()
    }

    /// The field by whose values a sample of the rows is best told apart.
    fn best_split(&self, rows: &[u32], varying: &[bool]) -> Option<usize> {
        let step = rows.len().div_ceil(SAMPLE);
        let sample: Vec<u32> = rows.iter().copied().step_by(step).collect();
        let mut shared: Vec<(i64, usize)> = varying
            .iter()
            .enumerate()
            .filter(|&(_, &varies)| varies)
            .map(|(column, _)| (self.shared(&sample, column), column))
            .filter(|&(shared, _)| shared > 0)
            .collect();
        shared.sort_by_key(|&(shared, column)| (std::cmp::Reverse(shared), column));
        shared.truncate(CANDIDATES);
        let scale = step as i64;
        shared
            .into_iter()
            .map(|(_, column)| (self.split_gain(&sample, column, varying, scale), column))
            .filter(|&(gain, _)| gain > 0)
            .max_by_key(|&(gain, column)| (gain, std::cmp::Reverse(column)))
            .map(|(_, column)| column)
    }

    /// Tokens of a field that its equal values share.
    fn shared(&self, sample: &[u32], column: usize) -> i64 {
        let mut values: Vec<(u32, u16)> =
            sample.iter().filter_map(|&row| self.field(row, column)).map(|f| (f.hash, f.cost + f.gap)).collect();
        values.sort_unstable();
        values
            .chunk_by(|a, b| a.0 == b.0)
            .map(|equal| (equal.len() as i64 - 1) * equal.first().map_or(0, |value| i64::from(value.1)))
            .sum()
    }

    fn split_gain(&self, sample: &[u32], column: usize, varying: &[bool], scale: i64) -> i64 {
        let gain = |group: &Vec<u32>| {
            let inside = self.varying(group);
            let before = self.rows(group, varying) * scale;
            let after = self.rows(group, &inside) * scale + self.definition(group, &inside);
            (before - after).max(0)
        };
        self.groups(sample, column).iter().map(gain).sum()
    }

    /// Tokens of a template and its rows.
    fn template(&self, rows: &[u32]) -> i64 {
        let varying = self.varying(rows);
        self.definition(rows, &varying) + self.rows(rows, &varying)
    }

    fn definition(&self, rows: &[u32], varying: &[bool]) -> i64 {
        let Some(&first) = rows.first() else { return 0 };
        let values: i64 = self
            .fields(first)
            .iter()
            .zip(varying)
            .filter(|&(_, &varies)| varies)
            .map(|(field, _)| i64::from(field.cost) - 1)
            .sum();
        self.line_cost(first) - values + DEFINITION
    }

    /// Tokens of the rows: the varying fields, where they differ from the row before.
    fn rows(&self, rows: &[u32], varying: &[bool]) -> i64 {
        let mut above: &[Field] = &[];
        let mut cost = 0;
        for &row in rows {
            let fields = self.fields(row);
            cost += 1;
            for (column, field) in fields.iter().enumerate() {
                if !varying.get(column).copied().unwrap_or(true) {
                    continue;
                }
                let same = above.get(column).is_some_and(|above| above.hash == field.hash);
                cost += if same { 1 } else { i64::from(field.cost + field.gap) };
            }
            above = fields;
        }
        cost
    }

    /// How often these rows are interrupted by other lines.
    fn runs(&self, rows: &[u32]) -> i64 {
        rows.chunk_by(|a, b| a + 1 == *b).count() as i64
    }

    /// Which fields differ between the rows.
    fn varying(&self, rows: &[u32]) -> Vec<bool> {
        let Some((&first, others)) = rows.split_first() else { return Vec::new() };
        let first = self.fields(first);
        let mut varying = vec![false; first.len()];
        for &row in others {
            for ((varies, a), b) in varying.iter_mut().zip(first).zip(self.fields(row)) {
                *varies |= a.hash != b.hash;
            }
        }
        varying
    }

    fn fields(&self, row: u32) -> &[Field] {
        self.scan.lines.get(row as usize).map_or(&[], |&line| self.scan.fields(line))
    }

    fn field(&self, row: u32, column: usize) -> Option<Field> {
        self.fields(row).get(column).copied()
    }

    fn line_cost(&self, row: u32) -> i64 {
        self.scan.lines.get(row as usize).map_or(0, |line| i64::from(line.cost))
    }
}
