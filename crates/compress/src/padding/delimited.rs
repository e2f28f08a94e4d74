//! Tables whose cells stand between delimiters: Markdown, `psql`, `mysql` and boxes.
//!
//! Delimiters stay. Of the rules, the outer borders go and the inner ones become `---`, in Markdown the shortest rule.
//! A row with more or fewer delimiters than the table has (one of its cells holds one) stays as it is.

use super::{Table, split_end, split_indent};
use crate::whole_lines::{first_line, whole_lines};

const VERTICALS: [char; 3] = ['│', '┃', '║'];

/// A table that begins with the first line.
pub(super) fn table(rest: &str) -> Option<Table> {
    let (_, first) = split_indent(first_line(rest));
    if first.starts_with('+') || first.starts_with(|c: char| is_box(c) && !VERTICALS.contains(&c)) {
        boxed(rest)
    } else if first.contains('|') {
        markdown(rest).or_else(|| ruled(rest))
    } else {
        None
    }
}

/// Rows between borders: `+---+---+` or `┌───┬───┐`. The table ends at the last border that rows lead up to.
fn boxed(rest: &str) -> Option<Table> {
    let columns = border_columns(first_line(rest)).filter(|&columns| columns > 1)?;
    let mut table = Draft::default();
    let mut whole = Draft::default();
    let mut lines = whole_lines(rest).enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let (indent, content, end) = parts(line);
        if border_columns(line).is_some() {
            let leads_on = lines.peek().is_some_and(|(_, next)| is_boxed_row(next));
            table.add(line, &[]);
            whole.take_from(&mut table);
            if !leads_on {
                break;
            }
            if index > 0 {
                table.text.extend([indent, "---", end]);
            }
        } else if is_boxed_row(line) {
            match boxed_cells(content).filter(|cells| cells.len() == columns) {
                Some(cells) => {
                    table.add(line, &[indent, &joined(&cells, inner_delimiter(content), ""), end])
                }
                None if index == 1 => return None,
                None => table.add(line, &[line]),
            }
        } else {
            break;
        }
    }
    whole.finished()
}

/// The cells between the outer bars of a boxed row.
fn boxed_cells(row: &str) -> Option<Vec<&str>> {
    let is_ascii = row.starts_with('|');
    let delimiter = |c: char| if is_ascii { c == '|' } else { VERTICALS.contains(&c) };
    let inner = row.strip_prefix(delimiter)?.strip_suffix(delimiter)?;
    Some(inner.split(delimiter).collect())
}

/// The delimiter between the first two cells.
fn inner_delimiter(row: &str) -> char {
    row.chars().filter(|&c| is_vertical(c)).nth(1).unwrap_or('|')
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
fn ruled(rest: &str) -> Option<Table> {
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
            _ if index == 1 => table.add(line, &["---", end]),
            0 => break,
            count if count == bars => {
                table.add(line, &[&joined(&content.split('|').collect::<Vec<_>>(), '|', ""), end]);
            }
            _ => table.add(line, &[line]),
        }
    }
    table.finished()
}

/// A header, a rule such as `|---|:-:|`, and rows, each between bars.
fn markdown(rest: &str) -> Option<Table> {
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
        if index == 1 {
            let short: String = rule.iter().map(|cell| short_rule(cell.trim()) + "|").collect();
            table.add(line, &[indent, "|", &short, end]);
        } else if cells.len() == columns {
            table.add(line, &[indent, &joined(&cells, '|', "|"), end]);
        } else {
            table.add(line, &[line]);
        }
    }
    table.finished()
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

    fn finished(self) -> Option<Table> {
        (self.lines > 2).then_some(Table { len: self.len, text: Some(self.text) })
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

fn short_rule(cell: &str) -> String {
    let colon = |is: bool| if is { ":" } else { "" };
    format!("{}-{}", colon(cell.starts_with(':')), colon(cell.ends_with(':')))
}

/// The trimmed cells with delimiters between them and `edge` around them. A space before a word is part
/// of the word's token; before a digit it is a token of its own, and left out.
fn joined(cells: &[&str], delimiter: char, edge: &str) -> String {
    let mut joined = String::from(edge);
    for (index, cell) in cells.iter().map(|cell| cell.trim_matches(' ')).enumerate() {
        if index > 0 {
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
    if !edge.is_empty() {
        joined.push(' ');
        joined.push_str(edge);
    }
    joined
}

fn is_vertical(c: char) -> bool {
    c == '|' || VERTICALS.contains(&c)
}

fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}')
}
