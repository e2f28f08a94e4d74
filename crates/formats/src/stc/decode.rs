//! STC to minified JSON, in one pass.

mod table;

use crate::lexeme;
use tokenforge_json::MAX_DEPTH;
use tokenforge_json::error::{Error, Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// Reads STC in any spelling and writes minified JSON of at most `max_output` bytes: a table repeats its
/// keys, so a small text can decode to a large one.
///
/// ```
/// use tokenforge_formats::stc;
///
/// let json = stc::decode("{tags[2]: \"a\",\"b\", n: 1}", tokenforge_formats::MAX_OUTPUT)?;
/// assert_eq!(json, r#"{"tags":["a","b"],"n":1}"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn decode(text: &str, max_output: usize) -> Result<String, Error> {
    let mut decoder = StcDecoder {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
        max_output,
        out: TextOutput::with_capacity(text.len().min(max_output)),
    };
    decoder.document().map_err(|fault| fault.locate(text))?;
    Ok(decoder.out.into_string())
}

struct StcDecoder<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Open containers, counted as the JSON will have them.
    depth: usize,
    max_output: usize,
    out: TextOutput,
}

impl<'a> StcDecoder<'a> {
    fn document(&mut self) -> Result<(), Fault> {
        self.skip();
        self.value()?;
        self.skip();
        match self.peek() {
            None => self.check_output(),
            Some(_) => Err(Fault::expected("nothing after the value", self.at)),
        }
    }

    fn value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => {
                let (end, _) = lexeme::string(self.bytes, self.at)?;
                self.copy(end)
            }
            Some(b'-' | b'0'..=b'9') => {
                let (end, _) = lexeme::number(self.bytes, self.at)?;
                self.copy(end)
            }
            Some(b'{') => self.object(),
            Some(b'[') => match self.table_header() {
                Some((count, columns)) => {
                    self.at = columns;
                    self.table(count)
                }
                None => self.array(),
            },
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => Err(Fault::expected("a value", self.at)),
        }
    }

    fn literal(&mut self, word: &'static str) -> Result<(), Fault> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Fault::expected("a value", self.at));
        }
        self.copy(self.at + word.len())
    }

    fn object(&mut self) -> Result<(), Fault> {
        self.enter(1)?;
        self.out.push(b'{');
        self.advance();
        if self.peek() != Some(b'}') {
            loop {
                self.member()?;
                self.skip();
                match self.peek() {
                    Some(b',') => {
                        self.out.push(b',');
                        self.advance();
                    }
                    Some(b'}') => break,
                    _ => return Err(Fault::expected("`,` or `}`", self.at)),
                }
            }
        }
        self.at += 1;
        self.leave(1);
        self.out.push(b'}');
        Ok(())
    }

    /// `key: value`, `key[N]: values` or `key[N]{columns}: rows`.
    fn member(&mut self) -> Result<(), Fault> {
        let key = self.key()?;
        key.write(&mut self.out);
        self.skip();
        if self.peek() != Some(b'[') {
            self.colon("`:` or `[` after the key")?;
            return self.value();
        }
        let (count, behind) = lexeme::count(self.bytes, self.at)?;
        self.at = behind;
        if self.peek() == Some(b'{') {
            return self.table(count);
        }
        self.skip();
        self.colon("`{` or `:` after the count")?;
        self.enter(1)?;
        self.out.push(b'[');
        self.list(count)?;
        self.leave(1);
        self.out.push(b']');
        Ok(())
    }

    /// Exactly `count` values.
    fn list(&mut self, count: usize) -> Result<(), Fault> {
        for index in 0..count {
            if index > 0 {
                self.separator(b',', "values", count, index)?;
                self.out.push(b',');
            }
            self.value()?;
        }
        Ok(())
    }

    fn array(&mut self) -> Result<(), Fault> {
        self.enter(1)?;
        self.out.push(b'[');
        self.advance();
        if self.peek() != Some(b']') {
            loop {
                self.value()?;
                self.skip();
                match self.peek() {
                    Some(b',') => {
                        self.out.push(b',');
                        self.advance();
                    }
                    Some(b']') => break,
                    _ => return Err(Fault::expected("`,` or `]`", self.at)),
                }
            }
        }
        self.at += 1;
        self.leave(1);
        self.out.push(b']');
        Ok(())
    }

    /// Reads a key: an identifier, or a string.
    fn key(&mut self) -> Result<Key<'a>, Fault> {
        let start = self.at;
        let is_bare = self.peek() != Some(b'"');
        let end = if is_bare {
            lexeme::identifier(self.bytes, start)?
        } else {
            lexeme::key(self.bytes, start)?.0
        };
        self.at = end;
        Ok(Key { text: self.bytes, start, end, is_bare })
    }

    fn colon(&mut self, what: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(b':') {
            return Err(Fault::expected(what, self.at));
        }
        self.advance();
        Ok(())
    }

    /// The separator before item `index` of `count`; without it there are too few items.
    #[inline]
    fn separator(
        &mut self,
        separator: u8,
        of: &'static str,
        count: usize,
        index: usize,
    ) -> Result<(), Fault> {
        self.skip();
        if self.peek() != Some(separator) {
            let problem = FaultKind::Count { of, declared: count, found: index };
            return Err(Fault::new(problem, self.at));
        }
        self.advance();
        Ok(())
    }

    /// Copies the lexeme that ends at `end`.
    #[inline]
    fn copy(&mut self, end: usize) -> Result<(), Fault> {
        self.out.copy(self.bytes, self.at, end);
        self.at = end;
        self.check_output()
    }

    fn check_output(&self) -> Result<(), Fault> {
        self.out.check(self.max_output, self.at)
    }

    fn enter(&mut self, levels: usize) -> Result<(), Fault> {
        self.depth += levels;
        if self.depth > MAX_DEPTH {
            let problem = FaultKind::TooDeep { limit: MAX_DEPTH };
            return Err(Fault::new(problem, self.at));
        }
        self.check_output()
    }

    fn leave(&mut self, levels: usize) {
        self.depth -= levels;
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over one character and the white space behind it.
    #[inline]
    fn advance(&mut self) {
        self.at += 1;
        self.skip();
    }

    #[inline]
    fn skip(&mut self) {
        self.at = lexeme::white_space(self.bytes, self.at);
    }
}

/// A key as it stands in the text.
struct Key<'a> {
    text: &'a [u8],
    start: usize,
    end: usize,
    /// Without quotes.
    is_bare: bool,
}

impl Key<'_> {
    /// Writes the key as JSON, with its colon.
    fn write(&self, out: &mut TextOutput) {
        if self.is_bare {
            out.push(b'"');
            out.copy(self.text, self.start, self.end);
            out.push_str("\":");
        } else {
            out.copy(self.text, self.start, self.end);
            out.push(b':');
        }
    }
}
