//! One JSON document a line.

use super::{BrokenStream, FrameScanner, PayloadCoding, StreamFrame, text};
use memchr::memchr;
use std::borrow::Cow;

/// Finds the line breaks.
#[derive(Default)]
pub(super) struct LineScanner {
    looked: usize,
}

impl FrameScanner for LineScanner {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, BrokenStream> {
        let found = bytes.get(self.looked..).and_then(|rest| memchr(b'\n', rest));
        let end = found.map(|at| self.looked + at + 1);
        self.looked = if end.is_some() { 0 } else { bytes.len() };
        Ok(end)
    }

    fn frame<'a>(&self, raw: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream> {
        let json = text(raw)?.trim_ascii();
        let start = raw.len() - text(raw)?.trim_ascii_start().len();
        let place = start..start + json.len();
        Ok(StreamFrame {
            raw,
            event: "",
            json: Cow::Borrowed(json),
            place,
            coding: PayloadCoding::Plain,
        })
    }
}
