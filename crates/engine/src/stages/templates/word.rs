//! One field: where it ends, and what it is made of.

use super::scan::{SEED, mix};
use crate::lexeme;

/// A line with a longer field is left as it is.
const MAX_FIELD: usize = 4096;
/// Brackets right after a name, as in `test_a[x-[1]]`, are looked into this far.
const MAX_BRACKET: usize = 128;

/// The field that begins at an offset.
pub(super) struct FieldWord {
    pub(super) end: usize,
    pub(super) hash: u32,
    counts: Counts,
}

impl FieldWord {
    /// `None` for a field that is too long.
    pub(super) fn read(line: &[u8], start: usize) -> Option<Self> {
        let inside = bracket(line, start);
        let mut seen = FieldContents::default();
        let mut counts = Counts(0);
        // A time with its date is one field, blanks and all.
        let mut end = start + lexeme::timestamp(line.get(start..)?).unwrap_or(0);
        counts.0 += line.get(start..end)?.iter().map(|byte| COUNTS[*byte as usize]).sum::<u64>();
        loop {
            end = counts.count_run(line, end);
            if end - start > MAX_FIELD {
                return None;
            }
            let joins = match line.get(end) {
                None => break,
                Some(&byte) if kind(byte) == CharClass::Blank => break,
                Some(_) => end < inside || seen.joins(line, start, end, counts),
            };
            if !joins {
                break;
            }
            counts.0 += MARK;
            end += 1;
        }
        Some(Self { end, hash: hash(line.get(start..end)?), counts })
    }

    pub(super) fn cost(&self) -> u16 {
        let Counts(counts) = self.counts;
        let part = |shift: u32| (counts >> shift & 0xffff) as u16;
        part(0).div_ceil(6) + part(16).div_ceil(3) + part(32)
    }

    pub(super) fn has_digits(&self) -> bool {
        self.counts.0 >> 16 & 0xffff > 0
    }

    pub(super) fn is_word(&self) -> bool {
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
/// Stops a run: a separator.
const STOP: u64 = 0;

impl Counts {
    /// Counts bytes up to one that may end the field, or until the field is too long.
    fn count_run(&mut self, line: &[u8], start: usize) -> usize {
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
            CharClass::Letter => LETTER,
            CharClass::Digit => DIGIT,
            CharClass::Mark if byte == b'/' as usize || byte == b'.' as usize => PLACE,
            CharClass::Mark => MARK,
            CharClass::Blank | CharClass::Between => STOP,
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

/// What a field contains so far.
#[derive(Default)]
struct FieldContents {
    url: bool,
    paren: bool,
}

impl FieldContents {
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
            Some(b':') if after.is_ascii_digit() => place || before.is_ascii_digit(),
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
        && line.get(start - 2).is_some_and(|&byte| kind(byte) == CharClass::Letter);
    if !opened {
        return start;
    }
    let mut depth = 1;
    for (at, &byte) in line.iter().enumerate().skip(start).take(MAX_BRACKET) {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at,
            b']' => depth -= 1,
            _ if kind(byte) == CharClass::Blank => break,
            _ => {}
        }
    }
    start
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Letter,
    Digit,
    /// Punctuation that names contain.
    Mark,
    Blank,
    /// Punctuation that separates, but for [`FieldContents::joins`].
    Between,
}

pub(super) fn starts_field(byte: u8) -> bool {
    !matches!(kind(byte), CharClass::Blank | CharClass::Between)
}

fn kind(byte: u8) -> CharClass {
    KINDS[byte as usize]
}

static KINDS: [CharClass; 256] = {
    let mut kinds = [CharClass::Letter; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte as u8 {
            0..=b' ' | 127 => CharClass::Blank,
            b'0'..=b'9' => CharClass::Digit,
            b'a'..=b'z' | b'A'..=b'Z' => CharClass::Letter,
            b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'='
            | b':' | b',' | b';' | b'|' => CharClass::Between,
            _ => CharClass::Mark,
        };
        byte += 1;
    }
    kinds
};
