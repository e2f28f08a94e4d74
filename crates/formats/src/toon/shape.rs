//! Do these objects make a table? The test behind TOON's tabular and keyed forms.

use crate::json::{Json, Kind};
use std::borrow::Cow;
use std::collections::HashMap;

/// The columns that a run of objects shares: the fields of the first object, flattened.
pub(super) struct Shape {
    /// One step per tape node of the first row, in order.
    steps: Vec<Step>,
    /// Where the scalar cells lie, relative to the start of a row whose keys are in the same order.
    cells: Vec<usize>,
    /// Tape index of the first row.
    first: usize,
    /// Some row has its keys in another order.
    reordered: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Object,
    Key,
    Cell,
}

impl Shape {
    /// The shape of the rows, if they are non-empty objects that agree on their keys, and every column is
    /// all scalars or, again, objects that agree.
    pub(super) fn of(json: &Json<'_>, mut rows: impl Iterator<Item = usize>) -> Option<Self> {
        let first = rows.next()?;
        let mut shape = Self { steps: Vec::new(), cells: Vec::new(), first, reordered: false };
        shape.add_object(json, first)?;
        for row in rows {
            if !shape.fits_in_order(json, row) {
                if !same_fields(json, first, row) {
                    return None;
                }
                shape.reordered = true;
            }
        }
        Some(shape)
    }

    fn add_object(&mut self, json: &Json<'_>, at: usize) -> Option<()> {
        if json.node(at).kind != Kind::Object || json.count(at) == 0 {
            return None;
        }
        self.steps.push(Step::Object);
        for key in json.keys(at) {
            self.steps.push(Step::Key);
            match json.node(key + 1).kind {
                Kind::Object => self.add_object(json, key + 1)?,
                Kind::Array => return None,
                _ => {
                    self.cells.push(self.steps.len());
                    self.steps.push(Step::Cell);
                }
            }
        }
        Some(())
    }

    /// The common case: node for node the same as the first row.
    fn fits_in_order(&self, json: &Json<'_>, row: usize) -> bool {
        json.next(row) - row == self.steps.len()
            && self.steps.iter().enumerate().all(|(index, step)| {
                let (ours, theirs) = (row + index, self.first + index);
                match step {
                    Step::Key => json.raw(ours) == json.raw(theirs),
                    Step::Cell => !json.node(ours).kind.is_container(),
                    Step::Object => {
                        json.node(ours).kind == Kind::Object
                            && json.count(ours) == json.count(theirs)
                    }
                }
            })
    }

    /// Tape index of the first row, whose keys are the columns.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Calls `cell` with the tape index of every cell of a row, in the order of the columns.
    pub(super) fn for_each_cell(&self, json: &Json<'_>, row: usize, mut cell: impl FnMut(usize)) {
        if self.reordered && !self.fits_in_order(json, row) {
            cells_by_name(json, self.first, row, &mut cell);
        } else {
            self.cells.iter().for_each(|offset| cell(row + offset));
        }
    }
}

/// Does `row` have the fields of `first`, in whatever order?
fn same_fields(json: &Json<'_>, first: usize, row: usize) -> bool {
    if json.node(row).kind != Kind::Object || json.count(row) != json.count(first) {
        return false;
    }
    let fields = Fields::of(json, row);
    json.keys(first).all(|column| {
        fields.get(json, column).is_some_and(|value| {
            match (json.node(column + 1).kind, json.node(value).kind) {
                (Kind::Object, Kind::Object) => same_fields(json, column + 1, value),
                (ours, theirs) => !ours.is_container() && !theirs.is_container(),
            }
        })
    })
}

fn cells_by_name(json: &Json<'_>, first: usize, row: usize, cell: &mut impl FnMut(usize)) {
    let fields = Fields::of(json, row);
    for column in json.keys(first) {
        let Some(value) = fields.get(json, column) else { continue };
        if json.node(value).kind == Kind::Object {
            cells_by_name(json, column + 1, value, cell);
        } else {
            cell(value);
        }
    }
}

/// The values of one object by key.
struct Fields<'j>(HashMap<Cow<'j, str>, usize>);

impl<'j> Fields<'j> {
    fn of(json: &Json<'j>, object: usize) -> Self {
        Self(json.keys(object).map(|key| (json.key_value(key), key + 1)).collect())
    }

    fn get(&self, json: &Json<'j>, column: usize) -> Option<usize> {
        self.0.get(&json.key_value(column)).copied()
    }
}
