//! The rows of a table, and the records in its cells.

use super::super::cost::cost_behind_space;
use super::super::plan::{ABSENT, ColumnForm};
use super::super::spell;
use super::{Frame, Writer};
use std::ops::Range;
use tokenforge_json::tape::LexemeKind;

impl Writer<'_, '_> {
    /// One row and what follows it; or the end of the table.
    pub(super) fn rows(&mut self, shape: usize, next: usize, left: usize, is_map: bool) {
        self.is_in_header = false;
        if left == 0 {
            self.is_behind_table = true;
            return;
        }
        self.out.push(b'\n');
        let mut object = next;
        if is_map {
            self.key(next);
            self.out.push(b':');
            object += 1;
        }
        let next = self.json.next(object);
        self.stack.push(Frame::Rows { shape, next, left: left - 1, is_map });
        self.record(shape, object);
    }

    /// Records of an array in a cell.
    pub(super) fn records(&mut self, shape: usize, next: usize, left: usize, is_first: bool) {
        if left == 0 {
            self.out.push(b']');
            self.is_first_cell = false;
            return;
        }
        if !is_first {
            self.out.push_str(" | ");
        }
        let (record, next) = (next, self.json.next(next));
        self.stack.push(Frame::Records { shape, next, left: left - 1, is_first: false });
        self.record(shape, record);
    }

    pub(super) fn end_tuple(&mut self) {
        self.out.push(b')');
        self.is_first_cell = false;
    }

    fn record(&mut self, shape: usize, object: usize) {
        self.is_first_cell = true;
        self.cells(shape, self.plan.record(object), 0);
    }

    /// Cells from `column` on, up to the first that has an inside; or the end of the record.
    pub(super) fn cells(&mut self, shape: usize, record: usize, column: usize) {
        let (plan, json) = (self.plan, self.json);
        let columns = &plan.shapes[shape].columns;
        for (index, column) in columns.iter().enumerate().skip(column) {
            let form = column.form;
            if !form.has_cells() {
                continue;
            }
            let cell = plan.shapes[shape].cell(record, index);
            let at = cell as usize;
            let rest = Frame::Cells { shape, record, column: index + 1 };
            if let ColumnForm::Nested(sub) = form {
                self.stack.push(rest);
                return self.cells_of_nested(sub, at);
            }
            self.separate_cell();
            let slot = plan.shapes[shape].first_column + index;
            let above = std::mem::replace(&mut self.last[slot], cell);
            if cell == ABSENT {
                self.out.push(b'-');
                self.signs.absent = true;
                continue;
            }
            let kind = json.node(at).kind;
            let sees_all = self.reader.may_ditto_unseen();
            let may_ditto = self.shares.is_some()
                && above != ABSENT
                && (sees_all || plan.shapes[shape].is_in_order && !kind.is_container());
            if may_ditto && self.is_ditto(above as usize, at, form) {
                self.out.push(b'^');
                self.signs.ditto = true;
                if !sees_all {
                    self.last[slot] = ABSENT;
                }
                continue;
            }
            self.is_written_out = true;
            match form {
                ColumnForm::Text { prefix, suffix } if kind == LexemeKind::String => {
                    self.text(at, prefix, suffix);
                }
                ColumnForm::Tuple(sub) if kind == LexemeKind::Object => {
                    self.stack.push(rest);
                    return self.tuple(sub, at);
                }
                ColumnForm::List(sub) if json.count(at) > 0 => {
                    self.stack.push(rest);
                    return self.list(sub, at);
                }
                _ if kind.is_container() => {
                    self.stack.push(rest);
                    return self.value(at);
                }
                _ => self.value(at),
            }
            if !sees_all && !self.is_written_out {
                self.last[slot] = ABSENT;
            }
        }
    }

    fn cells_of_nested(&mut self, shape: usize, object: usize) {
        let record = self.plan.record(object);
        self.stack.push(Frame::Cells { shape, record, column: 0 });
    }

    fn tuple(&mut self, shape: usize, object: usize) {
        if self.is_to_be_written(object) {
            self.out.push(b'(');
            self.stack.push(Frame::EndTuple);
            self.record(shape, object);
        }
    }

    fn list(&mut self, shape: usize, array: usize) {
        if self.is_to_be_written(array) {
            self.out.push(b'[');
            let (next, left) = (array + 1, self.json.count(array));
            self.stack.push(Frame::Records { shape, next, left, is_first: true });
        }
    }

    /// What stands between the prefix and the suffix of the column.
    fn text(&mut self, at: usize, prefix: &str, suffix: &str) {
        let (text, range) = (self.json.text(), self.between(at, prefix, suffix));
        if spell::is_bare_text(text.as_bytes(), range.clone()) {
            self.out.copy(text.as_bytes(), range.start, range.end);
        } else {
            super::push_quoted(&mut self.out, &text[range]);
        }
    }

    fn between(&self, at: usize, prefix: &str, suffix: &str) -> Range<usize> {
        let inside = self.json.inside(at);
        inside.start + prefix.len()..inside.end - suffix.len()
    }

    /// Is this cell the same as the one above, and longer than the mark that says so?
    fn is_ditto(&self, above: usize, at: usize, form: ColumnForm<'_>) -> bool {
        let json = self.json;
        json.same_value(above, at)
            && match json.node(at).kind {
                LexemeKind::Object | LexemeKind::Array => json.count(at) > 0,
                LexemeKind::String => {
                    let (text, range, is_bare) = match form {
                        ColumnForm::Text { prefix, suffix } => {
                            let range = self.between(at, prefix, suffix);
                            let text = json.text().as_bytes();
                            (text, range.clone(), spell::is_bare_text(text, range))
                        }
                        _ => (json.text().as_bytes(), json.inside(at), spell::is_bare(json, at)),
                    };
                    !is_bare || cost_behind_space(&text[range]) > 1
                }
                _ => cost_behind_space(json.raw(at).as_bytes()) > 1,
            }
    }

    #[inline]
    fn separate_cell(&mut self) {
        if !self.is_first_cell {
            self.out.push(b' ');
        }
        self.is_first_cell = false;
    }
}
