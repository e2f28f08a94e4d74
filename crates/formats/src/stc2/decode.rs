//! STC 2 to minified JSON, in one pass.

mod columns;
mod record;
mod shape;
mod value;

use super::{body, spell};
use crate::lexeme;
use crate::stc;
use shape::RowShape;
use std::collections::HashMap;
use tokenforge_json::MAX_DEPTH;
use tokenforge_json::error::{Error, ErrorKind, Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// Reads STC 2, or STC 1 or JSON where the text does not start with [`HEADER`](super::HEADER), and writes minified JSON of at most
/// `max_output` bytes: rows repeat what their header says once, so a small text can decode to a large one.
///
/// ```
/// use tokenforge_formats::stc2;
///
/// let json = stc2::decode("stc2\n{users:[2]{id name admin:false}\n1 ann\n2 bob}", tokenforge_formats::MAX_OUTPUT)?;
/// assert_eq!(json, r#"{"users":[{"id":1,"name":"ann","admin":false},{"id":2,"name":"bob","admin":false}]}"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn decode(text: &str, max_output: usize) -> Result<String, Error> {
    let Some(at) = body(text) else { return stc::decode(text, max_output) };
    if text.len() > MAX_INPUT {
        return Err(Error::at(ErrorKind::InputTooLarge, text, 0));
    }
    let mut decoder = Stc2Decoder {
        text,
        bytes: text.as_bytes(),
        at,
        depth: 0,
        max_output,
        out: TextOutput::with_capacity(text.len().saturating_mul(2).min(max_output)),
        stack: Vec::new(),
        shapes: Vec::new(),
        names: Vec::new(),
        anchors: Vec::new(),
        is_in_header: false,
    };
    decoder.document().map_err(|fault| fault.locate(text))?;
    Ok(decoder.out.into_string())
}

/// Offsets inside of headers have 32 bits.
const MAX_INPUT: usize = 1 << 30;

struct Stc2Decoder<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Open containers, counted as the JSON will have them.
    depth: usize,
    max_output: usize,
    out: TextOutput,
    /// What is begun and still to be ended, the innermost last.
    stack: Vec<Frame>,
    /// The shapes of the table being read; the first is that of its rows.
    shapes: Vec<RowShape>,
    /// For each open list of columns: the cells by the names that templates can use.
    names: Vec<HashMap<&'a str, usize>>,
    /// What references refer to, by number.
    anchors: Vec<Anchor>,
    is_in_header: bool,
}

/// Something begun. Its state is behind the last value read inside of it.
#[derive(Clone, Copy)]
enum Frame {
    Object {
        anchor: usize,
    },
    Array {
        anchor: usize,
    },
    Columns {
        shape: usize,
        kind: Columns,
        place: ColumnPlace,
    },
    Rows {
        left: usize,
        count: usize,
        is_map: bool,
        anchor: usize,
    },
    /// The cells of a record; `op` is the next one, or the one that is being read since the output had `start` bytes.
    Record {
        shape: usize,
        op: usize,
        is_first: bool,
        start: Option<usize>,
    },
    /// `(cells)`
    Tuple {
        anchor: usize,
    },
    /// `[cells | cells]`
    List {
        shape: usize,
        anchor: usize,
    },
}

/// What a list of columns is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    Table,
    Nested,
    Tuple,
    List,
}

/// Where in a list of columns the reader is.
#[derive(Clone, Copy)]
enum ColumnPlace {
    Start,
    BehindColumn,
    /// Behind a constant: where its key starts in the text of the shape, and its value in the output.
    BehindConstant {
        key: usize,
        value: usize,
    },
}

/// A part of the output that was given a number.
#[derive(Clone, Copy)]
struct Anchor {
    start: usize,
    /// 0 until it is complete.
    end: usize,
    /// The text of a string without its quotes, to which more can be added.
    is_text: bool,
}

/// Whether a value is complete, or something was begun that is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Complete,
    Begun,
}

impl<'a> Stc2Decoder<'a> {
    fn document(&mut self) -> Result<(), Fault> {
        self.value()?;
        while let Some(&frame) = self.stack.last() {
            match frame {
                Frame::Object { anchor } => self.object(anchor)?,
                Frame::Array { anchor } => self.array(anchor)?,
                Frame::Columns { shape, kind, place } => self.columns(shape, kind, place)?,
                Frame::Rows { left, count, is_map, anchor } => {
                    self.rows(left, count, is_map, anchor)?;
                }
                Frame::Record { shape, op, is_first, start } => {
                    self.record(shape, op, is_first, start)?;
                }
                Frame::Tuple { anchor } => self.end_tuple(anchor)?,
                Frame::List { shape, anchor } => self.list(shape, anchor)?,
            }
        }
        self.at = lexeme::white_space(self.bytes, self.at);
        match self.peek() {
            None => self.check_output(),
            Some(_) => Err(Fault::expected("nothing after the value", self.at)),
        }
    }

    /// Members up to the first that has an inside; or the end of the object.
    fn object(&mut self, anchor: usize) -> Result<(), Fault> {
        loop {
            if self.out.last() != Some(b'{') {
                match self.peek() {
                    Some(b' ' | b'\n') => self.out.push(b','),
                    Some(b'}') => return self.close(b'}', anchor),
                    _ => return Err(Fault::expected("a space or `}`", self.at)),
                }
                self.at += 1;
            }
            self.key()?;
            self.expect(b':', "`:` after the key")?;
            if self.value()? == Progress::Begun {
                return Ok(());
            }
        }
    }

    /// Elements up to the first that has an inside; or the end of the array.
    fn array(&mut self, anchor: usize) -> Result<(), Fault> {
        loop {
            if self.out.last() != Some(b'[') {
                match self.peek() {
                    Some(b' ' | b'\n') => self.out.push(b','),
                    Some(b']') => return self.close(b']', anchor),
                    _ => return Err(Fault::expected("a space or `]`", self.at)),
                }
                self.at += 1;
            }
            if self.value()? == Progress::Begun {
                return Ok(());
            }
        }
    }

    /// Steps over the bracket that ends the innermost container, and writes it.
    fn close(&mut self, bracket: u8, anchor: usize) -> Result<(), Fault> {
        self.at += 1;
        self.out.push(bracket);
        self.leave(1);
        self.end(anchor);
        self.check_output()
    }

    /// Ends the innermost frame, a container that may have a number.
    fn end(&mut self, anchor: usize) {
        self.stack.pop();
        self.complete(anchor);
    }

    fn complete(&mut self, anchor: usize) {
        if let Some(anchor) = self.anchors.get_mut(anchor) {
            anchor.end = self.out.len();
        }
    }

    /// Reads a key and writes it as JSON, with its colon.
    #[inline]
    fn key(&mut self) -> Result<(), Fault> {
        let (start, end, is_bare) = self.key_lexeme()?;
        write_key(&mut self.out, self.bytes, start, end, is_bare);
        Ok(())
    }

    /// Reads a key: where it starts and ends, and whether it has no quotes.
    #[inline]
    fn key_lexeme(&mut self) -> Result<(usize, usize, bool), Fault> {
        let start = self.at;
        let is_bare = self.peek() != Some(b'"');
        let end = if is_bare {
            spell::key_end(self.bytes, start)
        } else {
            lexeme::key(self.bytes, start)?.0
        };
        if end == start || is_bare && matches!(self.bytes[start], b'&' | b'*') {
            return Err(Fault::expected("a key", start));
        }
        self.at = end;
        Ok((start, end, is_bare))
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(Fault::expected(what, self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn check_output(&self) -> Result<(), Fault> {
        self.out.check(self.max_output, self.at)
    }

    /// Fails if so many more bytes would be too many.
    fn check_room(&self, more: usize) -> Result<(), Fault> {
        if self.out.len().saturating_add(more) > self.max_output {
            let problem = FaultKind::OutputTooLarge { limit: self.max_output };
            return Err(Fault::new(problem, self.at));
        }
        Ok(())
    }

    fn enter(&mut self, levels: usize) -> Result<(), Fault> {
        self.depth += levels;
        if self.depth > MAX_DEPTH {
            return Err(Fault::new(FaultKind::TooDeep { limit: MAX_DEPTH }, self.at));
        }
        Ok(())
    }

    fn leave(&mut self, levels: usize) {
        self.depth -= levels;
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

/// Writes a key as JSON, with its colon.
#[inline]
fn write_key(out: &mut TextOutput, text: &[u8], start: usize, end: usize, is_bare: bool) {
    if is_bare {
        out.push(b'"');
        out.copy(text, start, end);
        out.push_str("\":");
    } else {
        out.copy(text, start, end);
        out.push(b':');
    }
}
