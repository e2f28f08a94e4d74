//! Server-sent events: messages in a stream of bytes.

use crate::message::LONGEST_MESSAGE;
use std::time::Duration;

/// A message as an event.
#[must_use]
pub fn frame(message: &str) -> String {
    let mut frame = String::with_capacity(message.len() + 24);
    frame.push_str("event: message\n");
    // JSON may be written over many lines.
    for line in message.split(['\n', '\r']) {
        frame.push_str("data: ");
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame
}

/// A message as an event that a client can name when it asks for what came after it.
#[must_use]
pub fn numbered(id: &str, message: &str) -> String {
    format!("id: {id}\n{}", frame(message))
}

/// An event without a message: where a client can take up the stream before anything was said on it, and after what
/// time.
#[must_use]
pub fn primer(id: &str, retry: Duration) -> String {
    format!("id: {id}\nretry: {}\ndata: \n\n", retry.as_millis())
}

/// After what time a client whose stream ends may ask for the rest.
#[must_use]
pub fn retry(after: Duration) -> String {
    format!("retry: {}\n\n", after.as_millis())
}

/// The comment on a silent stream, so that no client takes the stream for dead.
pub const ALIVE: &str = ": alive\n\n";

/// An event that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// What it says.
    pub data: String,
}

/// Reads events from pieces of a stream, cut anywhere.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    data: Option<String>,
    /// The number of the event that is being read.
    id: Option<String>,
    after_return: bool,
    /// The last event that came whole and was numbered.
    pub last_id: Option<String>,
    /// How long to wait before asking for the rest.
    pub retry: Option<Duration>,
}

/// An event is longer than any message may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message of more than 8 MiB")]
pub struct TooLong;

impl SseReader {
    /// Takes in a piece and gives out the events that are whole.
    ///
    /// # Errors
    /// An event is too long; nothing more can be read.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut events = Vec::new();
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_second_half =
                std::mem::take(&mut self.after_return) && end == 0 && rest[0] == b'\n';
            if !is_second_half {
                self.line.extend_from_slice(&rest[..end]);
                self.end_of_line(&mut events);
            }
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.bound()?;
        }
        if !rest.is_empty() {
            self.after_return = false;
        }
        self.line.extend_from_slice(rest);
        self.bound()?;
        Ok(events)
    }

    /// Another stream goes on after the last event that came whole: what came of the next one is forgotten.
    pub fn restart(&mut self) {
        self.line.clear();
        (self.data, self.id, self.after_return) = (None, None, false);
    }

    fn bound(&self) -> Result<(), TooLong> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held > LONGEST_MESSAGE { Err(TooLong) } else { Ok(()) }
    }

    fn end_of_line(&mut self, events: &mut Vec<SseEvent>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            if let Some(id) = self.id.take() {
                self.last_id = Some(id).filter(|id| !id.is_empty());
            }
            events.extend(
                self.data.take().filter(|data| !data.is_empty()).map(|data| SseEvent { data }),
            );
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if value.len() <= 1024 && !value.contains('\0') => {
                self.id = Some(value.to_owned());
            }
            "retry" => {
                if let Ok(wait) = value.parse() {
                    self.retry = Some(Duration::from_millis(wait));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_are_read_as_browsers_read_them() {
        let text = "\u{feff}: hello\r\nid: 1\r\nretry: 250\r\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata\n\nevent: x\rdata: b\r\rdata: half";
        let mut reader = SseReader::default();
        let events = reader.push(text.as_bytes()).unwrap();
        let data: Vec<&str> = events.iter().map(|event| event.data.as_str()).collect();
        assert_eq!(data, ["{\"a\":\n1}", "b"]);
        assert_eq!(reader.last_id.as_deref(), Some("1"));
        assert_eq!(reader.retry, Some(Duration::from_millis(250)));
    }

    #[test]
    fn m11_an_event_that_broke_off_is_asked_for_again_and_no_part_of_it_stays() {
        let mut reader = SseReader::default();
        let event = "id: 2\nretry: soon\ndata: {\"b\":2}\n\n";
        for cut in 1..event.len() {
            reader.push(b"id: 1\nretry: 7\ndata: {\"a\":1}\n\n").unwrap();
            assert!(reader.push(&event.as_bytes()[..cut]).unwrap().is_empty(), "{cut}");
            assert_eq!(reader.last_id.as_deref(), Some("1"), "{cut}");
            reader.restart();
            let again = reader.push(event.as_bytes()).unwrap();
            assert_eq!(again, [SseEvent { data: "{\"b\":2}".to_owned() }], "{cut}");
            assert_eq!(reader.last_id.as_deref(), Some("2"));
            assert_eq!(reader.retry, Some(Duration::from_millis(7)));
        }
        reader.push(b"id\ndata: x\n\n").unwrap();
        assert_eq!(reader.last_id, None, "an empty number is none");
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut reader = SseReader::default();
        let piece = vec![b'x'; 1 << 20];
        assert!((0..9).any(|_| reader.push(&piece).is_err()));
    }

    proptest! {
        #[test]
        fn wherever_the_stream_is_cut_the_messages_are_the_same(
            messages in prop::collection::vec("[ -~\\né]{1,20}", 1..5), cut in 1usize..9
        ) {
            let stream: String = messages.iter().map(|message| frame(message)).collect();
            let mut reader = SseReader::default();
            let mut read = Vec::new();
            for piece in stream.as_bytes().chunks(cut) {
                read.extend(reader.push(piece).unwrap().into_iter().map(|event| event.data));
            }
            prop_assert_eq!(read, messages);
        }
    }
}
