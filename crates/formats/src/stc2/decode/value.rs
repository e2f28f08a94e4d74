//! Values: bare words, strings, the beginning of containers, numbers given and references to them.

use super::shape::{RowShape, RowStep};
use super::{Anchor, Columns, Frame, Progress, Stc2Decoder};
use crate::lexeme;
use tokenforge_json::error::Fault;

/// In place of the index of an anchor: none.
pub(super) const NO_ANCHOR: usize = usize::MAX;

impl Stc2Decoder<'_> {
    /// Reads a scalar or a reference, or begins a container.
    #[inline]
    pub(super) fn value(&mut self) -> Result<Progress, Fault> {
        match self.peek() {
            Some(b'"') => {
                let (end, _) = lexeme::string(self.bytes, self.at)?;
                self.out.copy(self.bytes, self.at, end);
                self.at = end;
                self.check_output()?;
                Ok(Progress::Complete)
            }
            Some(b'{' | b'[') => self.container(NO_ANCHOR),
            Some(b'&') => self.anchored(None),
            Some(b'*') => self.reference(),
            _ => self.bare(),
        }
    }

    /// A word without quotes: a literal, a number or a string.
    #[inline]
    fn bare(&mut self) -> Result<Progress, Fault> {
        let start = self.at;
        if let Some(b'-' | b'0'..=b'9') = self.peek()
            && let Ok((end, _)) = lexeme::number(self.bytes, start)
            && self.bytes.get(end).is_none_or(|next| is_stop(*next))
        {
            self.out.copy(self.bytes, start, end);
            self.at = end;
            self.check_output()?;
            return Ok(Progress::Complete);
        }
        let end = lexeme::bare(self.bytes, start);
        let is_verbatim = match &self.bytes[start..end] {
            b"" | b"-" | b"^" | b"|" => return Err(Fault::expected("a value", start)),
            b"true" | b"false" | b"null" => true,
            _ => false,
        };
        self.at = end;
        if is_verbatim {
            self.out.copy(self.bytes, start, end);
        } else {
            self.out.push(b'"');
            self.out.copy(self.bytes, start, end);
            self.out.push(b'"');
        }
        self.check_output()?;
        Ok(Progress::Complete)
    }

    /// Begins the container at hand; an empty one is complete.
    pub(super) fn container(&mut self, anchor: usize) -> Result<Progress, Fault> {
        let is_map = self.peek() == Some(b'{');
        if let Some((count, columns)) = self.table_header() {
            return self.table(count, columns, is_map, anchor);
        }
        self.enter(1)?;
        self.at += 1;
        let (open, close) = if is_map { (b'{', b'}') } else { (b'[', b']') };
        self.out.push(open);
        self.stack.push(if is_map { Frame::Object { anchor } } else { Frame::Array { anchor } });
        if self.peek() == Some(close) {
            self.close(close, anchor)?;
            return Ok(Progress::Complete);
        }
        self.check_output()?;
        Ok(Progress::Begun)
    }

    /// The count and the offset of the columns, if a table starts here: `[N]{` or `{N}{`.
    fn table_header(&self) -> Option<(usize, usize)> {
        let start = self.at + 1;
        if !matches!(self.bytes.get(start), Some(b'1'..=b'9')) {
            return None;
        }
        let end = lexeme::digits(self.bytes, start);
        let close = if self.bytes[self.at] == b'{' { b'}' } else { b']' };
        if self.bytes[end..].first_chunk() != Some(&[close, b'{']) {
            return None;
        }
        Some((number(&self.bytes[start..end]), end + 2))
    }

    fn table(
        &mut self,
        count: usize,
        columns: usize,
        is_map: bool,
        anchor: usize,
    ) -> Result<Progress, Fault> {
        if !self.shapes.is_empty() {
            return Err(Fault::expected("no table inside a table", self.at));
        }
        self.enter(2)?;
        self.at = columns;
        self.shapes.push(RowShape::default());
        self.out.push(if is_map { b'{' } else { b'[' });
        self.stack.push(Frame::Rows { left: count, count, is_map, anchor });
        self.begin_columns(0, Columns::Table);
        self.is_in_header = true;
        Ok(Progress::Begun)
    }

    /// `&N` and a quoted string, which more text may follow, or a container, or what only this cell can have.
    pub(super) fn anchored(&mut self, cell: Option<RowStep>) -> Result<Progress, Fault> {
        let (number, end) = self.number_behind_mark()?;
        let index = self.anchors.len();
        if number != index + 1 {
            return Err(Fault::expected("the next number after `&`", self.at));
        }
        self.at = end;
        let is_text = self.peek() == Some(b'"');
        let start = self.out.len() + usize::from(is_text);
        self.anchors.push(Anchor { start, end: 0, is_text });
        if !is_text {
            return self.bracket(cell, index);
        }
        let (end, _) = lexeme::string(self.bytes, self.at)?;
        self.out.copy(self.bytes, self.at, end - 1);
        self.at = end;
        self.complete(index);
        self.tail()
    }

    /// Begins what a bracket begins; a cell of records has its own.
    pub(super) fn bracket(
        &mut self,
        cell: Option<RowStep>,
        anchor: usize,
    ) -> Result<Progress, Fault> {
        match (cell, self.peek()) {
            (Some(RowStep::Tuple { shape, .. }), Some(b'(')) => {
                self.begin_tuple(shape as usize, anchor)
            }
            (Some(RowStep::List { shape, .. }), Some(b'[')) => {
                self.begin_list(shape as usize, anchor)
            }
            (_, Some(b'{' | b'[')) => self.container(anchor),
            _ => Err(Fault::expected("a quoted string or a bracket", self.at)),
        }
    }

    /// `*N`, which more text may follow if it refers to a string.
    fn reference(&mut self) -> Result<Progress, Fault> {
        let (number, end_of_number) = self.number_behind_mark()?;
        let anchor = number.checked_sub(1).and_then(|index| self.anchors.get(index));
        let Some(&Anchor { start, end, is_text }) = anchor.filter(|anchor| anchor.end > 0) else {
            return Err(Fault::expected("the number of a value that was read before", self.at));
        };
        self.at = end_of_number;
        self.check_room(end - start)?;
        if !is_text {
            self.out.repeat(start, end);
            return Ok(Progress::Complete);
        }
        self.out.push(b'"');
        self.out.repeat(start, end);
        self.tail()
    }

    /// What is added to a shared string, bare or quoted, and the quote that ends it.
    fn tail(&mut self) -> Result<Progress, Fault> {
        match self.peek() {
            Some(b'"') => {
                let (end, _) = lexeme::string(self.bytes, self.at)?;
                self.out.copy(self.bytes, self.at + 1, end - 1);
                self.at = end;
            }
            // Mostly nothing is added.
            Some(byte) if is_stop(byte) => {}
            _ => {
                let end = lexeme::bare(self.bytes, self.at);
                self.out.copy(self.bytes, self.at, end);
                self.at = end;
            }
        }
        self.out.push(b'"');
        self.check_output()?;
        Ok(Progress::Complete)
    }

    /// The number behind the mark at hand, which no header may have, and the offset behind it.
    fn number_behind_mark(&self) -> Result<(usize, usize), Fault> {
        if self.is_in_header {
            return Err(Fault::expected("a value without references in a header", self.at));
        }
        let start = self.at + 1;
        match self.bytes.get(start) {
            Some(b'1'..=b'9') => {
                let end = lexeme::digits(self.bytes, start);
                Ok((number(&self.bytes[start..end]), end))
            }
            _ => Err(Fault::expected("a number from 1 up", start)),
        }
    }
}

/// Does a bare word end before this byte?
fn is_stop(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\\' | b'(' | b')' | b'[' | b']' | b'{' | b'}')
}

/// The value of digits; too large a number is the largest one, which nothing has.
fn number(digits: &[u8]) -> usize {
    digits.iter().fold(0usize, |number, digit| {
        number.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    })
}
