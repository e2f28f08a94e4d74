//! Rows of one shape, and what a template for them would cost, in estimated tokens.

use super::scan::{LineScan, ScanField};
use tokenforge_tokens::interrupt::tick;

/// Going to a template and back again.
const SWITCH: i64 = 2;
/// What is around a template's text.
const DEFINITION: i64 = 4;

/// Lines of one shape, in order.
pub(super) struct ShapeRows<'a> {
    scan: &'a LineScan<'a>,
    pub(super) lines: Vec<u32>,
    /// Which fields differ between the rows.
    pub(super) varying: Vec<bool>,
    /// What the varying fields cost, and the line ends.
    values: i64,
}

impl<'a> ShapeRows<'a> {
    pub(super) fn new(scan: &'a LineScan<'a>, lines: Vec<u32>) -> Self {
        let mut rows = Self { scan, varying: varying(scan, &lines), lines, values: 0 };
        tick(rows.lines.len() * (1 + rows.varying.len()));
        rows.values = rows.values_of(&rows.varying);
        rows
    }

    /// What the rows save, compared with the lines as they are.
    pub(super) fn gain(&self) -> i64 {
        let literal: i64 =
            self.lines.iter().map(|&line| i64::from(self.scan.line(line).cost)).sum();
        literal - self.cost()
    }

    /// What the rows save as a template of their own, compared with being rows of one where `varying` differ.
    pub(super) fn gain_over(&self, varying: &[bool]) -> i64 {
        self.values_of(varying) - self.cost()
    }

    /// The same for a sample of the rows; `scale` is how many there are for each of the sample.
    pub(super) fn gain_over_scaled(&self, varying: &[bool], scale: i64) -> i64 {
        (self.values_of(varying) - self.values) * scale - self.definition()
    }

    /// The template, its rows, and the marks needed because other lines are between them.
    fn cost(&self) -> i64 {
        self.definition() + self.values + SWITCH * self.runs()
    }

    /// The template's text.
    pub(super) fn definition(&self) -> i64 {
        self.constant() + DEFINITION
    }

    /// The text that all rows share.
    pub(super) fn constant(&self) -> i64 {
        let Some(&first) = self.lines.first() else { return 0 };
        i64::from(self.scan.line(first).cost)
            - 1
            - self.columns().map(|field| i64::from(field.cost)).sum::<i64>()
    }

    /// How many columns vary in words.
    pub(super) fn words(&self) -> i64 {
        self.columns().filter(|field| field.word).count() as i64
    }

    /// In how many places these rows are.
    pub(super) fn runs(&self) -> i64 {
        self.lines.chunk_by(|a, b| a + 1 == *b).count() as i64
    }

    /// The first row's fields that vary.
    fn columns(&self) -> impl Iterator<Item = ScanField> {
        let fields = self.lines.first().map_or(&[][..], |&first| self.scan.fields(first));
        fields.iter().zip(&self.varying).filter(|&(_, &varies)| varies).map(|(field, _)| *field)
    }

    /// The fields that vary, where they differ from the row before, and the line ends.
    fn values_of(&self, varying: &[bool]) -> i64 {
        let columns: Vec<usize> =
            (0..varying.len()).filter(|&column| varying.get(column) == Some(&true)).collect();
        let mut above: &[ScanField] = &[];
        let mut cost = self.lines.len() as i64;
        for &line in &self.lines {
            let fields = self.scan.fields(line);
            for &column in &columns {
                let Some(field) = fields.get(column) else { continue };
                let same = above.get(column).is_some_and(|above| above.hash == field.hash);
                cost += if same { 1 } else { field.cell() };
            }
            above = fields;
        }
        cost
    }
}

/// Which fields differ between lines of one shape.
pub(super) fn varying(scan: &LineScan, lines: &[u32]) -> Vec<bool> {
    let Some((&first, others)) = lines.split_first() else { return Vec::new() };
    let first = scan.fields(first);
    let mut varying = vec![false; first.len()];
    for &line in others {
        for ((varies, a), b) in varying.iter_mut().zip(first).zip(scan.fields(line)) {
            *varies |= a.hash != b.hash;
        }
    }
    varying
}
