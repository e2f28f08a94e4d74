//! Tables whose cells stand between delimiters: Markdown, `psql`, `mysql` and boxes.
//!
//! Delimiters stay. Of the rules, the outer borders go and the inner ones become `---`, in Markdown the shortest rule.
//! A row with more or fewer delimiters than the table has (one of its cells holds one) stays as it is.

use super::{Table, split_end, split_indent};

const VERTICALS: [char; 3] = ['│', '┃', '║'];

/// A table that begins with the first of these lines.
pub(super) fn table(lines: &[&str]) -> Option<Table> {
    let (_, first) = split_indent(lines.first()?);
    if first.starts_with('+') || first.starts_with(|c: char| is_box(c) && !VERTICALS.contains(&c)) {
        boxed(lines)
    } else if first.contains('|') {
        markdown(lines).or_else(|| ruled(lines))
    } else {
        None
    }
}

/// Rows between borders: `+---+---+` or `┌───┬───┐`. The table ends at the last border that rows lead up to.
fn boxed(lines: &[&str]) -> Option<Table> {
    let columns = border_columns(lines.first()?).filter(|&columns| columns > 1)?;
    let mut text = String::new();
    let mut table = Table { lines: 0, text: String::new() };
    for (index, line) in lines.iter().enumerate() {
        let (indent, rest) = split_indent(line);
        let (content, end) = split_end(rest);
        if border_columns(line).is_some() {
            table.text.push_str(&text);
            table.lines = index + 1;
            text.clear();
            if !lines.get(index + 1).is_some_and(|next| is_boxed_row(next)) {
                break;
            }
            if index > 0 {
                text.extend([indent, "---", end]);
            }
        } else if is_boxed_row(line) {
            let delimiter =
                |c: char| if content.starts_with('|') { c == '|' } else { VERTICALS.contains(&c) };
            let cells: Vec<&str> = content.split(delimiter).collect();
            let inner = cells.get(1..cells.len() - 1).filter(|inner| inner.len() == columns);
            match inner {
                Some(inner) => {
                    text.extend([indent, &joined(inner, inner_delimiter(content), ""), end])
                }
                None if index == 1 => return None,
                None => text.push_str(line),
            }
        } else {
            break;
        }
    }
    (table.lines > 2).then_some(table)
}

/// The delimiter between the first two cells.
fn inner_delimiter(row: &str) -> char {
    row.chars().filter(|&c| is_vertical(c)).nth(1).unwrap_or('|')
}

/// How many columns a border has.
fn border_columns(line: &str) -> Option<usize> {
    let (_, rest) = split_indent(line);
    let (content, _) = split_end(rest);
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
    let (_, rest) = split_indent(line);
    let (content, _) = split_end(rest);
    content.len() > 1 && content.starts_with(is_vertical) && content.ends_with(is_vertical)
}

/// A header, a rule such as `----+----`, and rows, as `psql` writes them.
fn ruled(lines: &[&str]) -> Option<Table> {
    let (rule, rule_end) = split_end(lines.get(1)?);
    let is_rule =
        rule.starts_with('-') && rule.ends_with('-') && rule.chars().all(|c| "-+".contains(c));
    let bars = rule.matches('+').count();
    if !is_rule || bars == 0 || lines[0].matches('|').count() != bars {
        return None;
    }
    let mut text = String::new();
    let mut taken = 0;
    for (index, line) in lines.iter().enumerate() {
        let (content, end) = split_end(line);
        match content.matches('|').count() {
            _ if index == 1 => text.extend(["---", rule_end]),
            0 => break,
            count if count == bars => {
                let cells: Vec<&str> = content.split('|').collect();
                text.extend([&joined(&cells, '|', ""), end]);
            }
            _ => text.push_str(line),
        }
        taken = index + 1;
    }
    (taken > 2).then_some(Table { lines: taken, text })
}

/// A header, a rule such as `|---|:-:|`, and rows, each between bars.
fn markdown(lines: &[&str]) -> Option<Table> {
    let header = markdown_cells(lines.first()?)?;
    let rule = markdown_cells(lines.get(1)?)?;
    if header.len() != rule.len() || !rule.iter().all(|cell| is_markdown_rule(cell.trim())) {
        return None;
    }
    let mut text = String::new();
    let mut taken = 0;
    for (index, line) in lines.iter().enumerate() {
        let Some(cells) = markdown_cells(line) else { break };
        let (indent, rest) = split_indent(line);
        let (_, end) = split_end(rest);
        if index == 1 {
            let short: String = rule.iter().map(|cell| short_rule(cell.trim()) + "|").collect();
            text.extend([indent, "|", &short, end]);
        } else if cells.len() == header.len() {
            text.extend([indent, &joined(&cells, '|', "|"), end]);
        } else {
            text.push_str(line);
        }
        taken = index + 1;
    }
    (taken > 2).then_some(Table { lines: taken, text })
}

/// The cells between the outer bars; a bar after a backslash is text.
fn markdown_cells(line: &str) -> Option<Vec<&str>> {
    let (_, rest) = split_indent(line);
    let (content, _) = split_end(rest);
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
