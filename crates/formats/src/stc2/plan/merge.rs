//! The keys of many objects as one row of columns.

use super::super::Level;
use super::super::cost::cost;
use super::ABSENT;
use tokenforge_json::tape::Json;

/// A table has at most this many columns.
const MAX_COLUMNS: usize = 256;

/// A column on its way.
pub(super) struct MergedColumn {
    /// Tape index of the key where it was seen first.
    pub(super) key: usize,
    /// How many records have it.
    pub(super) present: usize,
}

/// The columns that hold all records in their order of keys, if there are such and they cost less than the keys do.
pub(super) fn columns(json: &Json<'_>, rows: &[u32], level: Level) -> Option<Vec<MergedColumn>> {
    let mut columns: Vec<MergedColumn> = Vec::new();
    for (record, row) in rows.iter().enumerate() {
        let is_fixed = level == Level::Dense && record > 0;
        if is_fixed && json.count(*row as usize) != columns.len() {
            return None;
        }
        let mut place = 0;
        for key in json.keys(*row as usize) {
            match find(json, &columns, place, key) {
                KeyPosition::At(column) => place = column,
                KeyPosition::Before => return None,
                KeyPosition::Nowhere if is_fixed || columns.len() == MAX_COLUMNS => return None,
                KeyPosition::Nowhere => columns.insert(place, MergedColumn { key, present: 0 }),
            }
            columns[place].present += 1;
            place += 1;
        }
    }
    is_cheaper(json, &columns, rows.len()).then_some(columns)
}

/// Record by record, the tape index of each column's value, or [`ABSENT`].
pub(super) fn cells(json: &Json<'_>, rows: &[u32], columns: &[MergedColumn]) -> Vec<u32> {
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for row in rows {
        let mut keys = json.keys(*row as usize).peekable();
        for column in columns {
            let key = keys.next_if(|key| json.same_raw(*key, column.key));
            cells.push(key.map_or(ABSENT, |key| key as u32 + 1));
        }
    }
    cells
}

enum KeyPosition {
    At(usize),
    Before,
    Nowhere,
}

/// Looks for a key from `place` on, where it nearly always is.
#[inline]
fn find(json: &Json<'_>, columns: &[MergedColumn], place: usize, key: usize) -> KeyPosition {
    let is_same = |column: &MergedColumn| json.same_raw(column.key, key);
    if columns.get(place).is_some_and(is_same) {
        return KeyPosition::At(place);
    }
    let (before, behind) = columns.split_at(place);
    match behind.iter().position(is_same) {
        Some(steps) => KeyPosition::At(place + steps),
        None if before.iter().any(is_same) => KeyPosition::Before,
        None => KeyPosition::Nowhere,
    }
}

/// A header names each key once and an absent cell costs a mark; plain objects name each key each time.
fn is_cheaper(json: &Json<'_>, columns: &[MergedColumn], rows: usize) -> bool {
    let (mut header, mut members) = (0, 0);
    for column in columns {
        let member = u64::from(cost(json.unquoted_bytes(column.key))) + 1;
        members += member * column.present as u64;
        header += member + (rows - column.present) as u64;
    }
    header < members
}
