//! Text to lines: indentation becomes depth, comments and blank lines disappear.

use crate::lexeme::run;
use tokenforge_json::chunk::{self, Chunk};
use tokenforge_json::error::Fault;

/// A line with content, which is `start..end` in the text: no indentation, no trailing spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentLine {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) depth: usize,
    /// Where the last blank line between this line and the one before starts, else `NO_BLANK`.
    blank: usize,
}

const NO_BLANK: usize = usize::MAX;

impl ContentLine {
    /// The line without what is before `start`.
    pub(super) fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }
}

/// The lines of a text, one ahead.
#[derive(Debug)]
pub(super) struct ContentLines<'a> {
    text: &'a [u8],
    /// Where the line after `next` starts.
    at: usize,
    next: Option<ContentLine>,
    indent: usize,
    strict: bool,
    /// How many arrays and tables are being read that may not contain a blank line.
    spans: usize,
}

impl<'a> ContentLines<'a> {
    pub(super) fn new(text: &'a [u8], indent: usize, strict: bool) -> Result<Self, Fault> {
        let at = if text.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        let mut lines = Self { text, at, next: None, indent: indent.max(1), strict, spans: 0 };
        lines.read()?;
        Ok(lines)
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<ContentLine> {
        self.next
    }

    /// Goes on to the next line.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<(), Fault> {
        if let Some(line) = self.next
            && line.blank != NO_BLANK
            && self.spans > 0
            && self.strict
        {
            return Err(Fault::expected("no blank line inside an array or a table", line.blank));
        }
        self.read()
    }

    /// From here on blank lines are faults, until [`leave_span`](Self::leave_span).
    pub(super) fn enter_span(&mut self) {
        self.spans += 1;
    }

    pub(super) fn leave_span(&mut self) {
        self.spans -= 1;
    }

    /// Reads the next line that has content.
    #[inline]
    fn read(&mut self) -> Result<(), Fault> {
        let mut blank = NO_BLANK;
        while self.at < self.text.len() {
            let from = self.at;
            let rest = &self.text[from..];
            let length = run(rest, 0, |chunk| chunk::others(chunk.is(b'\n')));
            self.at = from + length + 1;
            let line = trimmed(&rest[..length]);
            let spaces = leading_spaces(rest);
            match line.get(spaces) {
                None => blank = from,
                Some(b'#') => {}
                Some(b'\t') => match self.tabbed(from, line)? {
                    Some(line) => {
                        self.next = Some(ContentLine { blank, ..line });
                        return Ok(());
                    }
                    None => blank = from,
                },
                Some(_) => {
                    let (start, end) = (from + spaces, from + line.len());
                    let depth = self.levels(spaces);
                    if self.strict && depth * self.indent != spaces {
                        return Err(Fault::expected("indentation by whole levels", start));
                    }
                    self.next = Some(ContentLine { start, end, depth, blank });
                    return Ok(());
                }
            }
        }
        self.next = None;
        Ok(())
    }

    #[inline]
    fn levels(&self, spaces: usize) -> usize {
        // Spelled out because a division by a constant is a shift.
        if self.indent == 2 { spaces / 2 } else { spaces / self.indent }
    }

    /// Reads a line that has a tab in its indentation; `None` when there is nothing else.
    #[cold]
    fn tabbed(&self, from: usize, line: &[u8]) -> Result<Option<ContentLine>, Fault> {
        let width =
            line.iter().position(|&byte| byte != b' ' && byte != b'\t').unwrap_or(line.len());
        let tabs = line[..width].iter().filter(|&&byte| byte == b'\t').count();
        if self.strict {
            return Err(Fault::expected("spaces as indentation", from + leading_spaces(line)));
        }
        if width == line.len() {
            return Ok(None);
        }
        let depth = (width - tabs) / self.indent + tabs;
        let (start, end) = (from + width, from + line.len());
        Ok(Some(ContentLine { start, end, depth, blank: NO_BLANK }))
    }
}

#[inline]
fn leading_spaces(text: &[u8]) -> usize {
    run(text, 0, |chunk: Chunk| chunk.is(b' '))
}

/// The line without a carriage return and the spaces before it.
#[inline]
fn trimmed(line: &[u8]) -> &[u8] {
    match line.last() {
        Some(b' ' | b'\r') => {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let spaces = line.iter().rev().take_while(|&&byte| byte == b' ').count();
            &line[..line.len() - spaces]
        }
        _ => line,
    }
}
