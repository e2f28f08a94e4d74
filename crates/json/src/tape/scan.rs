//! The one-pass parser: JSON text to tape.

use super::{Lexeme, LexemeKind};
use crate::content::StringContent;
use crate::error::{Fault, FaultKind};
use crate::{MAX_DEPTH, lexeme};

/// Builds the tape of a text shorter than 4 GiB, and counts its bytes of insignificant white space.
pub(super) fn tape(text: &[u8]) -> Result<(Vec<Lexeme>, usize), Fault> {
    let mut scanner =
        Scanner { text, tape: Vec::with_capacity(room(text)), spaces: 0, obstacles: 0 };
    let start = scanner.skip(0);
    let end = scanner.value(start, 0)?;
    match text.get(end) {
        None => Ok((scanner.tape, scanner.spaces)),
        Some(_) => Err(Fault::expected("nothing after the value", end)),
    }
}

/// From so many bytes on the nodes are counted before there is room for them: a tape that grows is held twice for a moment.
const LONG: usize = 256 << 10;

/// For how many nodes there is room at first. One for eight bytes is what dense JSON has; more grows the tape once or twice.
fn room(text: &[u8]) -> usize {
    let is_container = text.trim_ascii_start().first().is_some_and(|byte| b"[{".contains(byte));
    if text.len() < LONG || !is_container {
        return text.len() / 8 + 1;
    }
    // Each node but the root stands behind one of these. The densest JSON has a node for two bytes.
    let is_before_node = |byte: &&u8| matches!(byte, b'[' | b'{' | b',' | b':');
    let in_block = |block: &[u8]| block.iter().filter(is_before_node).count();
    (text.chunks(1 << 12).map(in_block).sum::<usize>() + 1).min(text.len() / 2 + 1)
}

struct Scanner<'a> {
    text: &'a [u8],
    tape: Vec<Lexeme>,
    /// Bytes of insignificant white space seen.
    spaces: usize,
    /// Arrays and empty objects seen: what no record contains.
    obstacles: usize,
}

impl Scanner<'_> {
    /// Reads the value at `at`, inside `depth` containers; returns the offset behind it and its white space.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&mut self, at: usize, depth: usize) -> Result<usize, Fault> {
        let end = match self.text.get(at) {
            Some(b'{') => self.object(at, depth)?,
            Some(b'[') => self.array(at, depth)?,
            _ => self.scalar(at)?,
        };
        Ok(self.skip(end))
    }

    // Where frames recurse, inlining this in an unoptimised build would overflow a small stack.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar(&mut self, at: usize) -> Result<usize, Fault> {
        match self.text.get(at) {
            Some(b'"') => {
                let (end, content) = lexeme::string(self.text, at)?;
                self.push(LexemeKind::String, content, at, end);
                Ok(end)
            }
            Some(b'-' | b'0'..=b'9') => {
                let (end, is_integer) = lexeme::number(self.text, at)?;
                let kind = if is_integer { LexemeKind::Integer } else { LexemeKind::Decimal };
                self.push(kind, StringContent::default(), at, end);
                Ok(end)
            }
            Some(b't') => self.literal(at, b"true", LexemeKind::True),
            Some(b'f') => self.literal(at, b"false", LexemeKind::False),
            Some(b'n') => self.literal(at, b"null", LexemeKind::Null),
            _ => Err(Fault::expected("a value", at)),
        }
    }

    fn object(&mut self, start: usize, depth: usize) -> Result<usize, Fault> {
        let object = self.open(LexemeKind::Object, start, depth)?;
        let obstacles = self.obstacles;
        let mut at = self.skip(start + 1);
        let mut count = 0;
        if self.text.get(at) == Some(&b'}') {
            self.obstacles += 1;
            return Ok(self.close(object, count, at));
        }
        let mut what = "a key or `}`";
        loop {
            at = self.key(at, what)?;
            at = self.value(at, depth + 1)?;
            count += 1;
            match self.text.get(at) {
                Some(b',') => at = self.skip(at + 1),
                Some(b'}') => {
                    self.tape[object].is_record = self.obstacles == obstacles;
                    return Ok(self.close(object, count, at));
                }
                _ => return Err(Fault::expected("`,` or `}`", at)),
            }
            what = "a key";
        }
    }

    /// Reads the key at `at` and its colon; returns where the value starts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn key(&mut self, at: usize, what: &'static str) -> Result<usize, Fault> {
        if self.text.get(at) != Some(&b'"') {
            return Err(Fault::expected(what, at));
        }
        let (end, content) = lexeme::key(self.text, at)?;
        self.push(LexemeKind::Key, content, at, end);
        let colon = self.skip(end);
        if self.text.get(colon) != Some(&b':') {
            return Err(Fault::expected("`:` after the key", colon));
        }
        Ok(self.skip(colon + 1))
    }

    fn array(&mut self, start: usize, depth: usize) -> Result<usize, Fault> {
        let array = self.open(LexemeKind::Array, start, depth)?;
        self.obstacles += 1;
        let mut at = self.skip(start + 1);
        let mut count = 0;
        if self.text.get(at) == Some(&b']') {
            return Ok(self.close(array, count, at));
        }
        loop {
            at = self.value(at, depth + 1)?;
            count += 1;
            match self.text.get(at) {
                Some(b',') => at = self.skip(at + 1),
                Some(b']') => return Ok(self.close(array, count, at)),
                _ => return Err(Fault::expected("`,` or `]`", at)),
            }
        }
    }

    fn literal<const N: usize>(
        &mut self,
        at: usize,
        word: &[u8; N],
        kind: LexemeKind,
    ) -> Result<usize, Fault> {
        if self.text[at..].first_chunk() != Some(word) {
            return Err(Fault::expected("a value", at));
        }
        let end = at + N;
        self.push(kind, StringContent::default(), at, end);
        Ok(end)
    }

    /// Begins a container; returns its place on the tape.
    fn open(&mut self, kind: LexemeKind, at: usize, depth: usize) -> Result<usize, Fault> {
        if depth == MAX_DEPTH {
            return Err(Fault::new(FaultKind::TooDeep { limit: MAX_DEPTH }, at));
        }
        self.push(kind, StringContent::default(), at, 0);
        Ok(self.tape.len() - 1)
    }

    /// Ends a container; returns the offset behind its bracket.
    fn close(&mut self, container: usize, count: u32, at: usize) -> usize {
        self.tape[container].end = self.tape.len() as u32;
        self.tape[container].count = count;
        at + 1
    }

    #[inline(always)]
    fn push(&mut self, kind: LexemeKind, content: StringContent, start: usize, end: usize) {
        let (start, end) = (start as u32, end as u32);
        self.tape.push(Lexeme { start, end, count: 0, kind, content, is_record: false });
    }

    #[inline(always)]
    fn skip(&mut self, at: usize) -> usize {
        let end = lexeme::white_space(self.text, at);
        self.spaces += end - at;
        end
    }
}
