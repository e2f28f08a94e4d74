//! Tables of aligned columns under a header, or under a header and a rule of dashes.
//!
//! A rule says where the columns are. Without one they lie between the gutters: columns of blanks in the header and in
//! nine of ten rows. A row that writes into a gutter stays as it is.

use super::{Table, is_blank, split_end};
use column::Column;
use std::ops::Range;

mod column;
mod header;

/// A header is looked for in the first lines of a block: some tools write a title above it.
const MAX_TITLE: usize = 3;

/// Wider tables are left alone.
const MAX_WIDTH: usize = 4096;

/// The table that ends the block of lines before the next blank line.
pub(super) fn table(lines: &[&str]) -> Option<Table> {
    let titles = lines.iter().take(MAX_TITLE + 1).take_while(|line| !is_blank(line)).count();
    let at = (0..titles)
        .find(|&at| header::is_rule(lines.get(at + 1).copied()) || header::is_header(lines[at]))?;
    let block = lines.iter().take_while(|line| !is_blank(line)).count();
    let rows = squeezed(&lines[at..block])?;
    Some(Table { lines: block, text: lines[..at].concat() + &rows })
}

fn squeezed(block: &[&str]) -> Option<String> {
    if block.len() < 3 || block.iter().any(|line| line.contains('\t')) {
        return None;
    }
    let ruled = header::is_rule(Some(block[1]));
    let body = &block[1 + usize::from(ruled)..];
    let gutters = if ruled { header::rule_gutters(block[1]) } else { gutters(block[0], body) };
    let (head, head_end) = split_end(block[0]);
    let head = cells(head, &gutters)?;
    let rows: Vec<Option<Vec<&str>>> =
        body.iter().map(|line| cells(split_end(line).0, &gutters)).collect();
    let fitting: Vec<&[&str]> = rows.iter().flatten().map(Vec::as_slice).collect();
    if fitting.len() * 4 < rows.len() * 3 || fitting.is_empty() {
        return None;
    }
    let columns: Vec<Column> =
        (0..head.len()).map(|index| Column::of(&head, &fitting, index)).collect::<Option<_>>()?;
    if !ruled && !header::names_columns(&head, &columns) {
        return None;
    }
    let layout = Layout::of(&head, &fitting, &columns);
    let mut text = String::new();
    layout.write(&head, &mut text);
    text.push_str(head_end);
    if ruled {
        text.extend(["---", split_end(block[1]).1]);
    }
    for (line, cells) in body.iter().zip(&rows) {
        match cells {
            Some(cells) => {
                layout.write(cells, &mut text);
                text.push_str(split_end(line).1);
            }
            None => text.push_str(line),
        }
    }
    Some(text)
}

/// The gutters before the last word of the header; the last column takes the rest of the line.
fn gutters(head: &str, body: &[&str]) -> Vec<Range<usize>> {
    let head: Vec<char> = split_end(head).0.chars().collect();
    let last_word = head.iter().rposition(|&c| c == ' ').map_or(0, |at| at + 1);
    if last_word > MAX_WIDTH {
        return Vec::new();
    }
    let mut used = vec![0_usize; last_word];
    for line in body {
        for (count, c) in used.iter_mut().zip(line.chars()) {
            *count += usize::from(!matches!(c, ' ' | '\r' | '\n'));
        }
    }
    let is_gutter = |column: usize| head[column] == ' ' && used[column] * 10 <= body.len();
    let mut gutters: Vec<Range<usize>> = Vec::new();
    let mut column = head
        .iter()
        .zip(&used)
        .take_while(|&(&c, &used)| c == ' ' && used * 10 <= body.len())
        .count();
    while column < last_word {
        let start = column;
        while column < last_word && is_gutter(column) {
            column += 1;
        }
        if column > start {
            gutters.push(start..column);
        }
        column += 1;
    }
    // Words of one cell that happen to line up have no name of their own.
    let named = |gutter: &Range<usize>, end: usize| {
        head[gutter.end.min(head.len())..end].iter().any(|&c| c != ' ')
    };
    let ends: Vec<usize> =
        gutters.iter().skip(1).map(|next| next.start).chain([head.len()]).collect();
    gutters
        .into_iter()
        .zip(ends)
        .filter(|(gutter, end)| named(gutter, *end))
        .map(|(gutter, _)| gutter)
        .collect()
}

/// The line cut at the gutters; `None` if it writes into one.
fn cells<'a>(line: &'a str, gutters: &[Range<usize>]) -> Option<Vec<&'a str>> {
    let mut cells = Vec::with_capacity(gutters.len() + 1);
    let mut chars = line.char_indices().chain([(line.len(), '\n')]).enumerate();
    let mut start = 0;
    for gutter in gutters {
        let cut = chars.by_ref().find(|(column, (_, c))| *column == gutter.start || *c == '\n');
        let Some((_, (end, c))) = cut.filter(|(_, (_, c))| *c != '\n') else {
            cells.push(&line[start..]);
            start = line.len();
            continue;
        };
        cells.push(&line[start..end]);
        start = end + 1;
        let mut blank = c == ' ';
        for _ in gutter.start + 1..gutter.end {
            let Some((_, (at, c))) = chars.next().filter(|(_, (_, c))| *c != '\n') else {
                start = line.len();
                break;
            };
            blank &= c == ' ';
            start = at + c.len_utf8();
        }
        if !blank {
            return None;
        }
    }
    cells.push(&line[start..]);
    Some(cells)
}

/// How the cells of this table are told apart.
struct Layout<'a> {
    columns: &'a [Column],
    tabs: bool,
}

impl<'a> Layout<'a> {
    fn of(head: &[&str], rows: &[&[&str]], columns: &'a [Column]) -> Self {
        let skips = |cells: &[&str]| {
            let last = cells.iter().rposition(|cell| !is_blank(cell)).unwrap_or(0);
            cells[..last].iter().any(|cell| is_blank(cell))
        };
        let inner = &columns[..columns.len() - 1];
        let tabs = skips(head)
            || rows.iter().any(|cells| skips(cells))
            || inner.iter().any(|column| column.has_gaps);
        Self { columns, tabs }
    }

    fn write(&self, cells: &[&str], text: &mut String) {
        let last = cells.iter().rposition(|cell| !is_blank(cell)).unwrap_or(0);
        text.extend(std::iter::repeat_n(' ', self.columns[0].indent));
        for (index, cell) in cells.iter().enumerate().take(last + 1) {
            if index > 0 {
                let spaced = self.columns[index - 1].has_spaces
                    || self.columns[index].has_spaces && index + 1 < self.columns.len();
                text.push_str(if self.tabs {
                    "\t"
                } else if spaced {
                    "  "
                } else {
                    " "
                });
            }
            text.push_str(self.columns[index].text(cell));
        }
    }
}
