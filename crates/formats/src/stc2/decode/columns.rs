//! Headers: columns, and what their cells have in common.

use super::shape::{RowShape, RowStep, TextSpan};
use super::{ColumnPlace, Columns, Frame, Progress, Stc2Decoder, write_key};
use crate::lexeme;
use std::collections::HashMap;
use tokenforge_json::error::Fault;

/// The largest number of a run, 2^53 - 1: every language computes up to it exactly.
const MAX_NUMBER: i64 = (1 << 53) - 1;

impl<'a> Stc2Decoder<'a> {
    pub(super) fn begin_columns(&mut self, shape: usize, kind: Columns) {
        self.names.push(HashMap::new());
        self.stack.push(Frame::Columns { shape, kind, place: ColumnPlace::Start });
    }

    /// Columns up to the first that has an inside; or the end of the list.
    pub(super) fn columns(
        &mut self,
        shape: usize,
        kind: Columns,
        mut place: ColumnPlace,
    ) -> Result<(), Fault> {
        loop {
            if let ColumnPlace::BehindConstant { key, value } = place {
                self.end_constant(shape, key, value);
            }
            if !matches!(place, ColumnPlace::Start) {
                match self.peek() {
                    Some(b' ') => self.at += 1,
                    Some(byte) if byte == kind.close() => {
                        self.end_columns(shape, kind);
                        return Ok(());
                    }
                    _ => return Err(Fault::expected("a space or the end of the columns", self.at)),
                }
            }
            place = ColumnPlace::BehindColumn;
            self.replace(Frame::Columns { shape, kind, place });
            if self.column(shape, kind)? == Progress::Begun {
                return Ok(());
            }
        }
    }

    fn column(&mut self, index: usize, kind: Columns) -> Result<Progress, Fault> {
        let (start, end, is_bare) = self.key_lexeme()?;
        let shape = &mut self.shapes[index];
        let key_start = shape.text.len();
        write_key(&mut shape.text, self.bytes, start, end, is_bare);
        let key = TextSpan::new(key_start, shape.text.len());
        if is_bare && let Some(names) = self.names.last_mut() {
            names.insert(&self.text[start..end], shape.ops.len());
        }
        let is_sparse = self.peek() == Some(b'?');
        self.at += usize::from(is_sparse);
        match self.peek() {
            Some(b'(') => {
                let sub = self.sub_shape(Columns::Tuple)?;
                self.shapes[index].push(RowStep::Tuple { key, is_sparse, shape: sub as u32 });
                Ok(Progress::Begun)
            }
            Some(b'[') => {
                let sub = self.sub_shape(Columns::List)?;
                self.shapes[index].push(RowStep::List { key, is_sparse, shape: sub as u32 });
                Ok(Progress::Begun)
            }
            Some(b'=') => self.template(index, key, is_sparse),
            Some(b'{' | b':') if is_sparse => {
                Err(Fault::expected("no `?` before `{` or `:`", self.at))
            }
            Some(b'{') => {
                self.enter(1)?;
                self.at += 1;
                self.shapes[index].push(RowStep::Open { key });
                self.begin_columns(index, Columns::Nested);
                Ok(Progress::Begun)
            }
            Some(b':') => {
                self.at += 1;
                let place = ColumnPlace::BehindConstant { key: key.start(), value: self.out.len() };
                self.replace(Frame::Columns { shape: index, kind, place });
                self.value()?;
                Ok(Progress::Begun)
            }
            _ => {
                self.shapes[index].push(RowStep::Cell { key, is_sparse });
                Ok(Progress::Complete)
            }
        }
    }

    /// Begins the columns of records inside of cells.
    fn sub_shape(&mut self, kind: Columns) -> Result<usize, Fault> {
        self.enter(kind.depth())?;
        self.at += 1;
        self.shapes.push(RowShape::default());
        let sub = self.shapes.len() - 1;
        self.begin_columns(sub, kind);
        Ok(sub)
    }

    fn end_columns(&mut self, shape: usize, kind: Columns) {
        self.at += 1;
        self.stack.pop();
        self.names.pop();
        match kind {
            Columns::Nested => self.shapes[shape].push(RowStep::Close),
            Columns::Table | Columns::Tuple | Columns::List => self.shapes[shape].text.pad(),
        }
        match kind {
            Columns::Table => self.is_in_header = false,
            Columns::Nested | Columns::Tuple | Columns::List => self.leave(kind.depth()),
        }
    }

    /// Takes the constant that was just read back from the output and puts it behind its key.
    fn end_constant(&mut self, shape: usize, key: usize, value: usize) {
        let shape = &mut self.shapes[shape];
        shape.text.push_bytes(&self.out.bytes()[value..]);
        self.out.truncate(value);
        shape.push(RowStep::Constant { member: TextSpan::new(key, shape.text.len()) });
    }

    /// `=1,2..`, `=*`, `=name`, with texts before and behind.
    fn template(
        &mut self,
        index: usize,
        key: TextSpan,
        is_sparse: bool,
    ) -> Result<Progress, Fault> {
        self.at += 1;
        if !is_sparse && matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            let op = self.run(key)?;
            self.shapes[index].push(op);
            return Ok(Progress::Complete);
        }
        let prefix = self.piece(index)?;
        if prefix.len() > 0 {
            self.expect(b'+', "`+` behind the text")?;
        }
        let source = self.at;
        let from = if self.peek() == Some(b'*') {
            self.at += 1;
            None
        } else {
            self.at = lexeme::identifier(self.bytes, source)?;
            let name = &self.text[source..self.at];
            let from = self.names.last().and_then(|names| names.get(name)).copied();
            let from = from.filter(|from| *from < self.shapes[index].ops.len() && !is_sparse);
            Some(from.ok_or_else(|| Fault::expected("an earlier column", source))?)
        };
        let mut suffix = TextSpan::new(0, 0);
        if self.peek() == Some(b'+') {
            self.at += 1;
            suffix = self.piece(index)?;
            if suffix.len() == 0 {
                return Err(Fault::expected("a text behind `+`", self.at));
            }
        }
        self.shapes[index].push(match from {
            None => RowStep::Text { key, is_sparse, prefix, suffix },
            Some(from) => RowStep::Derived { key, prefix, from: from as u32, suffix },
        });
        Ok(Progress::Complete)
    }

    /// A quoted text, or nothing.
    fn piece(&mut self, index: usize) -> Result<TextSpan, Fault> {
        let text = &mut self.shapes[index].text;
        let start = text.len();
        if self.bytes.get(self.at) == Some(&b'"') {
            let (end, _) = lexeme::string(self.bytes, self.at)?;
            text.push_bytes(&self.bytes[self.at + 1..end - 1]);
            self.at = end;
        }
        Ok(TextSpan::new(start, text.len()))
    }

    /// `1,2..`
    fn run(&mut self, key: TextSpan) -> Result<RowStep, Fault> {
        let first = self.integer()?;
        self.expect(b',', "`,` and the second number")?;
        let second = self.integer()?;
        self.expect(b'.', "`..` behind the second number")?;
        self.expect(b'.', "`..` behind the second number")?;
        Ok(RowStep::Run { key, next: first, step: second - first })
    }

    fn integer(&mut self) -> Result<i64, Fault> {
        let start = self.at;
        let digits = start + usize::from(self.peek() == Some(b'-'));
        let end = lexeme::digits(self.bytes, digits);
        let number = self.text[start..end].parse().ok();
        let is_canonical = self.bytes.get(digits) != Some(&b'0') || end == start + 1;
        match number.filter(|number| is_canonical && in_bounds(*number)) {
            Some(number) => {
                self.at = end;
                Ok(number)
            }
            None => Err(Fault::expected("an integer below 2^53", start)),
        }
    }

    /// Changes the innermost frame.
    pub(super) fn replace(&mut self, frame: Frame) {
        if let Some(last) = self.stack.last_mut() {
            *last = frame;
        }
    }
}

/// Can a run have this number?
pub(super) fn in_bounds(number: i64) -> bool {
    (-MAX_NUMBER..=MAX_NUMBER).contains(&number)
}

impl Columns {
    fn close(self) -> u8 {
        match self {
            Self::Table | Self::Nested => b'}',
            Self::Tuple => b')',
            Self::List => b']',
        }
    }

    /// How many levels deeper its records are.
    pub(super) fn depth(self) -> usize {
        match self {
            Self::Table | Self::List => 2,
            Self::Nested | Self::Tuple => 1,
        }
    }
}
