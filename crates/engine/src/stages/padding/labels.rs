//! Labels with their values lined up: `Architecture:     x86_64`, or `Speed      : 3`.

use super::{PaddedTable, split_end, split_indent};
use crate::whole_lines::{first_line, whole_lines};
use memchr::memchr;

const MIN_LINES: usize = 3;

/// Consecutive lines of the same indentation whose values begin in the same column.
pub(super) fn table(rest: &str) -> Option<PaddedTable> {
    let first = Label::of(first_line(rest))?;
    let rows: Vec<Label<'_>> = whole_lines(rest)
        .map_while(|line| Label::of(line).filter(|label| label.lines_up_with(&first)))
        .collect();
    if rows.len() < MIN_LINES {
        return None;
    }
    let len = whole_lines(rest).take(rows.len()).map(str::len).sum();
    let text = rows.iter().any(Label::is_padded).then(|| rows.iter().map(Label::squeeze).collect());
    Some(PaddedTable { len, text })
}

/// Whether the first colon of the line has a blank after it.
pub(super) fn has_label(line: &str) -> bool {
    memchr(b':', line.as_bytes()).is_some_and(|colon| line.as_bytes().get(colon + 1) == Some(&b' '))
}

/// A line of the form `indent name gap : gap value end`.
struct Label<'a> {
    indent: &'a str,
    name: &'a str,
    before_colon: usize,
    after_colon: usize,
    value: &'a str,
    end: &'a str,
}

impl<'a> Label<'a> {
    /// Names begin with a capital; lines that end like code are code, where such literals are lined up too.
    fn of(line: &'a str) -> Option<Self> {
        let (content, end) = split_end(line);
        let (indent, rest) = split_indent(content);
        if !rest.starts_with(|c: char| c.is_ascii_uppercase())
            || rest.ends_with([',', ';', '{', '(', '[', '\\', '|'])
        {
            return None;
        }
        let (name, value) = rest.split_once(':')?;
        let before_colon = name.len() - name.trim_end_matches(' ').len();
        let after_colon = value.len() - value.trim_start_matches(' ').len();
        let name = name.trim_end_matches(' ');
        let plain = name.chars().all(|c| c.is_alphanumeric() || " ()/-_.,[]#".contains(c))
            && !name.contains("  ");
        let value = value.trim_start_matches(' ');
        (plain && after_colon > 0 && !value.is_empty()).then_some(Self {
            indent,
            name,
            before_colon,
            after_colon,
            value,
            end,
        })
    }

    fn lines_up_with(&self, other: &Self) -> bool {
        let shape =
            |label: &Self| (label.indent.to_owned(), label.value_column(), label.before_colon > 0);
        shape(self) == shape(other)
    }

    fn value_column(&self) -> usize {
        self.name.chars().count() + self.before_colon + self.after_colon
    }

    fn is_padded(&self) -> bool {
        self.before_colon > 1 || self.after_colon > 1
    }

    fn squeeze(&self) -> String {
        format!("{}{}: {}{}", self.indent, self.name, self.value, self.end)
    }
}
