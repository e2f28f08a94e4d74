//! How a column is written: the first form that fits, from the most to the least saved.

use super::super::Level;
use super::super::fingerprints::Fingerprints;
use super::{ABSENT, ColumnForm, Plan, TableShape, is_record, template};
use std::collections::HashSet;
use tokenforge_json::tape::{Json, LexemeKind};

/// What the cells of a column are.
#[derive(Default)]
struct Census {
    present: usize,
    records: usize,
    nulls: usize,
    arrays: usize,
    strings: usize,
    integers: usize,
}

impl<'a> Plan<'a> {
    pub(super) fn choose_forms(
        &mut self,
        json: &Json<'a>,
        shape: usize,
        level: Level,
        mut prints: Option<&mut Fingerprints>,
    ) {
        if level == Level::Dense {
            return;
        }
        for column in 0..self.shapes[shape].columns.len() {
            let form = self.form(json, shape, column, level, prints.as_deref_mut());
            let is_text = matches!(form, ColumnForm::Cell | ColumnForm::Text { .. });
            let is_source = level == Level::Shared
                && is_text
                && template::is_source(json, &self.shapes[shape], column);
            let column = &mut self.shapes[shape].columns[column];
            (column.form, column.is_source) = (form, is_source);
        }
        // A record without any cell would be an empty line, or nothing at all.
        let columns = &mut self.shapes[shape].columns;
        if columns.iter().all(|column| !column.form.has_cells())
            && let Some(first) = columns.first_mut()
        {
            first.form = ColumnForm::Cell;
        }
    }

    fn form(
        &mut self,
        json: &Json<'a>,
        index: usize,
        column: usize,
        level: Level,
        prints: Option<&mut Fingerprints>,
    ) -> ColumnForm<'a> {
        let shape = &self.shapes[index];
        if let Some(constant) = constant(json, shape, column) {
            return ColumnForm::Constant(constant);
        }
        let census = Census::of(json, shape, column);
        let rows = shape.record_count();
        if census.integers == rows && level == Level::Shared && shape.is_in_order {
            if let Some((first, second)) = template::run(json, shape.column(column)) {
                return ColumnForm::Run { first, second };
            }
        } else if census.records >= 2 && census.records + census.nulls == census.present {
            let is_record = |at: &u32| *at != ABSENT && is_record(json, *at as usize);
            let records: Vec<u32> = shape.column(column).filter(is_record).collect();
            if let Some(sub) = self.shape(json, &records, level) {
                let is_in_order = self.shapes[index].is_in_order;
                let is_nested = census.records == rows
                    && !(self.reader.may_refer_to_containers()
                        && self.shapes[sub].columns.len() >= 3
                        && prints.is_some_and(|prints| is_repetitive(json, &records, prints)));
                self.shapes[sub].is_in_order = is_nested && is_in_order;
                return if is_nested { ColumnForm::Nested(sub) } else { ColumnForm::Tuple(sub) };
            }
        } else if census.arrays > 0 && census.arrays == census.present {
            if let Some(records) = records_of_arrays(json, shape, column)
                && let Some(sub) = self.shape(json, &records, level)
            {
                return ColumnForm::List(sub);
            }
        } else if level == Level::Shared
            && census.strings >= 2
            && census.strings + census.nulls == census.present
        {
            let is_full = census.strings == rows;
            return template::text(json, shape, column, is_full, self.reader);
        }
        ColumnForm::Cell
    }
}

impl Census {
    fn of(json: &Json<'_>, shape: &TableShape<'_>, column: usize) -> Self {
        let mut census = Self::default();
        for at in shape.column(column).filter(|at| *at != ABSENT) {
            census.present += 1;
            match json.node(at as usize).kind {
                LexemeKind::Object => census.records += usize::from(json.count(at as usize) > 0),
                LexemeKind::Null => census.nulls += 1,
                LexemeKind::Array => census.arrays += 1,
                LexemeKind::String => census.strings += 1,
                LexemeKind::Integer => census.integers += 1,
                LexemeKind::Decimal | LexemeKind::True | LexemeKind::False | LexemeKind::Key => {}
            }
        }
        census
    }
}

/// The value that every record has in this column.
fn constant(json: &Json<'_>, shape: &TableShape<'_>, column: usize) -> Option<usize> {
    let mut cells = shape.column(column);
    let first = cells.next().filter(|at| *at != ABSENT)? as usize;
    let is_constant = cells.all(|at| at != ABSENT && json.same_value(at as usize, first));
    is_constant.then_some(first)
}

/// The records in all arrays of a column, if there are only records and at least two.
fn records_of_arrays(json: &Json<'_>, shape: &TableShape<'_>, column: usize) -> Option<Vec<u32>> {
    let mut records = Vec::new();
    for array in shape.column(column).filter(|at| *at != ABSENT) {
        for element in json.elements(array as usize) {
            if !is_record(json, element) {
                return None;
            }
            records.push(element as u32);
        }
    }
    (records.len() >= 2).then_some(records)
}

/// Do these objects repeat so often that references to whole objects are cheaper than their cells?
fn is_repetitive(json: &Json<'_>, records: &[u32], prints: &mut Fingerprints) -> bool {
    let mut seen = HashSet::new();
    let mut is_new = |at: &&u32| seen.insert(prints.of(json, **at as usize).hash);
    records.iter().filter(|at| is_new(at)).count() * 2 <= records.len()
}
