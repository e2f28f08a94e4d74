//! JSON text to tape, in one pass and without recursion.

use super::lexeme::{self, Content};
use super::{Kind, MAX_DEPTH, Node};
use crate::error::{Fault, Problem};

/// Builds the tape of a text shorter than 4 GiB, and tells whether the text is minified.
pub(super) fn tape(text: &[u8]) -> Result<(Vec<Node>, bool), Fault> {
    let mut scanner = Scanner {
        text,
        // One node per eight bytes is what dense JSON has; more grows the tape once or twice.
        tape: Vec::with_capacity(text.len() / 8 + 1),
        open: Vec::with_capacity(16),
        spaces: 0,
    };
    let end = scanner.document()?;
    match text.get(end) {
        None => Ok((scanner.tape, scanner.spaces == 0)),
        Some(_) => Err(Fault::expected("nothing after the value", end)),
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    tape: Vec<Node>,
    /// Tape indices of the containers that are open.
    open: Vec<u32>,
    /// Bytes of insignificant white space seen.
    spaces: usize,
}

/// What may come next.
enum Next {
    /// A value.
    Value,
    /// The first key of an object, or its end.
    FirstKey,
    /// The first element of an array, or its end.
    FirstElement,
    /// What follows a value: a comma or the end of the container.
    AfterValue,
}

impl Scanner<'_> {
    fn document(&mut self) -> Result<usize, Fault> {
        let mut at = self.skip(0);
        let mut next = Next::Value;
        loop {
            (next, at) = match next {
                Next::Value => self.value(at)?,
                Next::FirstKey if self.text.get(at) == Some(&b'}') => self.close(at),
                Next::FirstKey => {
                    if self.text.get(at) != Some(&b'"') {
                        return Err(Fault::expected("a key or `}`", at));
                    }
                    (Next::Value, self.key(at)?)
                }
                Next::FirstElement if self.text.get(at) == Some(&b']') => self.close(at),
                Next::FirstElement => self.value(at)?,
                Next::AfterValue => {
                    let Some(&container) = self.open.last() else { return Ok(at) };
                    let container = &mut self.tape[container as usize];
                    container.count += 1;
                    match (container.kind, self.text.get(at)) {
                        (Kind::Object, Some(b',')) => {
                            let key = self.skip(at + 1);
                            if self.text.get(key) != Some(&b'"') {
                                return Err(Fault::expected("a key", key));
                            }
                            (Next::Value, self.key(key)?)
                        }
                        (Kind::Array, Some(b',')) => {
                            let element = self.skip(at + 1);
                            self.value(element)?
                        }
                        (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => self.close(at),
                        (Kind::Object, _) => return Err(Fault::expected("`,` or `}`", at)),
                        _ => return Err(Fault::expected("`,` or `]`", at)),
                    }
                }
            };
        }
    }

    /// Reads the key at `at` with its colon; returns where its value starts.
    #[inline]
    fn key(&mut self, at: usize) -> Result<usize, Fault> {
        let (end, content) = lexeme::key(self.text, at)?;
        self.push(Kind::String, content, at, end);
        let colon = self.skip(end);
        if self.text.get(colon) != Some(&b':') {
            return Err(Fault::expected("`:` after the key", colon));
        }
        Ok(self.skip(colon + 1))
    }

    /// Reads a scalar or opens a container; returns what comes next and where.
    #[inline]
    fn value(&mut self, at: usize) -> Result<(Next, usize), Fault> {
        let end = match self.text.get(at) {
            Some(b'"') => {
                let (end, content) = lexeme::string(self.text, at)?;
                self.push(Kind::String, content, at, end);
                end
            }
            Some(b'-' | b'0'..=b'9') => {
                let (end, is_integer) = lexeme::number(self.text, at)?;
                let kind = if is_integer { Kind::Integer } else { Kind::Decimal };
                self.push(kind, Content::default(), at, end);
                end
            }
            Some(b'{') => return Ok((Next::FirstKey, self.open(Kind::Object, at)?)),
            Some(b'[') => return Ok((Next::FirstElement, self.open(Kind::Array, at)?)),
            Some(b't') => self.literal(at, "true", Kind::True)?,
            Some(b'f') => self.literal(at, "false", Kind::False)?,
            Some(b'n') => self.literal(at, "null", Kind::Null)?,
            _ => return Err(Fault::expected("a value", at)),
        };
        Ok((Next::AfterValue, self.skip(end)))
    }

    fn literal(&mut self, at: usize, word: &'static str, kind: Kind) -> Result<usize, Fault> {
        if !self.text[at..].starts_with(word.as_bytes()) {
            return Err(Fault::expected("a value", at));
        }
        let end = at + word.len();
        self.push(kind, Content::default(), at, end);
        Ok(end)
    }

    fn open(&mut self, kind: Kind, at: usize) -> Result<usize, Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(Fault { problem: Problem::TooDeep { limit: MAX_DEPTH }, offset: at });
        }
        self.open.push(self.tape.len() as u32);
        self.push(kind, Content::default(), at, 0);
        Ok(self.skip(at + 1))
    }

    fn close(&mut self, at: usize) -> (Next, usize) {
        let end = self.tape.len() as u32;
        if let Some(container) = self.open.pop() {
            self.tape[container as usize].end = end;
        }
        (Next::AfterValue, self.skip(at + 1))
    }

    #[inline]
    fn push(&mut self, kind: Kind, content: Content, start: usize, end: usize) {
        self.tape.push(Node { start: start as u32, end: end as u32, count: 0, kind, content });
    }

    #[inline]
    fn skip(&mut self, at: usize) -> usize {
        let end = lexeme::white_space(self.text, at);
        self.spaces += end - at;
        end
    }
}
