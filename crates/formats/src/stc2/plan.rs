//! What is written as a table, and how each of its columns is written. Nothing is written yet.
//!
//! A plan comes first because a header stands above the rows that it is made from: whether a column is constant, sparse or
//! follows from another is known only when all of its cells were seen. The tape makes that cheap, since a cell is an index.
//!
//! Three decisions, measured on 877 JSON documents of real tools (all numbers: `spec/stc2.md`, "Alternatives tried"):
//!
//! - Choices are made by the structural cost (`cost.rs`) and not by counting tokens, so that encoders in every language agree
//!   without a tokenizer. It loses nothing: 642,740 tokens at level 2, against 646,842
//!   where each table was compared by its real tokens.
//! - There are no tables inside of rows, so that a row is always one line. That costs 0.2 % (642,932 against 641,594).
//! - Columns may be sparse, and every row has all its cells all the same: rows that end before absent columns would save 0.3 %,
//!   and a reader could no longer count cells. Sparse columns themselves save 6 %.

mod column;
mod merge;
mod template;

use super::Level;
use super::audience::Audience;
use super::fingerprints::Fingerprints;
use tokenforge_json::tape::{Json, LexemeKind};

/// Stands where a record lacks a column. The root of a document is never a cell.
pub(super) const ABSENT: u32 = 0;

/// Which arrays and objects of a document are tables.
pub(super) struct Plan<'a> {
    pub(super) shapes: Vec<TableShape<'a>>,
    /// For each container on the tape: its table's shape plus one, or 0.
    tables: Vec<u32>,
    /// For each object that is a record of a shape: which one.
    records: Vec<u32>,
    reader: Audience,
}

/// The columns that objects share, and their cells.
pub(super) struct TableShape<'a> {
    pub(super) columns: Vec<TableColumn<'a>>,
    /// Record by record, the tape index of each column's value, or [`ABSENT`].
    cells: Vec<u32>,
    /// How many columns the shapes before have together.
    pub(super) first_column: usize,
    /// Are all records written out, one after the other? Those of tuples and lists may become references.
    pub(super) is_in_order: bool,
}

pub(super) struct TableColumn<'a> {
    /// Tape index of the key in one of the records.
    pub(super) key: usize,
    /// Do some records lack it?
    pub(super) is_sparse: bool,
    pub(super) form: ColumnForm<'a>,
    /// Can a later column be derived from it?
    is_source: bool,
}

/// How the cells of a column are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnForm<'a> {
    /// `key`: each cell a value.
    Cell,
    /// `key:value`: no cells.
    Constant(usize),
    /// `key{columns}`: all objects; their cells stand in the row.
    Nested(usize),
    /// `key(columns)`: objects as `(cells)`, or null.
    Tuple(usize),
    /// `key[columns]`: arrays of objects as `[cells | cells]`.
    List(usize),
    /// `key=1,2..`: no cells.
    Run { first: i64, second: i64 },
    /// `key="prefix"+*+"suffix"`: the cell is what stands in between.
    Text { prefix: &'a str, suffix: &'a str },
    /// `key="prefix"+other+"suffix"`: no cells.
    Derived { prefix: &'a str, from: usize, suffix: &'a str },
}

impl ColumnForm<'_> {
    /// Do rows spell this column?
    pub(super) fn has_cells(self) -> bool {
        !matches!(self, Self::Constant(_) | Self::Run { .. } | Self::Derived { .. })
    }
}

impl<'a> Plan<'a> {
    /// `prints` are given at the level that shares.
    pub(super) fn of(
        json: &Json<'a>,
        level: Level,
        mut prints: Option<&mut Fingerprints>,
        reader: Audience,
    ) -> Self {
        let nodes = json.next(0);
        let (tables, records) = (vec![0; nodes], vec![0; nodes]);
        let mut plan = Self { shapes: Vec::new(), tables, records, reader };
        let mut at = 0;
        while at < nodes {
            // A row is a line: there are no tables inside a table.
            at = if plan.plan_table(json, at, level, prints.as_deref_mut()) {
                json.next(at)
            } else {
                at + 1
            };
        }
        plan
    }

    /// The shape of the table that the container at `at` is written as, if it is one.
    #[inline]
    pub(super) fn table(&self, at: usize) -> Option<usize> {
        (self.tables[at] as usize).checked_sub(1)
    }

    /// Which record of its shape the object at `at` is.
    #[inline]
    pub(super) fn record(&self, at: usize) -> usize {
        self.records[at] as usize
    }

    /// How many columns all shapes have together.
    pub(super) fn column_count(&self) -> usize {
        self.shapes.last().map_or(0, |shape| shape.first_column + shape.columns.len())
    }

    fn plan_table(
        &mut self,
        json: &Json<'a>,
        at: usize,
        level: Level,
        mut prints: Option<&mut Fingerprints>,
    ) -> bool {
        let rows: Vec<u32> = match json.node(at).kind {
            _ if json.count(at) < 2 => return false,
            LexemeKind::Array if is_record(json, at + 1) => json.elements(at).map(index).collect(),
            LexemeKind::Object if level >= Level::Nested && is_record(json, at + 2) => {
                json.keys(at).map(|key| index(key + 1)).collect()
            }
            _ => return false,
        };
        if !rows.iter().all(|row| is_record(json, *row as usize)) {
            return false;
        }
        let Some(shape) = self.shape(json, &rows, level) else { return false };
        self.shapes[shape].is_in_order = true;
        self.tables[at] = index(shape + 1);
        let mut unchosen = shape;
        while unchosen < self.shapes.len() {
            self.choose_forms(json, unchosen, level, prints.as_deref_mut());
            unchosen += 1;
        }
        true
    }

    /// A new shape of these objects, if they have enough in common; its columns are still plain.
    fn shape(&mut self, json: &Json<'a>, rows: &[u32], level: Level) -> Option<usize> {
        let merged = merge::columns(json, rows, level)?;
        let cells = merge::cells(json, rows, &merged);
        for (record, row) in rows.iter().enumerate() {
            self.records[*row as usize] = index(record);
        }
        let columns = merged.iter().map(|column| TableColumn {
            key: column.key,
            is_sparse: column.present < rows.len(),
            form: ColumnForm::Cell,
            is_source: false,
        });
        let first_column = self.column_count();
        let (columns, is_in_order) = (columns.collect(), false);
        self.shapes.push(TableShape { columns, cells, first_column, is_in_order });
        Some(self.shapes.len() - 1)
    }
}

impl TableShape<'_> {
    /// The tape index of a cell, or [`ABSENT`].
    #[inline]
    pub(super) fn cell(&self, record: usize, column: usize) -> u32 {
        self.cells[record * self.columns.len() + column]
    }

    /// The cells of a column, record by record.
    fn column(&self, column: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        self.cells.iter().skip(column).step_by(self.columns.len()).copied()
    }

    fn record_count(&self) -> usize {
        self.cells.len() / self.columns.len().max(1)
    }
}

/// Can this value be a record: an object with members?
fn is_record(json: &Json<'_>, at: usize) -> bool {
    json.node(at).kind == LexemeKind::Object && json.count(at) > 0
}

/// Tapes are shorter than 4 GiB.
fn index(at: usize) -> u32 {
    at as u32
}
