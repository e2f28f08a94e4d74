//! Rows, and records in cells: each is the steps of its shape.

use super::columns::in_bounds;
use super::shape::{OutputSpan, RowShape, RowStep, TextSpan};
use super::value::NO_ANCHOR;
use super::{Columns, Frame, Progress, Stc2Decoder};
use crate::lexeme;
use tokenforge_json::error::{Fault, FaultKind};

impl Stc2Decoder<'_> {
    /// Begins the next row; or ends the table.
    pub(super) fn rows(
        &mut self,
        left: usize,
        count: usize,
        is_map: bool,
        anchor: usize,
    ) -> Result<(), Fault> {
        if left == 0 {
            self.out.push(if is_map { b'}' } else { b']' });
            self.leave(Columns::Table.depth());
            self.shapes.clear();
            self.end(anchor);
            return self.check_output();
        }
        if self.peek() != Some(b'\n') {
            let problem = FaultKind::Count { of: "rows", declared: count, found: count - left };
            return Err(Fault::new(problem, self.at));
        }
        self.at += 1;
        if left < count {
            self.out.push(b',');
        }
        self.replace(Frame::Rows { left: left - 1, count, is_map, anchor });
        if is_map {
            self.key()?;
            self.expect(b':', "`:` after the key")?;
        }
        self.begin_record(0);
        Ok(())
    }

    fn begin_record(&mut self, shape: usize) {
        self.out.push(b'{');
        self.stack.push(Frame::Record { shape, op: 0, is_first: true, start: None });
    }

    /// Steps up to the first cell that has an inside; or the end of the record.
    pub(super) fn record(
        &mut self,
        index: usize,
        op: usize,
        is_first: bool,
        start: Option<usize>,
    ) -> Result<(), Fault> {
        // Out of the list for as long as its steps are followed, which saves looking it up for each.
        let mut shape = std::mem::take(&mut self.shapes[index]);
        let progress = self.steps(&mut shape, index, op, is_first, start);
        self.shapes[index] = shape;
        if progress? == Progress::Complete {
            self.out.push(b'}');
            self.stack.pop();
        }
        self.check_output()
    }

    fn steps(
        &mut self,
        shape: &mut RowShape,
        index: usize,
        mut op: usize,
        mut is_first: bool,
        start: Option<usize>,
    ) -> Result<Progress, Fault> {
        if let Some(start) = start {
            shape.last[op] = Some(OutputSpan { start, end: self.out.len() });
            op += 1;
        }
        while let Some(&step) = shape.ops.get(op) {
            let Some((key, is_sparse)) = step.cell() else {
                self.step_without_cell(shape, op, step)?;
                op += 1;
                continue;
            };
            if !is_first {
                self.expect(b' ', "a space and the next cell")?;
            }
            is_first = false;
            let byte = self.peek();
            if byte == Some(b'-') && self.is_mark() {
                if !is_sparse {
                    return Err(Fault::expected("a cell: no row lacks this column", self.at));
                }
                self.at += 1;
                shape.last[op] = None;
                op += 1;
                continue;
            }
            self.write_key(shape, key);
            let start = self.out.len();
            if byte == Some(b'^') && self.is_mark() {
                self.ditto(shape.last[op])?;
            } else if let RowStep::Text { prefix, suffix, .. } = step {
                self.text(shape, prefix, suffix)?;
            } else if let Some(b'{' | b'[' | b'(' | b'&') = byte {
                self.replace(Frame::Record { shape: index, op, is_first, start: Some(start) });
                let progress = match byte {
                    Some(b'&') => self.anchored(Some(step))?,
                    _ => self.bracket(Some(step), NO_ANCHOR)?,
                };
                if progress == Progress::Begun {
                    return Ok(Progress::Begun);
                }
            } else {
                self.value()?;
            }
            shape.last[op] = Some(OutputSpan { start, end: self.out.len() });
            op += 1;
        }
        Ok(Progress::Complete)
    }

    /// What a row does not spell.
    fn step_without_cell(
        &mut self,
        shape: &mut RowShape,
        op: usize,
        step: RowStep,
    ) -> Result<(), Fault> {
        match step {
            RowStep::Constant { member } => {
                self.check_room(member.len())?;
                self.write_key(shape, member);
            }
            RowStep::Open { key } => {
                self.write_key(shape, key);
                self.out.push(b'{');
                self.enter(1)?;
            }
            RowStep::Close => {
                self.out.push(b'}');
                self.leave(1);
            }
            RowStep::Run { key, next, step } => {
                if !in_bounds(next) {
                    return Err(Fault::expected("a run that stays below 2^53", self.at));
                }
                self.write_key(shape, key);
                self.out.push_integer(next);
                let next = next.saturating_add(step);
                shape.ops[op] = RowStep::Run { key, next, step };
            }
            RowStep::Derived { key, prefix, from, suffix } => {
                let source = shape.last[from as usize];
                let is_text = |made: &OutputSpan| self.out.bytes()[made.start] == b'"';
                let Some(source) = source.filter(is_text) else {
                    return Err(Fault::expected("a string in the column of the template", self.at));
                };
                self.check_room(source.end - source.start + prefix.len() + suffix.len())?;
                self.write_key(shape, key);
                let start = self.out.len();
                self.out.push(b'"');
                self.write_text(shape, prefix);
                self.out.repeat(source.start + 1, source.end - 1);
                self.write_text(shape, suffix);
                self.out.push(b'"');
                shape.last[op] = Some(OutputSpan { start, end: self.out.len() });
            }
            RowStep::Cell { .. }
            | RowStep::Text { .. }
            | RowStep::Tuple { .. }
            | RowStep::List { .. } => {}
        }
        Ok(())
    }

    /// The same value as in the record before.
    fn ditto(&mut self, last: Option<OutputSpan>) -> Result<(), Fault> {
        let Some(OutputSpan { start, end }) = last else {
            return Err(Fault::expected("a cell: there is none above to repeat", self.at));
        };
        self.check_room(end - start)?;
        self.at += 1;
        self.out.repeat(start, end);
        Ok(())
    }

    /// A string between the prefix and the suffix of its column, or null.
    fn text(&mut self, shape: &RowShape, prefix: TextSpan, suffix: TextSpan) -> Result<(), Fault> {
        let is_quoted = self.peek() == Some(b'"');
        let start = self.at;
        let end = if is_quoted {
            lexeme::string(self.bytes, start)?.0
        } else {
            lexeme::bare(self.bytes, start)
        };
        match &self.bytes[start..end] {
            b"" | b"|" | [b'&' | b'*', ..] => return Err(Fault::expected("a text", start)),
            b"null" => self.out.push_str("null"),
            _ => {
                let quote = usize::from(is_quoted);
                self.out.push(b'"');
                self.write_text(shape, prefix);
                self.out.copy(self.bytes, start + quote, end - quote);
                self.write_text(shape, suffix);
                self.out.push(b'"');
            }
        }
        self.at = end;
        self.check_output()
    }

    pub(super) fn begin_tuple(&mut self, shape: usize, anchor: usize) -> Result<Progress, Fault> {
        self.enter(Columns::Tuple.depth())?;
        self.at += 1;
        self.stack.push(Frame::Tuple { anchor });
        self.begin_record(shape);
        Ok(Progress::Begun)
    }

    pub(super) fn end_tuple(&mut self, anchor: usize) -> Result<(), Fault> {
        self.expect(b')', "`)` after the last cell")?;
        self.leave(Columns::Tuple.depth());
        self.end(anchor);
        Ok(())
    }

    pub(super) fn begin_list(&mut self, shape: usize, anchor: usize) -> Result<Progress, Fault> {
        self.enter(Columns::List.depth())?;
        self.at += 1;
        self.out.push(b'[');
        self.stack.push(Frame::List { shape, anchor });
        if self.peek() == Some(b']') {
            self.end_list(anchor)?;
            return Ok(Progress::Complete);
        }
        self.begin_record(shape);
        Ok(Progress::Begun)
    }

    /// Begins the next record of a list; or ends the list.
    pub(super) fn list(&mut self, shape: usize, anchor: usize) -> Result<(), Fault> {
        if self.bytes[self.at..].starts_with(b" | ") {
            self.at += 3;
            self.out.push(b',');
            self.begin_record(shape);
            return Ok(());
        }
        match self.peek() {
            Some(b']') => self.end_list(anchor),
            _ => Err(Fault::expected("` | ` or `]` after the last cell", self.at)),
        }
    }

    fn end_list(&mut self, anchor: usize) -> Result<(), Fault> {
        self.at += 1;
        self.out.push(b']');
        self.leave(Columns::List.depth());
        self.end(anchor);
        self.check_output()
    }

    /// Is this cell one character and nothing more?
    #[inline]
    fn is_mark(&self) -> bool {
        let next = self.bytes.get(self.at + 1);
        next.is_none_or(|next| *next <= b' ' || matches!(next, b')' | b']' | b'}'))
    }

    /// A comma where one is needed, and a part of the text of the shape.
    #[inline]
    fn write_key(&mut self, shape: &RowShape, key: TextSpan) {
        if self.out.last() != Some(b'{') {
            self.out.push(b',');
        }
        self.write_text(shape, key);
    }

    #[inline]
    fn write_text(&mut self, shape: &RowShape, text: TextSpan) {
        self.out.copy(shape.text.bytes(), text.start(), text.end());
    }
}

impl RowStep {
    /// The key of a step that has a cell in each row, and whether rows may lack it.
    #[inline]
    fn cell(self) -> Option<(TextSpan, bool)> {
        match self {
            Self::Cell { key, is_sparse }
            | Self::Text { key, is_sparse, .. }
            | Self::Tuple { key, is_sparse, .. }
            | Self::List { key, is_sparse, .. } => Some((key, is_sparse)),
            _ => None,
        }
    }
}
