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
    TooLong {
        /// The id of the request that it answers, if that can be seen.
        id: Option<u64>,
    },
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
        Some(tail) => BoundedLine::TooLong { id: id(&line, &tail) },
    }
}

/// The last bytes of two pieces.
fn last(before: &[u8], piece: &[u8]) -> Vec<u8> {
    let joined = [before, &piece[piece.len().saturating_sub(EDGE)..]].concat();
    joined[joined.len().saturating_sub(EDGE)..].to_vec()
}

/// The id of an answer, which servers write before the result or after it.
fn id(head: &[u8], tail: &[u8]) -> Option<u64> {
    let head = String::from_utf8_lossy(head);
    let head = head.split("\"result\"").next().unwrap_or_default();
    let tail = String::from_utf8_lossy(tail);
    let tail = tail.rsplit('}').nth(1).unwrap_or_default();
    [head, tail].into_iter().find_map(|text| {
        let (_, behind) = text.rsplit_once("\"id\":")?;
        let digits: String = behind.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
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
        let [BoundedLine::TooLong { id: Some(7) }, BoundedLine::Whole(next)] =
            &lines(first.as_bytes())[..]
        else {
            panic!("expected an id")
        };
        assert_eq!(next, "next");
        assert_eq!(lines(last.as_bytes()), [BoundedLine::TooLong { id: Some(8) }]);
    }
}
