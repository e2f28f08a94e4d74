//! Cuts a text into lines and a line into fields: the words, numbers, paths and names that may vary.
//!
//! A field is whole: a path with its line number, a time, a URL, a dotted or dashed name. What lies between fields
//! (blanks, brackets, quotes, `=`, `:`) is the line's shape.

use memchr::memchr;

/// A line with more fields than this is left as it is.
const MAX_FIELDS: usize = 1024;

/// Brackets right after a name, as in `test_a[x-[1]]`, are looked into this far.
const MAX_BRACKET: usize = 128;

/// A text in lines and fields. Offsets are 32 bits wide to keep the working set small.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line>,
    fields: Vec<Field>,
}

/// One line, without its line end.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
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
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Equal for equal text; rarely equal for other text.
    pub(super) hash: u32,
    /// Estimated tokens.
    pub(super) cost: u16,
    /// How wide the first blank before it is.
    pub(super) blank: u16,
    /// Whether it is made of letters alone.
    pub(super) word: bool,
    /// Whether it contains digits.
    pub(super) digits: bool,
}

impl Field {
    /// Estimated tokens in a row: a blank before a letter is free.
    pub(super) fn cell(self) -> i64 {
        i64::from(self.cost) + i64::from(!self.word)
    }
}

impl<'a> Scan<'a> {
    /// `None` where offsets would not fit.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let mut scan = Self { text, lines: Vec::new(), fields: Vec::with_capacity(text.len() / 8) };
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr(b'\n', bytes.get(start..)?).map_or(bytes.len(), |at| start + at);
            scan.push(bytes.get(start..end)?, start);
            start = end + 1;
        }
        Some(scan)
    }

    pub(super) fn line(&self, row: u32) -> Line {
        self.lines.get(row as usize).copied().unwrap_or_default()
    }

    pub(super) fn fields(&self, row: u32) -> &[Field] {
        let line = self.line(row);
        let first = line.first as usize;
        self.fields.get(first..first + line.count as usize).unwrap_or_default()
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn push(&mut self, line: &[u8], start: usize) {
        let first = self.fields.len();
        let mut between = Between::new(line);
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            if !starts_field(byte) {
                between.push(byte);
                at += 1;
                continue;
            }
            if self.fields.len() - first == MAX_FIELDS {
                self.fields.truncate(first);
                between.shape = 0;
                break;
            }
            let blank = between.field();
            let word = Word::read(line, at);
            between.cost += u32::from(word.cost());
            self.fields.push(Field {
                start: (start + at) as u32,
                end: (start + word.end) as u32,
                hash: word.hash,
                cost: word.cost(),
                blank,
                word: word.digits == 0 && word.marks == 0,
                digits: word.digits > 0,
            });
            at = word.end;
            if line.get(at) == Some(&b'T') {
                between.push(b'T');
                at += 1;
            }
        }
        between.end();
        self.lines.push(Line {
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

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, byte: u64) -> u64 {
    (hash.rotate_left(5) ^ byte).wrapping_mul(SEED)
}

/// What is between the fields of a line. Of each stretch the first blank counts as one space in the shape.
struct Between {
    shape: u64,
    spacing: u64,
    cost: u32,
    /// The width of the first blank of this stretch, and whether it has ended.
    blank: u16,
    ended: bool,
}

impl Between {
    fn new(line: &[u8]) -> Self {
        // An indent costs a token and is part of the shape.
        Self { shape: SEED, spacing: SEED, cost: 1 + u32::from(line.starts_with(b"  ")), blank: 0, ended: true }
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

/// The field that begins at an offset: where it ends, and what it is made of.
struct Word {
    end: usize,
    hash: u32,
    letters: u16,
    digits: u16,
    marks: u16,
}

impl Word {
    fn read(line: &[u8], start: usize) -> Self {
        let mut word = Self { end: start, hash: 0, letters: 0, digits: 0, marks: 0 };
        let mut hash = SEED;
        let mut seen = Seen { inside: bracket(line, start), ..Seen::default() };
        while let Some(&byte) = line.get(word.end) {
            match kind(byte) {
                Kind::Letter => {
                    if byte == b'T' && seen.date(line, start, word.end) {
                        break;
                    }
                    word.letters = word.letters.saturating_add(1);
                }
                Kind::Digit => word.digits = word.digits.saturating_add(1),
                Kind::Mark => {
                    seen.slash |= byte == b'/';
                    seen.dot |= byte == b'.';
                    word.marks = word.marks.saturating_add(1);
                }
                Kind::Blank => break,
                Kind::Between => {
                    if word.end >= seen.inside && !seen.joins(line, start, word.end) {
                        break;
                    }
                    word.marks = word.marks.saturating_add(1);
                }
            }
            hash = mix(hash, u64::from(byte));
            word.end += 1;
        }
        word.hash = (hash >> 32) as u32;
        word
    }

    fn cost(&self) -> u16 {
        self.letters.div_ceil(6) + self.digits.div_ceil(3) + self.marks
    }
}

/// What a field contains so far.
#[derive(Default)]
struct Seen {
    slash: bool,
    dot: bool,
    url: bool,
    paren: bool,
    /// Up to here everything belongs to the field.
    inside: usize,
}

impl Seen {
    /// Whether the field is a date followed by a time: `2024-05-06T`.
    fn date(&self, line: &[u8], start: usize, at: usize) -> bool {
        at - start == 10
            && line.get(start + 4) == Some(&b'-')
            && line.get(at - 1).is_some_and(u8::is_ascii_digit)
            && line.get(at + 1).is_some_and(u8::is_ascii_digit)
    }

    /// Whether the separator at `at` belongs to the field, as in `12:30`, `src/a.rs:7`, `a.ts(3,4)`, `1,024`, `don't`.
    fn joins(&mut self, line: &[u8], start: usize, at: usize) -> bool {
        let before = if at > start { line.get(at - 1).copied().unwrap_or(b' ') } else { b' ' };
        let after = line.get(at + 1).copied().unwrap_or(b' ');
        let place = self.slash || self.dot;
        match line.get(at) {
            Some(b':') => {
                if after == b'/' && line.get(at + 2) == Some(&b'/') {
                    self.url = true;
                    return true;
                }
                if after.is_ascii_digit() {
                    let dated = self.slash && line.get(start).is_some_and(u8::is_ascii_digit);
                    return !dated && (place || before.is_ascii_digit());
                }
                let path = (before == b':' || after == b':') && !place;
                path && after != b' ' || after == b'\\' || self.url && after != b' '
            }
            Some(b',') => before.is_ascii_digit() && after.is_ascii_digit(),
            Some(b'=') => self.url,
            Some(b'(') => {
                self.paren = place && after.is_ascii_digit();
                self.paren
            }
            Some(b')') => std::mem::take(&mut self.paren),
            Some(b'\'') => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
            _ => false,
        }
    }
}

/// Where the bracket closes that was opened right after a name and right before `start`: `x-[1]` of `a[x-[1]]` is whole.
fn bracket(line: &[u8], start: usize) -> usize {
    let opened = start > 1
        && line.get(start - 1) == Some(&b'[')
        && line.get(start - 2).is_some_and(|&byte| kind(byte) == Kind::Letter);
    if !opened {
        return start;
    }
    let mut depth = 1;
    for (at, &byte) in line.iter().enumerate().skip(start).take(MAX_BRACKET) {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at,
            b']' => depth -= 1,
            _ if kind(byte) == Kind::Blank => break,
            _ => {}
        }
    }
    start
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    /// Punctuation that names contain.
    Mark,
    Blank,
    /// Punctuation that separates, but for [`Seen::joins`].
    Between,
}

fn starts_field(byte: u8) -> bool {
    !matches!(kind(byte), Kind::Blank | Kind::Between)
}

fn kind(byte: u8) -> Kind {
    KINDS[byte as usize]
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Letter; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte as u8 {
            0..=b' ' | 127 => Kind::Blank,
            b'0'..=b'9' => Kind::Digit,
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'=' | b':' | b',' | b';'
            | b'|' => Kind::Between,
            _ => Kind::Mark,
        };
        byte += 1;
    }
    kinds
};
