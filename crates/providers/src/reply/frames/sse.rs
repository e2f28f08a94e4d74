//! Server-sent events: lines up to an empty one.

use super::{BrokenStream, FrameScanner, PayloadCoding, StreamFrame, text};
use memchr::memchr2;
use std::borrow::Cow;
use std::ops::Range;

/// Finds the empty lines.
#[derive(Default)]
pub(super) struct SseScanner {
    /// Where the current line starts.
    line: usize,
    /// How far was looked for its end.
    looked: usize,
}

impl FrameScanner for SseScanner {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, BrokenStream> {
        while let Some(at) = bytes.get(self.looked..).and_then(|rest| memchr2(b'\n', b'\r', rest)) {
            let at = self.looked + at;
            self.looked = at;
            let next = match (bytes[at], bytes.get(at + 1)) {
                // Half of a line break, maybe.
                (b'\r', None) => return Ok(None),
                (b'\r', Some(b'\n')) => at + 2,
                _ => at + 1,
            };
            if at == self.line {
                *self = SseScanner::default();
                return Ok(Some(next));
            }
            (self.line, self.looked) = (next, next);
        }
        self.looked = bytes.len();
        Ok(None)
    }

    fn frame<'a>(&self, raw: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream> {
        let all = text(raw)?;
        let (mut event, mut data) = ("", Vec::new());
        for line in lines(all) {
            let (name, value) = field(all, line);
            match name {
                "event" => event = &all[value],
                "data" => data.push(value),
                _ => {}
            }
        }
        let place = match (data.first(), data.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        };
        let json = match data.as_slice() {
            [] | [_] => Cow::Borrowed(&all[place.clone()]),
            several => {
                let lines: Vec<&str> = several.iter().map(|line| &all[line.clone()]).collect();
                Cow::Owned(lines.join("\n"))
            }
        };
        Ok(StreamFrame { raw, event, json, place, coding: PayloadCoding::DataLines })
    }
}

/// A payload as it stands behind `data:`. What is not inside strings may have line breaks.
pub(super) fn data_lines(json: &str) -> Cow<'_, str> {
    if json.contains('\n') { json.replace('\n', "\ndata: ").into() } else { json.into() }
}

pub(super) fn compose(event: &str, json: &str, out: &mut Vec<u8>) {
    if !event.is_empty() {
        out.extend_from_slice(format!("event: {event}\n").as_bytes());
    }
    out.extend_from_slice(format!("data: {}\n\n", data_lines(json)).as_bytes());
}

/// The lines of an event, without their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = start..start + length;
        start = line.end + 1;
        Some(line)
    })
}

/// The name of a line's field, and where its value is.
fn field(text: &str, line: Range<usize>) -> (&str, Range<usize>) {
    let content = &text[line.clone()];
    let Some(colon) = content.find(':') else { return (content, line.end..line.end) };
    let space = usize::from(content[colon + 1..].starts_with(' '));
    (&content[..colon], line.start + colon + 1 + space..line.end)
}
