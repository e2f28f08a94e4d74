//! Tables whose cells stand between delimiters: Markdown, `psql`, `mysql` and boxes.
//!
//! Delimiters, rules and borders stay as they are: a terminal shows them, and nothing could put them back.
//! A row with more or fewer delimiters than the table has (one of its cells holds one) stays as it is.

use super::{PaddedTable, split_end, split_indent};
use crate::whole_lines::{first_line, whole_lines};
use std::iter::{once, repeat};

const VERTICALS: [char; 3] = ['│', '┃', '║'];

/// A table that begins with the first line.
pub(super) fn table(rest: &str) -> Option<PaddedTable> {
    let (_, first) = split_indent(first_line(rest));
    if first.starts_with('+') || first.starts_with(|c: char| is_box(c) && !VERTICALS.contains(&c)) {
        boxed_table(rest)
    } else if first.contains('|') {
        markdown(rest).or_else(|| ruled_table(rest))
    } else {
        None
    }
}

/// Rows between borders: `+---+---+` or `┌───┬───┐`. The table ends at the last border that rows lead up to.
fn boxed_table(rest: &str) -> Option<PaddedTable> {
    let columns = border_columns(first_line(rest)).filter(|&columns| columns > 1)?;
    let mut table = Draft::default();
    let mut whole = Draft::default();
    let mut lines = whole_lines(rest).enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let (indent, content, end) = parts(line);
        if border_columns(line).is_some() {
            table.add(line, &[line]);
            whole.take_from(&mut table);
            if !lines.peek().is_some_and(|(_, next)| is_boxed_row(next)) {
                break;
            }
        } else if is_boxed_row(line) {
            match boxed_row(content, columns) {
                Some(row) => table.add(line, &[indent, &row, end]),
                None if index == 1 => return None,
                None => table.add(line, &[line]),
            }
        } else {
            break;
        }
    }
    whole.finish()
}

/// A boxed row of so many cells without their padding, its outer bars included.
fn boxed_row(row: &str, columns: usize) -> Option<String> {
    let is_ascii = row.starts_with('|');
    let is_bar = |c: char| if is_ascii { c == '|' } else { VERTICALS.contains(&c) };
    let cells: Vec<&str> = row.split(is_bar).collect();
    let is_whole = cells.len() == columns + 2 && row.starts_with(is_bar) && row.ends_with(is_bar);
    is_whole.then(|| join_cells(&cells, row.chars().filter(|&c| is_bar(c))))
}

/// How many columns a border has.
fn border_columns(line: &str) -> Option<usize> {
    let (_, content, _) = parts(line);
    let ascii = content.starts_with("+-") || content.starts_with("+=");
    if ascii && content.ends_with('+') && content.chars().all(|c| "+-=".contains(c)) {
        return Some(content.matches('+').count() - 1);
    }
    let boxed = content.chars().count() > 2
        && content.chars().all(|c| is_box(c) && !VERTICALS.contains(&c));
    boxed.then(|| {
        content.chars().filter(|c| !matches!(c, '─' | '━' | '═')).count().saturating_sub(1)
    })
}

fn is_boxed_row(line: &str) -> bool {
    let (_, content, _) = parts(line);
    content.len() > 1 && content.starts_with(is_vertical) && content.ends_with(is_vertical)
}

/// A header, a rule such as `----+----`, and rows, as `psql` writes them.
fn ruled_table(rest: &str) -> Option<PaddedTable> {
    let mut lines = whole_lines(rest);
    let bars = lines.next()?.matches('|').count();
    let (rule, _) = split_end(lines.next()?);
    let is_rule =
        rule.starts_with('-') && rule.ends_with('-') && rule.chars().all(|c| "-+".contains(c));
    if !is_rule || bars == 0 || rule.matches('+').count() != bars {
        return None;
    }
    let mut table = Draft::default();
    for (index, line) in whole_lines(rest).enumerate() {
        let (content, end) = split_end(line);
        match content.matches('|').count() {
            _ if index == 1 => table.add(line, &[line]),
            0 => break,
            count if count == bars => {
                let cells: Vec<&str> = content.split('|').collect();
                table.add(line, &[&join_cells(&cells, repeat('|')), end]);
            }
            _ => table.add(line, &[line]),
        }
    }
    table.finish()
}

/// A header, a rule such as `|---|:-:|`, and rows, each between bars.
fn markdown(rest: &str) -> Option<PaddedTable> {
    let mut lines = whole_lines(rest);
    let header = lines.next()?;
    let rule =
        lines.next().filter(|rule| rule.bytes().all(|byte| b"|-: \t\r\n".contains(&byte)))?;
    let (columns, rule) = (markdown_cells(header)?.len(), markdown_cells(rule)?);
    if rule.len() != columns || !rule.iter().all(|cell| is_markdown_rule(cell.trim())) {
        return None;
    }
    let mut table = Draft::default();
    for (index, line) in whole_lines(rest).enumerate() {
        let Some(cells) = markdown_cells(line) else { break };
        let (indent, _, end) = parts(line);
        if index != 1 && cells.len() == columns {
            let cells = [&[""], &cells[..], &[""]].concat();
            table.add(line, &[indent, &join_cells(&cells, repeat('|')), end]);
        } else {
            table.add(line, &[line]);
        }
    }
    table.finish()
}

/// A table in the making.
#[derive(Default)]
struct Draft {
    lines: usize,
    len: usize,
    text: String,
}

impl Draft {
    /// Adds a line of the original and what becomes of it.
    fn add(&mut self, line: &str, squeezed: &[&str]) {
        self.lines += 1;
        self.len += line.len();
        self.text.extend(squeezed.iter().copied());
    }

    fn take_from(&mut self, part: &mut Self) {
        let part = std::mem::take(part);
        self.lines += part.lines;
        self.len += part.len;
        self.text.push_str(&part.text);
    }

    fn finish(self) -> Option<PaddedTable> {
        (self.lines > 2).then_some(PaddedTable { len: self.len, text: Some(self.text) })
    }
}

/// The line's indentation, content and end.
fn parts(line: &str) -> (&str, &str, &str) {
    let (indent, rest) = split_indent(line);
    let (content, end) = split_end(rest);
    (indent, content, end)
}

/// The cells between the outer bars; a bar after a backslash is text.
fn markdown_cells(line: &str) -> Option<Vec<&str>> {
    let (_, content, _) = parts(line);
    let inner =
        content.strip_prefix('|')?.strip_suffix('|').filter(|inner| !inner.ends_with('\\'))?;
    let mut cells = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b'|', inner.as_bytes()) {
        if at == 0 || inner.as_bytes()[at - 1] != b'\\' {
            cells.push(&inner[start..at]);
            start = at + 1;
        }
    }
    cells.push(&inner[start..]);
    Some(cells)
}

fn is_markdown_rule(cell: &str) -> bool {
    let dashes = cell.strip_prefix(':').unwrap_or(cell);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
}

/// The trimmed cells with delimiters between them; an empty cell at an end stands for the edge of the row. A space before a
/// word is part of the word's token; before a digit it is a token of its own, and left out.
fn join_cells(cells: &[&str], delimiters: impl Iterator<Item = char>) -> String {
    let mut joined = String::new();
    // Before the first cell there is none.
    let delimiters = once(None).chain(delimiters.map(Some));
    for (cell, delimiter) in cells.iter().map(|cell| cell.trim_matches(' ')).zip(delimiters) {
        if let Some(delimiter) = delimiter {
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push(delimiter);
        }
        if !joined.is_empty() && !cell.is_empty() && !cell.starts_with(|c: char| c.is_ascii_digit())
        {
            joined.push(' ');
        }
        joined.push_str(cell);
    }
    joined
}

fn is_vertical(c: char) -> bool {
    c == '|' || VERTICALS.contains(&c)
}

fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}')
}
