//! Tables: the columns are rendered once, and a row is copies of them and of its cells.

use super::StcDecoder;
use crate::lexeme;
use tokenforge_json::error::Fault;
use tokenforge_json::output::TextOutput;

/// What to write before each cell of a row: `{"first":`, `,"second":` ...
struct Columns {
    prefixes: TextOutput,
    /// Where each prefix ends.
    ends: Vec<usize>,
}

impl StcDecoder<'_> {
    /// The count and the offset of the columns, if a table starts here. `[2]` alone is an array.
    pub(super) fn table_header(&self) -> Option<(usize, usize)> {
        let end = lexeme::digits(self.bytes, self.at + 1);
        if !self.bytes[end..].starts_with(b"]{") {
            return None;
        }
        lexeme::count(self.bytes, self.at).ok()
    }

    /// The columns and rows of a table whose count has been read.
    pub(super) fn table(&mut self, count: usize) -> Result<(), Fault> {
        self.enter(2)?;
        let columns = self.columns()?;
        self.skip();
        self.colon("`:` after the columns")?;
        self.out.push(b'[');
        for row in 0..count {
            if row > 0 {
                self.separator(b'/', "rows", count, row)?;
                self.out.push(b',');
            }
            let mut start = 0;
            for (index, &end) in columns.ends.iter().enumerate() {
                if index > 0 {
                    self.separator(b',', "cells", columns.ends.len(), index)?;
                }
                self.out.copy(columns.prefixes.bytes(), start, end);
                self.value()?;
                start = end;
            }
            self.out.push(b'}');
        }
        self.leave(2);
        self.out.push(b']');
        Ok(())
    }

    fn columns(&mut self) -> Result<Columns, Fault> {
        let mut prefixes = TextOutput::with_capacity(64);
        let mut ends = Vec::new();
        self.advance();
        loop {
            prefixes.push(if ends.is_empty() { b'{' } else { b',' });
            self.key()?.write(&mut prefixes);
            ends.push(prefixes.len());
            self.skip();
            match self.peek() {
                Some(b',') => self.advance(),
                Some(b'}') => break,
                _ => return Err(Fault::expected("`,` or `}` after the column", self.at)),
            }
        }
        self.at += 1;
        prefixes.pad();
        Ok(Columns { prefixes, ends })
    }
}
