//! A terminal emulator of unlimited height and width: enough of one to know what is left of overwritten lines.

use super::{TerminalPiece, pieces};
use unicode_width::UnicodeWidthChar;

/// No terminal is higher: the cursor moves up by no more lines than this.
const MAX_HEIGHT: usize = 200;

/// No terminal is wider: the cursor jumps no further to the right than this.
const MAX_JUMP: usize = 256;

const TAB: usize = 8;

/// The lines so far and the cursor.
pub(super) struct Screen<'a> {
    rows: Vec<ScreenRow<'a>>,
    row: usize,
    column: usize,
    size: usize,
}

/// A line as it came, or played cell by cell.
struct ScreenRow<'a> {
    raw: &'a str,
    end: &'a str,
    cells: Option<Vec<ScreenCell<'a>>>,
    /// Cells written before the line was last erased count as blank.
    erased: u32,
}

/// One column of a line.
#[derive(Clone, Copy)]
struct ScreenCell<'a> {
    content: CellContent<'a>,
    written: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellContent<'a> {
    Blank,
    /// Starts with the character; combining marks may follow it.
    Char(&'a str),
    /// A further column of a wide character or a tab.
    Continued,
}

impl<'a> Screen<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rows: Vec::new(), row: 0, column: 0, size: text.len() }
    }

    /// Adds a line that needs no playing.
    pub(super) fn put(&mut self, line: &'a str) {
        self.row = self.rows.len();
        self.rows.push(ScreenRow { raw: line, end: "", cells: None, erased: 0 });
    }

    /// Plays a line from the cursor on.
    pub(super) fn play(&mut self, line: &'a str) {
        if self.row == self.rows.len() && !line.contains(['\r', '\u{8}', '\u{1b}', '\u{9b}']) {
            return self.put(line);
        }
        for piece in pieces(line) {
            match piece {
                TerminalPiece::Char(_, '\r') => self.column = 0,
                TerminalPiece::Char(_, '\u{8}') => self.column = self.column.saturating_sub(1),
                TerminalPiece::Char(at, c) => self.write(&line[at..], c),
                TerminalPiece::Control(last, parameter) => self.control(last, parameter),
            }
        }
    }

    /// Goes to the start of the next line.
    pub(super) fn end_line(&mut self, end: &'a str) {
        if end.is_empty() {
            return;
        }
        let row = self.current();
        if row.end.is_empty() {
            row.end = end;
        }
        self.row += 1;
        self.column = 0;
    }

    /// All lines, without the blanks that playing left at their ends.
    pub(super) fn visible_text(&self) -> String {
        let mut shown = String::with_capacity(self.size);
        for row in &self.rows {
            row.show(&mut shown);
            shown.push_str(row.end);
        }
        shown
    }

    fn control(&mut self, last: u8, parameter: Option<usize>) {
        let steps = parameter.unwrap_or(1).max(1);
        match last {
            b'A' | b'F' => self.row = self.row.saturating_sub(steps.min(MAX_HEIGHT)),
            b'B' | b'E' => self.row = self.row.saturating_add(steps).min(self.rows.len()),
            b'C' => self.column += steps.min(MAX_JUMP.saturating_sub(self.column)),
            b'D' => self.column = self.column.saturating_sub(steps),
            b'G' => self.column = (steps - 1).min(MAX_JUMP),
            b'J' if parameter.unwrap_or(0) == 0 => self.erase_below(),
            b'K' if self.row < self.rows.len() => {
                let column = self.column;
                self.current().erase(parameter.unwrap_or(0), column);
            }
            _ => {}
        }
        if matches!(last, b'E' | b'F') {
            self.column = 0;
        }
    }

    fn erase_below(&mut self) {
        if self.row < self.rows.len() {
            self.rows.truncate(self.row + 1);
            let column = self.column;
            let row = self.current();
            row.erase(0, column);
            row.end = "";
        }
    }

    fn write(&mut self, rest: &'a str, c: char) {
        let width = if c == '\t' { TAB - self.column % TAB } else { c.width().unwrap_or(0) };
        if width > 0 {
            let column = self.column;
            self.current().write(column, rest, width);
            self.column += width;
        }
    }

    /// The row under the cursor, which is made if there is none yet.
    fn current(&mut self) -> &mut ScreenRow<'a> {
        if self.row >= self.rows.len() {
            self.row = self.rows.len();
            if let Some(above) = self.rows.last_mut().filter(|above| above.end.is_empty()) {
                above.end = "\n";
            }
            self.rows.push(ScreenRow { raw: "", end: "", cells: None, erased: 0 });
        }
        &mut self.rows[self.row]
    }
}

impl<'a> ScreenRow<'a> {
    fn show(&self, shown: &mut String) {
        let Some(cells) = &self.cells else { return shown.push_str(self.raw) };
        let start = shown.len();
        let mut skips = false;
        for cell in cells {
            match cell.content {
                CellContent::Continued if cell.written == self.erased => continue,
                CellContent::Char(rest) if cell.written == self.erased => {
                    shown.push_str(with_marks(rest));
                    skips = false;
                }
                // One space tells of columns that the cursor skipped, however many.
                _ => {
                    shown.push_str(if skips { "" } else { " " });
                    skips = true;
                }
            }
        }
        shown.truncate(start + shown[start..].trim_end_matches(' ').len());
    }

    /// The cells, laid out from the raw line when they are first needed.
    fn cells(&mut self) -> &mut Vec<ScreenCell<'a>> {
        if self.cells.is_none() {
            self.cells = Some(Vec::with_capacity(self.raw.len()));
            let mut column = 0;
            for piece in pieces(self.raw) {
                let TerminalPiece::Char(at, c) = piece else { continue };
                let width = if c == '\t' { TAB - column % TAB } else { c.width().unwrap_or(0) };
                if width > 0 {
                    self.write(column, &self.raw[at..], width);
                    column += width;
                }
            }
        }
        self.cells.get_or_insert_default()
    }

    fn write(&mut self, column: usize, rest: &'a str, width: usize) {
        let written = self.erased;
        let blank = ScreenCell { content: CellContent::Blank, written };
        let cells = self.cells();
        let end = column + width;
        if cells.len() < end {
            cells.resize(end, blank);
        }
        break_wide(cells, column);
        break_wide(cells, end);
        cells[column] = ScreenCell { content: CellContent::Char(rest), written };
        cells[column + 1..end].fill(ScreenCell { content: CellContent::Continued, written });
    }

    /// Erases to the end of the line (0) or all of it (2). To the start (1) is too rare to be played.
    fn erase(&mut self, which: usize, column: usize) {
        match which {
            0 => {
                let cells = self.cells();
                break_wide(cells, column);
                cells.truncate(column);
            }
            2 => {
                self.cells();
                self.erased += 1;
            }
            _ => {}
        }
    }
}

/// A wide character that a write or an erasure cuts in two is gone: its columns before `column` and after become blank.
fn break_wide(cells: &mut [ScreenCell<'_>], column: usize) {
    if cells.get(column).is_none_or(|cell| cell.content != CellContent::Continued) {
        return;
    }
    let owner = cells[..column]
        .iter()
        .rposition(|cell| cell.content != CellContent::Continued)
        .unwrap_or(column);
    let end = column
        + cells[column..].iter().take_while(|cell| cell.content == CellContent::Continued).count();
    for cell in &mut cells[owner..end] {
        cell.content = CellContent::Blank;
    }
}

/// The first character with the combining marks after it.
fn with_marks(rest: &str) -> &str {
    let mut chars = rest.char_indices().skip(1);
    let end = chars.find(|(_, c)| c.width() != Some(0)).map_or(rest.len(), |(at, _)| at);
    &rest[..end]
}
