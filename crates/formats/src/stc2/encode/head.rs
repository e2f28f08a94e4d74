//! The header of a table: its columns, and what all rows have in common.

use super::super::plan::ColumnForm;
use super::{Frame, Writer, push_quoted};
use tokenforge_json::output::TextOutput;

impl Writer<'_, '_> {
    /// Columns from `column` on, up to the first that has an inside; or the end of the header.
    pub(super) fn columns(&mut self, shape: usize, column: usize, close: u8) {
        let plan = self.plan;
        for (index, column) in plan.shapes[shape].columns.iter().enumerate().skip(column) {
            if index > 0 {
                self.out.push(b' ');
            }
            self.key(column.key);
            if column.is_sparse {
                self.out.push(b'?');
            }
            let (open, sub, end) = match column.form {
                ColumnForm::Nested(sub) => (b'{', sub, b'}'),
                ColumnForm::Tuple(sub) => (b'(', sub, b')'),
                ColumnForm::List(sub) => (b'[', sub, b']'),
                ColumnForm::Constant(value) => {
                    self.out.push(b':');
                    self.stack.push(Frame::Columns { shape, column: index + 1, close });
                    return self.value(value);
                }
                ColumnForm::Cell => continue,
                ColumnForm::Run { first, second } => {
                    self.signs.run = true;
                    self.out.push_str(&format!("={first},{second}.."));
                    continue;
                }
                ColumnForm::Text { prefix, suffix } => {
                    self.signs.text = true;
                    template(&mut self.out, prefix, "*", suffix);
                    continue;
                }
                ColumnForm::Derived { prefix, from, suffix } => {
                    let source = self.json.unquoted(plan.shapes[shape].columns[from].key);
                    template(&mut self.out, prefix, source, suffix);
                    continue;
                }
            };
            self.out.push(open);
            self.stack.push(Frame::Columns { shape, column: index + 1, close });
            self.stack.push(Frame::Columns { shape: sub, column: 0, close: end });
            return;
        }
        self.out.push(close);
    }
}

/// `="prefix"+source+"suffix"`, without what is empty.
fn template(out: &mut TextOutput, prefix: &str, source: &str, suffix: &str) {
    out.push(b'=');
    if !prefix.is_empty() {
        push_quoted(out, prefix);
        out.push(b'+');
    }
    out.push_str(source);
    if !suffix.is_empty() {
        out.push(b'+');
        push_quoted(out, suffix);
    }
}
