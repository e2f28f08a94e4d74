//! Cuts a text into lines and a line into fields: the words, numbers, paths and names that may vary.
//!
//! A field is whole: a path with its line number, a time, a URL, a dotted or dashed name. What lies between fields
//! (blanks, brackets, quotes, `=`, `:`) is the line's shape.

use super::word::{FieldWord, starts_field};
use crate::lines;
use memchr::memchr;

/// A line with more fields than this is left as it is.
const MAX_FIELDS: usize = 1024;

/// A text in lines and fields. Offsets are 32 bits wide to keep the working set small.
pub(super) struct LineScan<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<ScanLine>,
    fields: Vec<ScanField>,
}

/// One line, without its line end.
#[derive(Clone, Copy, Default)]
pub(super) struct ScanLine {
    pub(super) start: u32,
    pub(super) end: u32,
    first: u32,
    count: u32,
    /// Hash of what lies between the fields, but for the width of blanks; zero for a line that is left alone.
    pub(super) shape: u64,
    /// Hash of the width of the blanks.
    pub(super) spacing: u32,
    /// Estimated tokens, line end included.
    pub(super) cost: u32,
}

/// One field.
#[derive(Clone, Copy)]
pub(super) struct ScanField {
    pub(super) start: u32,
    /// Equal for equal text; rarely equal for other text.
    pub(super) hash: u32,
    length: u16,
    /// Estimated tokens.
    pub(super) cost: u16,
    /// How wide the first blank before it is.
    pub(super) blank: u16,
    /// Whether it is made of letters alone.
    pub(super) word: bool,
    /// Whether it contains digits.
    pub(super) digits: bool,
}

impl ScanField {
    pub(super) fn end(self) -> u32 {
        self.start + u32::from(self.length)
    }

    /// Estimated tokens in a row: a blank before a letter is free.
    pub(super) fn cell(self) -> i64 {
        i64::from(self.cost) + i64::from(!self.word)
    }
}

impl<'a> LineScan<'a> {
    /// `None` for a text whose offsets would not fit.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let lines = Vec::with_capacity(lines::count(text));
        let mut scan = Self { text, lines, fields: Vec::with_capacity(text.len() / 8) };
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr(b'\n', bytes.get(start..)?).map_or(bytes.len(), |at| start + at);
            scan.push(bytes.get(start..end)?, start);
            start = end + 1;
        }
        Some(scan)
    }

    pub(super) fn line(&self, row: u32) -> ScanLine {
        self.lines.get(row as usize).copied().unwrap_or_default()
    }

    pub(super) fn fields(&self, row: u32) -> &[ScanField] {
        let line = self.line(row);
        let first = line.first as usize;
        self.fields.get(first..first + line.count as usize).unwrap_or_default()
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn push(&mut self, line: &[u8], start: usize) {
        let first = self.fields.len();
        let mut between = FieldGaps::new(line);
        // A line of ours says something about others, and is no row.
        let is_ours = line.starts_with(crate::SIGNATURE.as_bytes());
        let mut at = if is_ours { line.len() } else { 0 };
        while let Some(&byte) = line.get(at) {
            if !starts_field(byte) {
                between.push(byte);
                at += 1;
                continue;
            }
            let word = FieldWord::read(line, at).filter(|_| self.fields.len() - first < MAX_FIELDS);
            let Some(word) = word else {
                self.fields.truncate(first);
                between.shape = 0;
                break;
            };
            let blank = between.field();
            between.cost += u32::from(word.cost());
            self.fields.push(ScanField {
                start: (start + at) as u32,
                length: (word.end - at) as u16,
                hash: word.hash,
                cost: word.cost(),
                blank,
                word: word.is_word(),
                digits: word.has_digits(),
            });
            at = word.end;
        }
        between.end();
        between.shape = if is_ours { 0 } else { between.shape };
        self.lines.push(ScanLine {
            start: start as u32,
            end: (start + line.len()) as u32,
            first: first as u32,
            count: (self.fields.len() - first) as u32,
            shape: between.shape,
            spacing: (between.spacing >> 32) as u32,
            cost: between.cost,
        });
    }
}

pub(super) const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

pub(super) fn mix(hash: u64, byte: u64) -> u64 {
    (hash.rotate_left(5) ^ byte).wrapping_mul(SEED)
}

/// What is between the fields of a line. Of each stretch the first blank counts as one space in the shape.
struct FieldGaps {
    shape: u64,
    spacing: u64,
    cost: u32,
    /// The width of the first blank of this stretch, and whether it has ended.
    blank: u16,
    ended: bool,
}

impl FieldGaps {
    fn new(line: &[u8]) -> Self {
        // An indent costs a token and is part of the shape.
        Self {
            shape: SEED,
            spacing: SEED,
            cost: 1 + u32::from(line.starts_with(b"  ")),
            blank: 0,
            ended: true,
        }
    }

    fn push(&mut self, byte: u8) {
        if byte == b' ' && !self.ended {
            if self.blank == 0 {
                self.shape = mix(self.shape, u64::from(byte));
            }
            self.blank = self.blank.saturating_add(1);
            return;
        }
        self.ended |= self.blank > 0;
        self.shape = mix(self.shape, u64::from(byte));
        self.cost += u32::from(byte != b' ');
    }

    /// A field begins: answers with the blank before it.
    fn field(&mut self) -> u16 {
        self.shape = mix(self.shape, 0xff);
        self.spacing = mix(self.spacing, u64::from(self.blank));
        self.ended = false;
        std::mem::take(&mut self.blank)
    }

    /// Blanks at the end of a line are part of the shape.
    fn end(&mut self) {
        if self.blank > 0 && self.shape != 0 {
            self.shape = mix(self.shape, 0x100 + u64::from(self.blank));
        }
    }
}
