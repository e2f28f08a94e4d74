//! Lines as tools print them: split at `\n` alone, so that a carriage return stays part of its line.

use memchr::{memchr, memchr_iter};
use tokenforge_tokens::interrupt::tick;

/// The lines of a text without their `\n`, each with the offset where it starts.
///
/// A text that ends in `\n` has no empty line after it.
#[derive(Debug, Clone)]
pub(crate) struct LineOffsets<'a> {
    text: &'a str,
    next: usize,
}

/// The largest text that a stage takes or gives back.
pub(crate) const MAX_TEXT: usize = 64 << 20;
/// Lines shorter than this, taken together, have nothing in them to save.
const SHORTEST_LINES: usize = 4;
/// More lines than this are no output anyone reads.
pub(crate) const MOST_LINES: usize = 1 << 21;

/// All lines of a text; `None` if it is too large, or hardly more than line ends.
pub(crate) fn all(text: &str) -> Option<Vec<&str>> {
    let most = MOST_LINES.min(text.len() / SHORTEST_LINES);
    let count = count(text) - usize::from(text.is_empty() || text.ends_with('\n'));
    if text.len() > MAX_TEXT || count > most {
        return None;
    }
    let mut lines = Vec::with_capacity(count);
    lines.extend(LineOffsets::new(text).map(|(_, line)| line));
    Some(lines)
}

/// How many lines [`split_lines`] makes of a text.
pub(crate) fn count(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + 1
}

/// The text between line ends, all of it: as `text.split('\n')`, at memory speed.
pub(crate) fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let line = &text[start..end];
        tick(line.len() + 1);
        start = end + 1;
        line
    })
}

/// Writes lines, each with a `\n`.
pub(crate) fn push_all(out: &mut String, lines: &[&str]) {
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
}

impl<'a> LineOffsets<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, next: 0 }
    }

    /// Where the next line starts: just behind the `\n` of the line read last.
    pub(crate) fn offset(&self) -> usize {
        self.next
    }
}

impl<'a> Iterator for LineOffsets<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        self.next = (start + length + 1).min(self.text.len());
        tick(length + 1);
        Some((start, rest.get(..length)?))
    }
}

#[cfg(test)]
mod tests {
    use super::{LineOffsets, all, count, split_lines};

    #[test]
    fn a_text_is_split_at_every_line_end() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\r\nb\n\nc"] {
            assert!(split_lines(text).eq(text.split('\n')), "{text:?}");
            assert_eq!(count(text), split_lines(text).count(), "{text:?}");
        }
    }

    #[test]
    fn lines_keep_carriage_returns_and_know_where_they_start() {
        let lines: Vec<_> = LineOffsets::new("a\r\n\nb").collect();
        assert_eq!(lines, [(0, "a\r"), (3, ""), (4, "b")]);
        assert_eq!(LineOffsets::new("a\n").count(), 1);
        assert_eq!(LineOffsets::new("").count(), 0);
    }

    #[test]
    fn a_text_of_hardly_more_than_line_ends_has_no_lines() {
        assert_eq!(all("a line\nanother").unwrap(), ["a line", "another"]);
        assert_eq!(all("a line\nanother\n").unwrap(), ["a line", "another"]);
        assert_eq!(all("").unwrap(), [""; 0]);
        assert_eq!(all("a\n\n\nb\n"), None);
    }
}
