//! What a template and its rows would cost, in estimated tokens.

use super::scan::{Field, Scan};

/// Going to a template and back again.
const SWITCH: i64 = 2;
/// What is around a template's text.
const DEFINITION: i64 = 4;

/// The cost of some rows of one shape.
pub(super) struct Cost<'a> {
    scan: &'a Scan<'a>,
    rows: &'a [u32],
    varying: Vec<bool>,
}

impl<'a> Cost<'a> {
    pub(super) fn new(scan: &'a Scan<'a>, rows: &'a [u32]) -> Self {
        Self { scan, rows, varying: varying(scan, rows) }
    }

    /// Which fields vary.
    pub(super) fn varying(&self) -> &[bool] {
        &self.varying
    }

    /// The lines as they are.
    pub(super) fn literal(&self) -> i64 {
        self.rows.iter().map(|&row| i64::from(self.scan.line(row).cost)).sum()
    }

    /// The template and its rows.
    pub(super) fn template(&self) -> i64 {
        self.constant() + DEFINITION + self.rows(&self.varying)
    }

    /// The rows: fields that vary, where they differ from the row before.
    pub(super) fn rows(&self, varying: &[bool]) -> i64 {
        let mut above: &[Field] = &[];
        let mut cost = 0;
        for &row in self.rows {
            let fields = self.scan.fields(row);
            cost += 1;
            for (column, (field, _)) in fields.iter().zip(varying).enumerate().filter(|(_, (_, varies))| **varies) {
                let same = above.get(column).is_some_and(|above| above.hash == field.hash);
                cost += if same { 1 } else { field.cell() };
            }
            above = fields;
        }
        cost
    }

    /// The text that all rows share.
    pub(super) fn constant(&self) -> i64 {
        let Some(&first) = self.rows.first() else { return 0 };
        i64::from(self.scan.line(first).cost) - 1 - self.columns().map(|field| i64::from(field.cost)).sum::<i64>()
    }

    /// How many columns vary in words.
    pub(super) fn words(&self) -> i64 {
        self.columns().filter(|field| field.word).count() as i64
    }

    /// The marks needed because these rows are interrupted by other lines.
    pub(super) fn switches(&self) -> i64 {
        SWITCH * self.rows.chunk_by(|a, b| a + 1 == *b).count() as i64
    }

    /// The first row's fields that vary.
    fn columns(&self) -> impl Iterator<Item = Field> {
        let fields = self.rows.first().map_or(&[][..], |&first| self.scan.fields(first));
        fields.iter().zip(&self.varying).filter(|&(_, &varies)| varies).map(|(field, _)| *field)
    }
}

/// Which fields differ between the rows.
pub(super) fn varying(scan: &Scan, rows: &[u32]) -> Vec<bool> {
    let Some((&first, others)) = rows.split_first() else { return Vec::new() };
    let first = scan.fields(first);
    let mut varying = vec![false; first.len()];
    for &row in others {
        for ((varies, a), b) in varying.iter_mut().zip(first).zip(scan.fields(row)) {
            *varies |= a.hash != b.hash;
        }
    }
    varying
}
