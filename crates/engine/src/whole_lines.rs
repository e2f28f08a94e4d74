//! Lines with their ends, found at memory speed.

use memchr::memchr;

/// The lines of the text, each with its `\n`; the last may lack one.
pub(crate) fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |newline| newline + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// The first line of the text, with its `\n`.
pub(crate) fn first_line(text: &str) -> &str {
    whole_lines(text).next().unwrap_or_default()
}
