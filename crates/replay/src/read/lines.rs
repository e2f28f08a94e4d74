//! The lines of a log, one at a time and none too long.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// A longer line is passed over: no request has that much.
pub(crate) const LONGEST_LINE: usize = 32 << 20;

/// A line of a log.
pub(crate) enum LogLine<'l> {
    /// Its bytes, without the line end.
    Bytes(&'l [u8]),
    /// It is longer than [`LONGEST_LINE`].
    TooLong,
}

/// Hands over each line with its number, from one, until `take` breaks; empty ones are passed over.
pub(crate) fn each(
    input: &mut dyn BufRead,
    mut take: impl FnMut(usize, LogLine<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        // A buffer that one long line made large is not kept for the short ones.
        line.shrink_to(1 << 20);
        let line = match fill(input, &mut line)? {
            Filled::Nothing => break,
            Filled::Line if line.trim_ascii().is_empty() => continue,
            Filled::Line => LogLine::Bytes(line.trim_ascii()),
            Filled::TooLong => LogLine::TooLong,
        };
        if take(number, line).is_break() {
            break;
        }
    }
    Ok(())
}

enum Filled {
    Nothing,
    Line,
    TooLong,
}

/// Reads a line. Of one that is too long nothing is kept.
fn fill(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<Filled> {
    let (mut is_any, mut is_long) = (false, false);
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            break;
        }
        is_any = true;
        let end = memchr::memchr(b'\n', bytes);
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        is_long |= line.len() + piece.len() > LONGEST_LINE;
        if is_long {
            *line = Vec::new();
        } else {
            line.extend_from_slice(piece);
        }
        let used = end.map_or(bytes.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (is_any, is_long) {
        (false, _) => Filled::Nothing,
        (true, true) => Filled::TooLong,
        (true, false) => Filled::Line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_told_and_the_next_one_is_read() {
        let text = format!("one\n\n{}\nthree", "x".repeat(LONGEST_LINE + 1));
        let mut found = Vec::new();
        each(&mut text.as_bytes(), |number, line| {
            found.push((number, matches!(line, LogLine::Bytes(_))));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(found, [(1, true), (3, false), (4, true)]);
    }
}
