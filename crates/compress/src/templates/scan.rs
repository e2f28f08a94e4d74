//! Cuts a text into lines and a line into fields: the words, numbers, paths and names that may vary.
//!
//! A field is whole: a path with its line number, a time, a URL, a dotted or dashed name. What lies between fields
//! (blanks, brackets, quotes, `=`, `:`) is the line's shape.

use memchr::memchr;

/// A line with more fields than this is left as it is.
const MAX_FIELDS: usize = 1024;

/// A text in lines and fields. Offsets are 32 bits wide to keep the working set small.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line>,
    fields: Vec<Field>,
}

/// One line, without its line end.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) start: u32,
    pub(super) end: u32,
    first: u32,
    count: u32,
    /// Hash of what lies between the fields, and of how many there are.
    pub(super) shape: u64,
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
    /// What a blank before it adds when it is written in a row: nothing before a letter.
    pub(super) gap: u16,
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
            scan.line(bytes, start, end);
            start = end + 1;
        }
        Some(scan)
    }

    pub(super) fn fields(&self, line: Line) -> &[Field] {
        let first = line.first as usize;
        self.fields.get(first..first + line.count as usize).unwrap_or_default()
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn line(&mut self, bytes: &[u8], start: usize, end: usize) {
        let first = self.fields.len();
        let line = bytes.get(start..end).unwrap_or_default();
        let mut shape = SEED;
        let mut cost = 1;
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            if !starts_field(byte) {
                shape = mix(shape, byte);
                cost += u32::from(byte != b' ');
                at += 1;
                continue;
            }
            if self.fields.len() - first == MAX_FIELDS {
                self.fields.truncate(first);
                shape = 0;
                break;
            }
            let field = Word::read(line, at);
            cost += u32::from(field.cost());
            shape = mix(shape, 0xff);
            self.fields.push(Field {
                start: (start + at) as u32,
                end: (start + field.end) as u32,
                hash: field.hash,
                cost: field.cost(),
                gap: u16::from(!byte.is_ascii_alphabetic()),
            });
            at = field.end;
        }
        let count = self.fields.len() - first;
        self.lines.push(Line {
            start: start as u32,
            end: end as u32,
            first: first as u32,
            count: count as u32,
            shape,
            cost,
        });
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, byte: u8) -> u64 {
    (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(SEED)
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
        let mut seen = Seen::default();
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
                    if !seen.joins(line, start, word.end) {
                        break;
                    }
                    word.marks = word.marks.saturating_add(1);
                }
            }
            hash = mix(hash, byte);
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
