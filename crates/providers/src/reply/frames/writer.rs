//! Writing frames to the client.

use super::{StreamFrame, eventstream, sse};
use crate::dialect::Dialect;
use crate::reply::wire_format::WireFormat;

/// Where a dialect writes what the client gets.
pub(crate) struct FrameWriter<'a> {
    client: &'a mut ClientStream,
    bytes: &'a mut Vec<u8>,
}

/// What is known of the client's stream.
pub(crate) struct ClientStream {
    dialect: Dialect,
    wire: WireFormat,
    /// Of an array: whether the client has an element of it.
    is_begun: bool,
    /// Of an array: its end, which is written when the client's reply is over.
    end: Vec<u8>,
}

impl ClientStream {
    pub(crate) fn new(dialect: Dialect, wire: WireFormat) -> Self {
        ClientStream { dialect, wire, is_begun: false, end: Vec::new() }
    }

    pub(crate) fn writer<'a>(&'a mut self, bytes: &'a mut Vec<u8>) -> FrameWriter<'a> {
        FrameWriter { client: self, bytes }
    }

    /// Another reply of the upstream follows: the end of this one was not the client's.
    pub(crate) fn go_on(&mut self) {
        self.end.clear();
    }
}

impl FrameWriter<'_> {
    /// A frame as it came.
    pub(crate) fn pass(&mut self, frame: &StreamFrame<'_>) {
        match self.client.wire {
            WireFormat::Array if frame.json.is_empty() => {
                self.client.end.extend_from_slice(frame.raw)
            }
            WireFormat::Array => {
                self.element(&frame.raw[..frame.place.start], frame.json.as_bytes());
            }
            _ => self.bytes.extend_from_slice(frame.raw),
        }
    }

    /// A frame that cannot be read, as it came.
    pub(crate) fn unreadable(&mut self, raw: &[u8]) {
        match (self.client.wire, memchr::memchr(b'{', raw)) {
            (WireFormat::Array, Some(start)) => self.element(&raw[..start], &raw[start..]),
            _ => self.bytes.extend_from_slice(raw),
        }
    }

    /// A frame with another payload.
    pub(crate) fn with(&mut self, frame: &StreamFrame<'_>, json: &str) {
        match self.client.wire {
            _ if json == frame.json => self.pass(frame),
            WireFormat::Array => {
                self.element(&frame.raw[..frame.place.start], json.as_bytes());
            }
            _ => self.bytes.extend_from_slice(&frame.with(json)),
        }
    }

    /// A frame of our own.
    pub(crate) fn compose(&mut self, event: &str, json: &str) {
        match self.client.wire {
            WireFormat::Events => sse::compose(event, json, self.bytes),
            WireFormat::Array => self.element(b",\r\n", json.as_bytes()),
            WireFormat::EventStream if self.client.dialect.profile().encodes_events => {
                let json = format!(r#"{{"bytes":"{}"}}"#, eventstream::base64(json));
                eventstream::compose("chunk", &json, self.bytes);
            }
            WireFormat::EventStream => eventstream::compose(event, json, self.bytes),
            WireFormat::Lines | WireFormat::Whole => {
                self.bytes.extend_from_slice(json.as_bytes());
                self.bytes.push(b'\n');
            }
        }
    }

    /// An error, in the dialect's own frame for it.
    pub(crate) fn error(&mut self, status: u16, document: &str) {
        let event = self.client.dialect.api().error_event(status);
        match self.client.wire {
            WireFormat::EventStream => eventstream::exception(event, document, self.bytes),
            _ => self.compose(event, document),
        }
    }

    /// Bytes that are no frame.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.append(&mut self.client.end);
        self.bytes.extend_from_slice(bytes);
    }

    /// The client's reply is over, because the upstream's is.
    pub(crate) fn end(&mut self) {
        let has_bracket = self.client.is_begun || self.client.end.contains(&b'[');
        if self.client.end.contains(&b']') && !has_bracket {
            self.bytes.push(b'[');
        }
        self.raw(b"");
    }

    /// The client's reply is over, wherever the upstream's is.
    pub(crate) fn close(&mut self) {
        if self.client.wire == WireFormat::Array && !self.client.end.contains(&b']') {
            self.client.end.push(b']');
        }
        self.end();
    }

    /// An element of an array, with a comma before it or the bracket that opens the array.
    fn element(&mut self, before: &[u8], json: &[u8]) {
        let (right, wrong) = if self.client.is_begun { (b',', b'[') } else { (b'[', b',') };
        let before = before.iter().map(|byte| if *byte == wrong { right } else { *byte });
        self.bytes.extend(before);
        self.bytes.extend_from_slice(json);
        self.client.is_begun = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::frames::{FrameReader, StreamPiece};

    /// Two streams as one array: what the client gets if it gets the elements for which `is_kept` says so.
    fn client(streams: [&str; 2], is_kept: impl Fn(&str) -> bool) -> String {
        let (mut client, mut bytes) =
            (ClientStream::new(Dialect::Gemini, WireFormat::Array), Vec::new());
        for stream in streams {
            client.go_on();
            let mut frames = FrameReader::new(WireFormat::Array);
            frames.push(stream.as_bytes());
            while let Ok(Some(StreamPiece::Frame(frame))) = frames.next() {
                if frame.json.is_empty() || is_kept(&frame.json) {
                    client.writer(&mut bytes).pass(&frame);
                }
            }
        }
        client.writer(&mut bytes).end();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn elements_that_are_left_out_leave_an_array() {
        let streams = ["[{\"a\":1}\n,\n{\"a\":2}\n]", "[{\"a\":3},\n{\"a\":4}\n]"];
        let without = |kept: &'static str| client(streams, move |json| !kept.contains(&json[5..6]));
        assert_eq!(without(""), "[{\"a\":1}\n,\n{\"a\":2},{\"a\":3},\n{\"a\":4}\n]");
        assert_eq!(without("12"), "[{\"a\":3},\n{\"a\":4}\n]");
        assert_eq!(without("13"), "\n[\n{\"a\":2},\n{\"a\":4}\n]");
        assert_eq!(without("1234"), "[\n]");
    }

    #[test]
    fn an_array_that_is_given_up_is_closed() {
        let (mut client, mut bytes) =
            (ClientStream::new(Dialect::Gemini, WireFormat::Array), Vec::new());
        let mut out = client.writer(&mut bytes);
        out.compose("", "{}");
        out.compose("", "{}");
        out.close();
        assert_eq!(bytes, b"[\r\n{},\r\n{}]");
    }
}
