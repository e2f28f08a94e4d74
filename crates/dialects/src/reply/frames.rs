//! A stream, taken apart into its events: any split of the bytes gives the same events.

mod array;
mod eventstream;
mod lines;
mod out;
mod sse;

pub(super) use out::{Out, Pen};

use super::wire::Wire;
use std::borrow::Cow;
use std::ops::Range;

/// The largest event that is looked at.
const MAX_FRAME: usize = 16 << 20;

/// One event of a stream.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// All its bytes, with what ends it.
    pub(super) raw: &'a [u8],
    /// Its name, where the wire has one.
    pub(super) event: &'a str,
    /// Its payload: JSON, most of the time. Empty if there is none.
    pub(super) json: Cow<'a, str>,
    /// Where the payload stands in the bytes.
    place: Range<usize>,
    coding: Coding,
}

/// How a payload stands in its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// As it is.
    Plain,
    /// In a message with lengths and checksums.
    Message,
    /// As base64 inside a JSON string, in such a message.
    Base64Message,
    /// In one or more `data:` lines.
    DataLines,
}

impl Frame<'_> {
    /// The bytes of this frame with another payload.
    fn with(&self, json: &str) -> Vec<u8> {
        let payload = match self.coding {
            Coding::Plain | Coding::Message => Cow::Borrowed(json),
            Coding::Base64Message => Cow::Owned(eventstream::base64(json)),
            Coding::DataLines => sse::data_lines(json),
        };
        let Range { start, end } = self.place.clone();
        let mut bytes = Vec::with_capacity(self.raw.len() + payload.len());
        bytes.extend_from_slice(&self.raw[..start]);
        bytes.extend_from_slice(payload.as_bytes());
        bytes.extend_from_slice(&self.raw[end..]);
        if matches!(self.coding, Coding::Message | Coding::Base64Message) {
            eventstream::seal(&mut bytes);
        }
        bytes
    }
}

/// A stream that cannot be taken apart.
#[derive(Debug)]
pub(super) struct Broken;

/// Finds where the frames of a wire end. It remembers how far it looked, so that each byte is looked at once.
trait Scan {
    /// The length of the frame at the start of `bytes`, if it is complete. `bytes` only grows until it is.
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, Broken>;

    /// Reads a complete frame.
    fn frame<'a>(&self, raw: &'a [u8]) -> Result<Frame<'a>, Broken>;
}

/// The frames of a stream.
pub(super) struct Frames {
    wire: Wire,
    scan: Box<dyn Scan + Send + Sync>,
    bytes: Vec<u8>,
    /// Where the next frame starts.
    start: usize,
}

impl Frames {
    pub(super) fn new(wire: Wire) -> Self {
        Frames { wire, scan: scan(wire), bytes: Vec::new(), start: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete frame.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, Broken> {
        let bytes = &self.bytes[self.start..];
        let Some(length) = self.scan.end(bytes)? else {
            return if bytes.len() > MAX_FRAME { Err(Broken) } else { Ok(None) };
        };
        let raw = bytes.get(..length).filter(|raw| raw.len() <= MAX_FRAME).ok_or(Broken)?;
        let frame = self.scan.frame(raw)?;
        self.start += length;
        Ok(Some(frame))
    }

    /// The stream is over: what came of the frame that was not completed. The next stream may follow.
    pub(super) fn take_rest(&mut self) -> Vec<u8> {
        self.scan = scan(self.wire);
        let mut rest = std::mem::take(&mut self.bytes);
        rest.drain(..std::mem::take(&mut self.start));
        rest
    }

    /// Reads what [`take_rest`](Self::take_rest) gave: some upstreams do not end their last frame.
    pub(super) fn last<'a>(&self, rest: &'a [u8]) -> Result<Frame<'a>, Broken> {
        self.scan.frame(rest)
    }
}

fn scan(wire: Wire) -> Box<dyn Scan + Send + Sync> {
    match wire {
        Wire::Events => Box::new(sse::Events::default()),
        Wire::Array => Box::new(array::Array::default()),
        Wire::EventStream => Box::new(eventstream::EventStream),
        // A whole reply is not taken apart.
        Wire::Lines | Wire::Whole => Box::new(lines::Lines::default()),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Broken> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| Broken)
}
