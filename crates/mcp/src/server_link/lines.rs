//! Line framing with a bound: lines of a program's output, of which none is too long to be held.

use crate::message::LONGEST_MESSAGE;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much of the start and the end of a line that is too long is looked at.
const EDGE: usize = 256;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BoundedLine {
    /// All of it, without its end.
    Whole(String),
    /// It is longer than any message may be.
    TooLong(LongMessage),
}

/// What can be seen of a message that is too long to be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LongMessage {
    /// How its id is written.
    pub(crate) id: Option<String>,
    /// It is a request or a notification, and answers nothing.
    pub(crate) has_method: bool,
}

impl LongMessage {
    /// What its first and last bytes show: beside what it says at length.
    pub(crate) fn seen(head: &[u8], tail: &[u8]) -> Self {
        let head = String::from_utf8_lossy(&head[..head.len().min(EDGE)]);
        let long = ["\"result\"", "\"error\"", "\"params\""];
        let end = long.iter().filter_map(|name| head.find(name)).min().unwrap_or(head.len());
        let tail = String::from_utf8_lossy(tail);
        let tail = tail.trim_end().rsplit('}').nth(1).unwrap_or_default();
        let around = [&head[..end], tail];
        LongMessage {
            id: around.iter().find_map(|text| id(text)),
            has_method: around.iter().any(|text| text.contains("\"method\"")),
        }
    }
}

/// Reads lines.
pub(crate) struct BoundedLines<R> {
    reader: BufReader<R>,
}

impl<R: AsyncRead + Unpin> BoundedLines<R> {
    pub(crate) fn new(reader: R) -> Self {
        BoundedLines { reader: BufReader::with_capacity(64 << 10, reader) }
    }

    /// The next line that is not empty; `None`: there is none.
    pub(crate) async fn next(&mut self) -> Option<BoundedLine> {
        loop {
            match self.read().await? {
                BoundedLine::Whole(text) if text.trim().is_empty() => {}
                line => return Some(line),
            }
        }
    }

    async fn read(&mut self) -> Option<BoundedLine> {
        let (mut line, mut tail) = (Vec::new(), None::<Vec<u8>>);
        loop {
            let piece = self.reader.fill_buf().await.ok()?;
            if piece.is_empty() {
                return if line.is_empty() { None } else { Some(whole(line, tail)) };
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let part = &piece[..end.unwrap_or(piece.len())];
            match &mut tail {
                None if line.len() + part.len() <= LONGEST_MESSAGE => line.extend_from_slice(part),
                None => {
                    line.truncate(EDGE);
                    tail = Some(last(&[], part));
                }
                Some(tail) => *tail = last(tail, part),
            }
            let length = part.len() + usize::from(end.is_some());
            self.reader.consume(length);
            if end.is_some() {
                return Some(whole(line, tail));
            }
        }
    }
}

fn whole(line: Vec<u8>, tail: Option<Vec<u8>>) -> BoundedLine {
    match tail {
        None => BoundedLine::Whole(match String::from_utf8(line) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
        Some(tail) => BoundedLine::TooLong(LongMessage::seen(&line, &tail)),
    }
}

/// The last bytes of two pieces.
pub(crate) fn last(before: &[u8], piece: &[u8]) -> Vec<u8> {
    let joined = [before, &piece[piece.len().saturating_sub(EDGE)..]].concat();
    joined[joined.len().saturating_sub(EDGE)..].to_vec()
}

/// The id that is written here, if it is a number or a text without escapes.
fn id(text: &str) -> Option<String> {
    let (_, behind) = text.rsplit_once("\"id\":")?;
    let behind = behind.trim_start();
    let end = match behind.strip_prefix('"') {
        Some(rest) => rest.find(['"', '\\']).filter(|at| rest[*at..].starts_with('"'))? + 2,
        None => behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len()),
    };
    Some(behind[..end].to_owned()).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<BoundedLine> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut lines = BoundedLines::new(text);
            let mut read = Vec::new();
            while let Some(line) = lines.next().await {
                read.push(line);
            }
            read
        })
    }

    #[test]
    fn lines_are_read_whole_and_empty_ones_passed() {
        let whole = |text: &str| BoundedLine::Whole(text.to_owned());
        assert_eq!(lines(b"a\n\r\n\nb\r\nc"), [whole("a"), whole("b\r"), whole("c")]);
    }

    #[test]
    fn a_line_without_end_is_not_held_and_what_it_answers_is_found() {
        let long = "x".repeat(LONGEST_MESSAGE);
        let first = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"id\":9,\"t\":\"{long}\"}}}}\nnext"
        );
        let last =
            format!("{{\"result\":{{\"id\":9,\"t\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":8}}");
        let answer = |id: &str| {
            BoundedLine::TooLong(LongMessage { id: Some(id.to_owned()), has_method: false })
        };
        assert_eq!(lines(first.as_bytes()), [answer("7"), BoundedLine::Whole("next".to_owned())]);
        assert_eq!(lines(last.as_bytes()), [answer("8")]);
        assert_eq!(lines(last.replace(":8}", ":\"a-8\"}\r\n").as_bytes()), [answer("\"a-8\"")]);
    }

    #[test]
    fn m17_what_is_too_long_and_asks_or_tells_is_no_answer() {
        let long = format!("{{\"id\":9,\"t\":\"{}\"}}", "x".repeat(LONGEST_MESSAGE));
        for (text, id) in [
            (format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{long}}}"#), None),
            (format!(r#"{{"params":{long},"method":"notifications/x"}}"#), None),
            (format!(r#"{{"jsonrpc":"2.0","id":5,"method":"x","params":{long}}}"#), Some("5")),
        ] {
            let seen = LongMessage { id: id.map(str::to_owned), has_method: true };
            assert_eq!(lines(text.as_bytes()), [BoundedLine::TooLong(seen)], "{}", &text[..60]);
        }
    }
}
