//! Rows: cells between the pieces of a template.

use super::template::RowTemplate;
use super::token::{COLON, LineView, TokenStop};
use super::write::{self, is_literal};
use std::ops::Range;
use tokenforge_json::error::{Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// The cells of a line, written one by one.
///
/// What stands between two cells has a quote at both ends. The quotes are used by bare strings,
/// which most cells are, and left out otherwise: so a cell is two copies, no more.
pub(super) struct RowCells<'t> {
    view: LineView<'t>,
    at: usize,
    /// The class of the delimiter.
    delimiter: u8,
    /// How much of the next piece to leave out: nothing while a string lacks its closing quote.
    skip: usize,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowPlace {
    /// It opens the array.
    First,
    /// Another row is before it.
    Later,
    /// A key is before it.
    Entry,
}

impl<'t> RowCells<'t> {
    #[inline]
    pub(super) fn new(view: LineView<'t>, at: usize, delimiter: u8) -> Self {
        Self { view, at, delimiter, skip: 1 }
    }

    /// Writes the piece `json[piece]` and the next cell, which ends at `stop`.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        out: &mut TextOutput,
        json: &[u8],
        piece: Range<usize>,
        stop: TokenStop,
    ) -> Result<(), Fault> {
        let start = self.view.skip_spaces(self.at);
        let left = piece.start + self.skip;
        self.skip = 1;
        if self.view.byte(start) == Some(b'"') {
            out.copy(json, left, piece.end - 1);
            let close = write::quoted_token(out, self.view, start)?;
            self.at = self.view.skip_spaces(close);
            if self.at < self.view.end() && self.view.class(self.at) & self.delimiter == 0 {
                return Err(Fault::expected("a delimiter after the closing quote", self.at));
            }
            return Ok(());
        }
        let token = self.view.token(start, stop);
        self.at = token.end;
        let cell = self.view.trimmed(token);
        if is_literal(self.view, cell) {
            out.copy(json, left, piece.end - 1);
            out.copy(self.view.text, cell.start, cell.end);
        } else if cell.escapes {
            out.copy(json, left, piece.end - 1);
            write::bare_token(out, self.view, cell);
        } else {
            out.copy(json, left, piece.end);
            out.copy(self.view.text, cell.start, cell.end);
            self.skip = 0;
        }
        Ok(())
    }

    /// Steps over the delimiter; false at the end of the line.
    #[inline]
    pub(super) fn more(&mut self) -> bool {
        let more = self.at < self.view.end();
        self.at += usize::from(more);
        more
    }

    /// Writes what follows the last cell. Like a piece it starts with a quote.
    #[inline]
    pub(super) fn close(self, out: &mut TextOutput, json: &[u8], closing: Range<usize>) {
        out.copy(json, closing.start + self.skip, closing.end);
    }
}

impl RowTemplate<'_> {
    /// Writes the row whose cells start at `start`.
    #[inline]
    pub(super) fn row(
        &self,
        out: &mut TextOutput,
        view: LineView<'_>,
        start: usize,
        place: RowPlace,
    ) -> Result<(), Fault> {
        if place == RowPlace::First {
            out.push(b'[');
        }
        if self.is_rearranged() {
            return self.rearranged_row(out, view, start, place);
        }
        let mut cells = RowCells::new(view, start, self.delimiter());
        cells.skip = lead(place);
        let mut stop = self.first_stop(place);
        let mut is_first = true;
        let mut has_cell = start < view.end();
        for piece in self.pieces() {
            if !has_cell {
                return Err(self.width_fault(view, start));
            }
            cells.write(out, self.json(), piece, stop)?;
            if is_first {
                self.check_first(&cells, place)?;
                stop = TokenStop::cell(self.delimiter());
                is_first = false;
            }
            has_cell = cells.more();
        }
        if has_cell {
            return Err(self.width_fault(view, start));
        }
        cells.close(out, self.json(), self.closing());
        Ok(())
    }

    /// Writes a row of a table with duplicate field names, where some cells are not shown.
    #[cold]
    fn rearranged_row(
        &self,
        out: &mut TextOutput,
        view: LineView<'_>,
        start: usize,
        place: RowPlace,
    ) -> Result<(), Fault> {
        let mut values = TextOutput::default();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut at = start;
        let mut stop = self.first_stop(place);
        let mut has_cell = start < view.end();
        while has_cell {
            let mut cells = RowCells::new(view, at, self.delimiter());
            let from = values.len();
            cells.write(&mut values, b"\"\"", 0..2, stop)?;
            if ranges.is_empty() {
                self.check_first(&cells, place)?;
                stop = TokenStop::cell(self.delimiter());
            }
            has_cell = cells.more();
            at = cells.at;
            cells.close(&mut values, b"\"", 0..1);
            ranges.push(from..values.len());
        }
        if ranges.len() != self.width() {
            return Err(self.width_fault(view, start));
        }
        let mut skip = lead(place);
        for (piece, &cell) in self.pieces().zip(self.cells()) {
            out.copy(self.json(), piece.start + skip, piece.end - 1);
            out.push_bytes(&values.bytes()[ranges[cell].clone()]);
            skip = 1;
        }
        out.push_bytes(&self.json()[self.closing()][1..]);
        Ok(())
    }

    /// A colon in the first cell means that the line is no row, unless a key was before it.
    #[inline]
    fn first_stop(&self, place: RowPlace) -> TokenStop {
        match place {
            RowPlace::Entry => TokenStop::cell(self.delimiter()),
            RowPlace::First | RowPlace::Later => TokenStop::cell_or_colon(self.delimiter()),
        }
    }

    #[inline]
    fn check_first(&self, cells: &RowCells<'_>, place: RowPlace) -> Result<(), Fault> {
        if place != RowPlace::Entry && cells.view.class(cells.at) == COLON {
            return Err(Fault::expected("a row of the table", cells.at));
        }
        Ok(())
    }

    #[cold]
    fn width_fault(&self, view: LineView<'_>, start: usize) -> Fault {
        let mut found = usize::from(start < view.end());
        let stop = TokenStop::cell(self.delimiter());
        let mut at = view.token(start, stop).end;
        while at < view.end() {
            found += 1;
            at = view.token(at + 1, stop).end;
        }
        let problem = FaultKind::Count { of: "cells", declared: self.width(), found };
        Fault::new(problem, start)
    }
}

/// How much of the first piece is left out: its quote and, when no row is before it, the comma.
fn lead(place: RowPlace) -> usize {
    if place == RowPlace::Later { 1 } else { 2 }
}
