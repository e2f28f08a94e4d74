//! Cuts a text into lines and a line into fields: the words, numbers, paths and names that may vary.
//!
//! A field is whole: a path with its line number, a time, a URL, a dotted or dashed name. What lies between fields
//! (blanks, brackets, quotes, `=`, `:`) is the line's shape.

use memchr::memchr;

/// A line with more fields than this is left as it is.
const MAX_FIELDS: usize = 1024;

/// And so is one with a longer field.
const MAX_FIELD: usize = 4096;
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

impl Field {
    pub(super) fn end(self) -> u32 {
        self.start + u32::from(self.length)
    }

    /// Estimated tokens in a row: a blank before a letter is free.
    pub(super) fn cell(self) -> i64 {
        i64::from(self.cost) + i64::from(!self.word)
    }
}

impl<'a> Scan<'a> {
    /// `None` for a text whose offsets would not fit.
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
            let word = Word::read(line, at).filter(|_| self.fields.len() - first < MAX_FIELDS);
            let Some(word) = word else {
                self.fields.truncate(first);
                between.shape = 0;
                break;
            };
            let blank = between.field();
            between.cost += u32::from(word.cost());
            self.fields.push(Field {
                start: (start + at) as u32,
                length: (word.end - at) as u16,
                hash: word.hash,
                cost: word.cost(),
                blank,
                word: word.is_word(),
                digits: word.has_digits(),
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

/// The field that begins at an offset: where it ends, and what it is made of.
struct Word {
    end: usize,
    hash: u32,
    counts: Counts,
}

impl Word {
    /// `None` for a field that is too long.
    fn read(line: &[u8], start: usize) -> Option<Self> {
        let inside = bracket(line, start);
        let mut seen = Seen::default();
        let mut counts = Counts(0);
        let mut end = start;
        loop {
            end = counts.run(line, end);
            if end - start > MAX_FIELD {
                return None;
            }
            let joins = match line.get(end) {
                None => break,
                Some(b'T') => !is_date(line, start, end),
                Some(&byte) if kind(byte) == Kind::Blank => break,
                Some(_) => end < inside || seen.joins(line, start, end, counts),
            };
            if !joins {
                break;
            }
            counts.0 += if line.get(end) == Some(&b'T') { LETTER } else { MARK };
            end += 1;
        }
        Some(Self { end, hash: hash(line.get(start..end)?), counts })
    }

    fn cost(&self) -> u16 {
        let Counts(counts) = self.counts;
        let part = |shift: u32| (counts >> shift & 0xffff) as u16;
        part(0).div_ceil(6) + part(16).div_ceil(3) + part(32)
    }

    fn has_digits(&self) -> bool {
        self.counts.0 >> 16 & 0xffff > 0
    }

    fn is_word(&self) -> bool {
        self.counts.0 >> 16 == 0
    }
}

/// How many letters, digits and marks, and whether slashes or points: sixteen bits each, added up in one go.
#[derive(Clone, Copy)]
struct Counts(u64);

const LETTER: u64 = 1;
const DIGIT: u64 = 1 << 16;
const MARK: u64 = 1 << 32;
/// A slash or a point: what paths and names of files have.
const PLACE: u64 = MARK | 1 << 48;
/// Stops a run: a separator, or the letter that may be between date and time.
const STOP: u64 = 0;

impl Counts {
    /// Counts bytes up to one that may end the field, or until the field is too long.
    fn run(&mut self, line: &[u8], start: usize) -> usize {
        let bytes = line.get(start..line.len().min(start + MAX_FIELD + 1)).unwrap_or_default();
        let mut length = 0;
        for &byte in bytes {
            let count = COUNTS[byte as usize];
            if count == STOP {
                break;
            }
            self.0 += count;
            length += 1;
        }
        start + length
    }

    /// Whether there are slashes or points.
    fn is_place(self) -> bool {
        self.0 >> 48 > 0
    }
}

static COUNTS: [u64; 256] = {
    let mut counts = [STOP; 256];
    let mut byte = 0;
    while byte < 256 {
        counts[byte] = match KINDS[byte] {
            Kind::Letter if byte == b'T' as usize => STOP,
            Kind::Letter => LETTER,
            Kind::Digit => DIGIT,
            Kind::Mark if byte == b'/' as usize || byte == b'.' as usize => PLACE,
            Kind::Mark => MARK,
            Kind::Blank | Kind::Between => STOP,
        };
        byte += 1;
    }
    counts
};

/// Eight bytes at a time.
fn hash(field: &[u8]) -> u32 {
    let mut hash = SEED ^ field.len() as u64;
    let (chunks, rest) = field.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let rest = rest.iter().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    (mix(hash, rest) >> 32) as u32
}

/// Whether the field so far is a date and a time follows: `2024-05-06T12`.
fn is_date(line: &[u8], start: usize, at: usize) -> bool {
    at - start == 10
        && line.get(start + 4) == Some(&b'-')
        && line.get(at - 1).is_some_and(u8::is_ascii_digit)
        && line.get(at + 1).is_some_and(u8::is_ascii_digit)
}

/// What a field contains so far.
#[derive(Default)]
struct Seen {
    url: bool,
    paren: bool,
}

impl Seen {
    /// Whether the separator at `at` belongs to the field, as in `12:30`, `src/a.rs:7`, `a.ts(3,4)`, `1,024`, `don't`.
    fn joins(&mut self, line: &[u8], start: usize, at: usize, counts: Counts) -> bool {
        let before = if at > start { line.get(at - 1).copied().unwrap_or(b' ') } else { b' ' };
        let after = line.get(at + 1).copied().unwrap_or(b' ');
        let place = counts.is_place();
        match line.get(at) {
            Some(b':') if after == b'/' && line.get(at + 2) == Some(&b'/') => {
                self.url = true;
                true
            }
            Some(b':') if after.is_ascii_digit() => {
                // 10/Oct/2000:13:55:36 is a date and a time.
                let dated = place && line.get(at.wrapping_sub(9)) == Some(&b'/');
                !dated && (place || before.is_ascii_digit())
            }
            Some(b':') => {
                let path = (before == b':' || after == b':') && !place;
                after != b' ' && (path || self.url || after == b'\\')
            }
            Some(b',') => before.is_ascii_digit() && after.is_ascii_digit(),
            Some(b'=') => self.url,
            Some(b'(') => {
                self.paren = place && after.is_ascii_digit();
                self.paren
            }
            Some(b')') => std::mem::take(&mut self.paren),
            Some(b'>') => before == b'-' && after != b' ',
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
            b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'='
            | b':' | b',' | b';' | b'|' => Kind::Between,
            _ => Kind::Mark,
        };
        byte += 1;
    }
    kinds
};
