//! Do these objects make a table? The test behind TOON's tabular and keyed forms.

use std::borrow::Cow;
use std::collections::HashMap;
use tokenforge_json::tape::{Json, LexemeKind};

/// The columns that a run of objects shares: those of the first object, nested objects flattened.
pub(super) struct SharedFields {
    /// Tape index of the first row, whose keys are the columns.
    first: usize,
    /// Tape nodes in a row.
    length: usize,
    /// Some row has its keys in another order.
    is_reordered: bool,
}

impl SharedFields {
    /// The shape of the rows, if they are non-empty objects that agree on their keys, and every column is
    /// all scalars or, again, objects that agree.
    pub(super) fn of(json: &Json<'_>, mut rows: impl Iterator<Item = usize>) -> Option<Self> {
        let first = rows.next()?;
        if !json.node(first).is_record {
            return None;
        }
        let length = json.next(first) - first;
        let mut shape = Self { first, length, is_reordered: false };
        for row in rows {
            if !shape.fits_in_order(json, row) {
                if !same_fields(json, first, row) {
                    return None;
                }
                shape.is_reordered = true;
            }
        }
        Some(shape)
    }

    /// The common case: node for node the same as the first row.
    fn fits_in_order(&self, json: &Json<'_>, row: usize) -> bool {
        if json.next(row) - row != self.length {
            return false;
        }
        let columns = json.nodes(self.first, self.length);
        let nodes = json.nodes(row, self.length);
        columns.iter().zip(nodes).all(|(column, node)| match column.kind {
            LexemeKind::Key => json.same_text(column, node),
            LexemeKind::Object => node.kind == LexemeKind::Object && node.count == column.count,
            _ => !node.kind.is_container(),
        })
    }

    /// Tape index of the first row, whose keys are the columns.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Calls `cell` with the tape index of every cell of a row, in the order of the columns.
    #[inline]
    pub(super) fn for_each_cell<E>(
        &self,
        json: &Json<'_>,
        row: usize,
        mut cell: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_reordered && !self.fits_in_order(json, row) {
            return cells_by_name(json, self.first, row, &mut cell);
        }
        for (index, node) in json.nodes(row, self.length).iter().enumerate() {
            if !matches!(node.kind, LexemeKind::Key | LexemeKind::Object) {
                cell(row + index)?;
            }
        }
        Ok(())
    }
}

/// Does `row` have the fields of `first`, in whatever order?
fn same_fields(json: &Json<'_>, first: usize, row: usize) -> bool {
    if json.node(row).kind != LexemeKind::Object || json.count(row) != json.count(first) {
        return false;
    }
    let fields = Fields::of(json, row);
    json.keys(first).all(|column| {
        fields.get(json, column).is_some_and(|value| {
            match (json.node(column + 1).kind, json.node(value).kind) {
                (LexemeKind::Object, LexemeKind::Object) => same_fields(json, column + 1, value),
                (ours, theirs) => !ours.is_container() && !theirs.is_container(),
            }
        })
    })
}

fn cells_by_name<E>(
    json: &Json<'_>,
    first: usize,
    row: usize,
    cell: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let fields = Fields::of(json, row);
    for column in json.keys(first) {
        let Some(value) = fields.get(json, column) else { continue };
        if json.node(value).kind == LexemeKind::Object {
            cells_by_name(json, column + 1, value, cell)?;
        } else {
            cell(value)?;
        }
    }
    Ok(())
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
