//! Framing: a stream, taken apart into its events. Any split of the bytes gives the same events.

mod array;
mod eventstream;
mod lines;
mod sse;
mod writer;

pub(crate) use writer::{ClientStream, FrameWriter};

use super::wire_format::WireFormat;
use std::borrow::Cow;
use std::ops::Range;

/// The largest event that is looked at.
const MAX_FRAME: usize = 16 << 20;

/// Frames that are longer are rare; the memory for others is reused.
const LONG_FRAME: usize = 16 << 10;

/// Some writers put this before a text in UTF-8. It is no part of the first event.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A piece of a stream.
#[derive(Debug)]
pub(crate) enum StreamPiece<'a> {
    Frame(StreamFrame<'a>),
    /// The bytes of a frame that cannot be read. The next one can be all the same.
    Unreadable(&'a [u8]),
    /// The byte order mark at the beginning of the stream.
    Mark(&'a [u8]),
}

/// One event of a stream.
#[derive(Debug)]
pub(crate) struct StreamFrame<'a> {
    /// All its bytes, with what ends it.
    pub(crate) raw: &'a [u8],
    /// Its name, where the wire has one.
    pub(crate) event: &'a str,
    /// Its payload: JSON, most of the time. Empty if there is none.
    pub(crate) json: Cow<'a, str>,
    /// Where the payload stands in the bytes.
    place: Range<usize>,
    coding: PayloadCoding,
}

/// How a payload stands in its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PayloadCoding {
    /// As it is.
    Plain,
    /// In a message with lengths and checksums.
    Message,
    /// As base64 inside a JSON string, in such a message.
    Base64Message,
    /// In one or more `data:` lines.
    DataLines,
}

impl StreamFrame<'_> {
    /// The bytes of this frame with another payload.
    fn with(&self, json: &str) -> Vec<u8> {
        let payload = match self.coding {
            PayloadCoding::Plain | PayloadCoding::Message => Cow::Borrowed(json),
            PayloadCoding::Base64Message => Cow::Owned(eventstream::base64(json)),
            PayloadCoding::DataLines => sse::data_lines(json),
        };
        let Range { start, end } = self.place.clone();
        let mut bytes = Vec::with_capacity(self.raw.len() + payload.len());
        bytes.extend_from_slice(&self.raw[..start]);
        bytes.extend_from_slice(payload.as_bytes());
        bytes.extend_from_slice(&self.raw[end..]);
        if matches!(self.coding, PayloadCoding::Message | PayloadCoding::Base64Message) {
            eventstream::seal(&mut bytes);
        }
        bytes
    }
}

/// A stream that cannot be taken apart.
#[derive(Debug)]
pub(crate) struct BrokenStream;

/// Finds where the frames of a wire end. It remembers how far it looked, so that each byte is looked at once.
trait FrameScanner {
    /// The length of the frame at the start of `bytes`, if it is complete. `bytes` only grows until it is.
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, BrokenStream>;

    /// Reads a complete frame.
    fn frame<'a>(&self, raw: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream>;
}

/// The frames of a stream.
pub(crate) struct FrameReader {
    wire: WireFormat,
    scan: Box<dyn FrameScanner + Send + Sync>,
    bytes: Vec<u8>,
    /// Where the next frame starts.
    start: usize,
    /// Nothing of the stream was read.
    is_at_beginning: bool,
}

impl FrameReader {
    pub(crate) fn new(wire: WireFormat) -> Self {
        FrameReader { wire, scan: scan(wire), bytes: Vec::new(), start: 0, is_at_beginning: true }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete piece.
    pub(crate) fn next(&mut self) -> Result<Option<StreamPiece<'_>>, BrokenStream> {
        let bytes = &self.bytes[self.start..];
        if self.is_at_beginning {
            // Half of a mark, maybe.
            if bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
                return Ok(None);
            }
            self.is_at_beginning = false;
            if self.wire != WireFormat::EventStream && bytes.starts_with(BYTE_ORDER_MARK) {
                self.start += BYTE_ORDER_MARK.len();
                return Ok(Some(StreamPiece::Mark(&bytes[..BYTE_ORDER_MARK.len()])));
            }
        }
        let Some(length) = self.scan.end(bytes)? else {
            return if bytes.len() > MAX_FRAME { Err(BrokenStream) } else { Ok(None) };
        };
        let raw = bytes.get(..length).filter(|raw| raw.len() <= MAX_FRAME).ok_or(BrokenStream)?;
        self.start += length;
        Ok(Some(match self.scan.frame(raw) {
            Ok(frame) => StreamPiece::Frame(frame),
            Err(BrokenStream) => StreamPiece::Unreadable(raw),
        }))
    }

    /// Gives back the memory of long frames that were read, so that a stream whose client hardly reads does not hold them
    /// twice: here, and as what waits for the client.
    pub(crate) fn release(&mut self) {
        if self.start > LONG_FRAME {
            self.bytes.drain(..self.start);
            self.bytes.shrink_to_fit();
            self.start = 0;
        }
    }

    /// The stream is over: what came of the frame that was not completed. The next stream may follow.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        self.scan = scan(self.wire);
        self.is_at_beginning = true;
        let mut rest = std::mem::take(&mut self.bytes);
        rest.drain(..std::mem::take(&mut self.start));
        rest
    }

    /// Reads what [`take_rest`](Self::take_rest) gave: some upstreams do not end their last frame.
    pub(crate) fn last<'a>(&self, rest: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream> {
        self.scan.frame(rest)
    }
}

fn scan(wire: WireFormat) -> Box<dyn FrameScanner + Send + Sync> {
    match wire {
        WireFormat::Events => Box::new(sse::SseScanner::default()),
        WireFormat::Array => Box::new(array::ArrayScanner::default()),
        WireFormat::EventStream => Box::new(eventstream::EventStreamScanner),
        // A whole reply is not taken apart.
        WireFormat::Lines | WireFormat::Whole => Box::new(lines::LineScanner::default()),
    }
}

fn text(bytes: &[u8]) -> Result<&str, BrokenStream> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| BrokenStream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn d68_the_memory_of_a_long_frame_is_given_back_once_it_was_read() {
        let mut frames = FrameReader::new(WireFormat::Events);
        let event = format!(": {}\n\n: next", "x".repeat(10 * LONG_FRAME));
        for piece in event.as_bytes().chunks(8 << 10) {
            frames.push(piece);
        }
        assert!(frames.next().unwrap().is_some());
        frames.release();
        assert!(frames.bytes.capacity() <= LONG_FRAME, "{}", frames.bytes.capacity());
        assert_eq!(frames.take_rest(), b": next");
    }

    const WIRES: [WireFormat; 4] =
        [WireFormat::Events, WireFormat::Lines, WireFormat::Array, WireFormat::EventStream];

    /// A stream taken apart.
    #[derive(Debug, PartialEq)]
    struct Apart {
        /// The frames: their bytes and their payloads.
        frames: Vec<(Vec<u8>, String)>,
        rest: Vec<u8>,
        is_sound: bool,
    }

    impl Apart {
        fn payloads(&self) -> Vec<&str> {
            self.frames.iter().map(|(_, json)| json.as_str()).collect()
        }
    }

    fn apart(wire: WireFormat, pieces: &[&[u8]]) -> Apart {
        let (mut frames, mut found, mut is_sound) = (FrameReader::new(wire), Vec::new(), true);
        for piece in pieces {
            frames.push(piece);
            while is_sound {
                match frames.next() {
                    Ok(Some(StreamPiece::Frame(frame))) => {
                        found.push((frame.raw.to_vec(), frame.json.into_owned()));
                    }
                    Ok(Some(StreamPiece::Unreadable(raw) | StreamPiece::Mark(raw))) => {
                        found.push((raw.to_vec(), "unread".to_owned()));
                    }
                    Ok(None) => break,
                    Err(BrokenStream) => is_sound = false,
                }
            }
        }
        Apart { frames: found, rest: frames.take_rest(), is_sound }
    }

    #[test]
    fn events_end_at_empty_lines_of_any_kind() {
        let stream = ": hi\n\ndata: 1\r\n\r\nevent: x\rdata:2\r\r\n\ndata: {\ndata: }\n\nid: 3";
        let apart = apart(WireFormat::Events, &[stream.as_bytes()]);
        assert_eq!(apart.payloads(), ["", "1", "2", "", "{\n}"]);
        assert_eq!(apart.rest, b"id: 3");
    }

    #[test]
    fn elements_of_an_array_end_where_their_braces_do() {
        let stream = "[{\"a\":\"}]\\\"\"}\n,\r\n{\"b\":[{}]}]\n";
        let array = apart(WireFormat::Array, &[stream.as_bytes()]);
        assert_eq!(array.payloads(), ["{\"a\":\"}]\\\"\"}", "{\"b\":[{}]}", ""]);
        assert_eq!(array.rest, b"\n");
        for odd in ["{}", "[1]", "[{},,{}]", "[{}{}]", "[{}]x", ",{}", "[[{}]]"] {
            assert!(!apart(WireFormat::Array, &[odd.as_bytes()]).is_sound, "{odd}");
        }
    }

    #[test]
    fn another_payload_stands_where_the_first_one_stood() {
        for (wire, raw, with) in [
            (
                WireFormat::Events,
                "event: a\r\ndata:{}\r\nid: 1\r\n\r\n",
                "event: a\r\ndata:[1]\r\nid: 1\r\n\r\n",
            ),
            (WireFormat::Events, "data: {\ndata: }\n\n", "data: [1]\n\n"),
            (WireFormat::Lines, " {} \r\n", " [1] \r\n"),
        ] {
            let frame = scan(wire).frame(raw.as_bytes()).unwrap();
            assert_eq!(str::from_utf8(&frame.with("[1]")).unwrap(), with);
        }
        let frame = scan(WireFormat::Events).frame(b"data: {}\n\n").unwrap();
        assert_eq!(frame.with("{\n}"), b"data: {\ndata: }\n\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn g25_any_split_gives_the_same_frames_and_no_byte_is_lost(
            stream in prop_oneof![
                "\u{feff}?(data: \\{\\}|event: é|: c|\r\n|\n|\r|\\[|\\]|,|\\{\"a\":\"[x\"\\\\]|\"\\}){0,20}".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..60),
            ],
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
            for wire in WIRES {
                let whole = apart(wire, &[&stream]);
                let frames = whole.frames.iter().flat_map(|(raw, _)| raw);
                let all: Vec<u8> = frames.chain(&whole.rest).copied().collect();
                prop_assert_eq!(&all, &stream);
                prop_assert_eq!(whole, apart(wire, &pieces));
            }
        }
    }
}
