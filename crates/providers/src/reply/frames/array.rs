//! One JSON array that grows: a frame is an element with the comma or bracket before it; the last one is the array's end.

use super::{BrokenStream, FrameScanner, PayloadCoding, StreamFrame, text};
use std::borrow::Cow;

/// Finds the ends of the elements, which are objects.
#[derive(Default)]
pub(super) struct ArrayScanner {
    looked: usize,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    between: Between,
}

/// What may come next outside the elements.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// The array's bracket.
    #[default]
    Start,
    /// The first element, or the array's end.
    First,
    /// Another element.
    Element,
    /// A comma, or the array's end.
    Comma,
    /// Nothing.
    End,
}

impl FrameScanner for ArrayScanner {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, BrokenStream> {
        for (at, byte) in bytes.iter().enumerate().skip(self.looked) {
            if self.ends_with(*byte)? {
                self.looked = 0;
                return Ok(Some(at + 1));
            }
        }
        self.looked = bytes.len();
        Ok(None)
    }

    fn frame<'a>(&self, raw: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream> {
        let text = text(raw)?;
        let start = text.find('{').unwrap_or(text.len());
        let json = Cow::Borrowed(&text[start..]);
        Ok(StreamFrame {
            raw,
            event: "",
            json,
            place: start..text.len(),
            coding: PayloadCoding::Plain,
        })
    }
}

impl ArrayScanner {
    fn ends_with(&mut self, byte: u8) -> Result<bool, BrokenStream> {
        if self.depth == 0 {
            return self.ends_between(byte);
        }
        if self.in_string {
            self.in_string = byte != b'"' || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return Ok(false);
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        Ok(self.depth == 0)
    }

    fn ends_between(&mut self, byte: u8) -> Result<bool, BrokenStream> {
        self.between = match (byte, self.between) {
            (b' ' | b'\n' | b'\r' | b'\t', between) => between,
            (b'[', Between::Start) => Between::First,
            (b',', Between::Comma) => Between::Element,
            (b'{', Between::First | Between::Element) => {
                self.depth = 1;
                Between::Comma
            }
            (b']', Between::First | Between::Comma) => Between::End,
            _ => return Err(BrokenStream),
        };
        Ok(byte == b']')
    }
}
