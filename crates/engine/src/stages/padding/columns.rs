//! Tables of aligned columns under a header, or under a header and a rule of dashes.
//!
//! A rule says where the columns are. Without one they lie between the gutters: columns of blanks in the header and in
//! nine of ten rows. Every column must be aligned, left or right; a row that is not stays as it is.

mod column;
mod header;
mod row;

use super::{PaddedTable, is_blank, split_end};
use crate::whole_lines::whole_lines;
use column::{Alignment, PaddedColumn};
use row::{PaddedCell, cells};
use std::ops::Range;

/// Some tools write a title above the header, or a few lines if a rule follows it.
const MAX_TITLE: usize = 1;
const MAX_RULED_TITLE: usize = 3;

/// Wider tables are left alone.
const MAX_WIDTH: usize = 4096;

/// The table that ends the block of lines before the next blank line.
pub(super) fn table(rest: &str) -> Option<PaddedTable> {
    let title = title_len(rest)?;
    let block: Vec<&str> = block(&rest[title..]).collect();
    let rows = squeeze_block(&block)?;
    let len = title + block.iter().map(|line| line.len()).sum::<usize>();
    Some(PaddedTable { len, text: Some(rest[..title].to_owned() + &rows) })
}

/// How many bytes lie before the header.
fn title_len(rest: &str) -> Option<usize> {
    let mut at = 0;
    for (index, line) in
        whole_lines(rest).take(MAX_RULED_TITLE + 1).take_while(|line| !is_blank(line)).enumerate()
    {
        let below = &rest[at + line.len()..];
        if header::is_rule(below) || index <= MAX_TITLE && header::is_header(line, below) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// The lines that belong together: up to a blank line, or to the title of another table.
fn block(rest: &str) -> impl Iterator<Item = &str> {
    let mut lines = whole_lines(rest).peekable();
    let mut is_first = true;
    std::iter::from_fn(move || {
        let line = lines.next().filter(|line| !is_blank(line))?;
        let opens_table = !std::mem::take(&mut is_first)
            && !header::has_gap(line)
            && lines.peek().is_some_and(|next| header::is_capitalised(next));
        (!opens_table).then_some(line)
    })
}

fn squeeze_block(block: &[&str]) -> Option<String> {
    if block.len() < 3 || block.iter().any(|line| line.contains('\t')) {
        return None;
    }
    let ruled = header::is_rule(block[1]);
    let body = &block[1 + usize::from(ruled)..];
    let gutters = if ruled { header::rule_gutters(block[1]) } else { gutters(block[0], body) };
    let head = cells(block[0], &gutters).filter(|head| header::is_resolved(head))?;
    let mut rows: Vec<Option<Vec<PaddedCell<'_>>>> =
        body.iter().map(|line| cells(line, &gutters)).collect();
    let alignments = (0..head.len())
        .map(|index| Alignment::of(&head, &rows, index))
        .collect::<Option<Vec<_>>>()?;
    for row in &mut rows {
        row.take_if(|cells| {
            !cells.iter().zip(&alignments).all(|(cell, alignment)| alignment.holds(cell))
        });
    }
    let fitting = rows.iter().flatten().count();
    if fitting * 4 < rows.len() * 3 || fitting == 0 {
        return None;
    }
    let columns = alignments.into_iter().enumerate();
    let columns: Vec<PaddedColumn> = columns
        .map(|(index, alignment)| PaddedColumn::of(alignment, &head, &rows, index))
        .collect();
    // Two words far apart in one cell are two cells.
    let is_parted = columns[..columns.len() - 1].iter().any(|column| column.has_gaps);
    if !ruled && (is_parted || !header::names_columns(&head, &columns, body)) {
        return None;
    }
    let layout = CellLayout::of(&head, &rows, &columns);
    let mut text = String::new();
    layout.write(&head, true, &mut text);
    text.push_str(split_end(block[0]).1);
    if ruled {
        text.push_str(block[1]);
    }
    for (line, cells) in body.iter().zip(&rows) {
        match cells {
            Some(cells) => {
                layout.write(cells, false, &mut text);
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
    if head.len() > MAX_WIDTH {
        return Vec::new();
    }
    let used = lines_in_columns(body, head.len());
    let last_word = head.iter().rposition(|&c| c == ' ').map_or(0, |at| at + 1);
    let blank: Vec<bool> = head
        .iter()
        .zip(&used)
        .take(last_word)
        .map(|(&c, &used)| c == ' ' && used * 10 <= body.len())
        .collect();
    let find =
        |from: usize, wanted: bool| (from..blank.len()).find(|&column| blank[column] == wanted);
    let is_named = |columns: Range<usize>| head[columns].iter().any(|&c| c != ' ');
    let is_used = |columns: Range<usize>| used[columns].iter().any(|&used| used * 10 > body.len());
    let mut gutters: Vec<Range<usize>> = Vec::new();
    let mut cell_start = find(0, false).unwrap_or(blank.len());
    while let Some(start) = find(cell_start, true) {
        let end = find(start, false).unwrap_or(blank.len());
        let next = find(end, true).unwrap_or(head.len());
        // A name of two words is one name, unless there are cells under both. Words of one cell that happen to line up
        // have no name of their own.
        let parts_name = head[..start].last() != Some(&' ') && head[start..].get(1) != Some(&' ');
        if is_named(end..next) && (!parts_name || is_used(cell_start..start) && is_used(end..next))
        {
            gutters.push(start..end);
        }
        cell_start = end;
    }
    gutters
}

/// How many lines have something in each column.
fn lines_in_columns(body: &[&str], width: usize) -> Vec<usize> {
    let mut used = vec![0; width];
    for line in body {
        if line.is_ascii() {
            used.iter_mut()
                .zip(line.bytes())
                .for_each(|(used, byte)| *used += usize::from(byte > b' '));
        } else {
            used.iter_mut().zip(line.chars()).for_each(|(used, c)| *used += usize::from(c > ' '));
        }
    }
    used
}

/// How the cells of a table are told apart.
struct CellLayout<'a> {
    columns: &'a [PaddedColumn],
    /// A cell in the middle is empty or holds more than single spaces: only tabs can tell.
    tabs: bool,
}

impl<'a> CellLayout<'a> {
    fn of(
        head: &[PaddedCell<'_>],
        rows: &[Option<Vec<PaddedCell<'_>>>],
        columns: &'a [PaddedColumn],
    ) -> Self {
        let skips = |cells: &[PaddedCell<'_>]| {
            cells[..count_filled(cells)].iter().any(|cell| cell.text.is_empty())
        };
        let inner = &columns[..columns.len() - 1];
        let tabs = skips(head)
            || rows.iter().flatten().any(|cells| skips(cells))
            || inner.iter().any(|column| column.has_gaps);
        Self { columns, tabs }
    }

    fn write(&self, cells: &[PaddedCell<'_>], is_head: bool, text: &mut String) {
        text.extend(std::iter::repeat_n(' ', self.columns[0].indent));
        for (index, cell) in cells[..count_filled(cells)].iter().enumerate() {
            if index > 0 {
                text.push_str(self.separator(index, is_head));
            }
            text.extend(std::iter::repeat_n(' ', self.columns[index].kept_lead(cell)));
            text.push_str(cell.text);
        }
    }

    /// What stands before a column: one space where it is clear which words belong together, else two.
    fn separator(&self, index: usize, is_head: bool) -> &'static str {
        let (before, column) = (&self.columns[index - 1], &self.columns[index]);
        let has_spaces =
            |column: &PaddedColumn| column.has_spaces || is_head && column.name_has_spaces;
        let is_last = index + 1 == self.columns.len();
        if self.tabs {
            "\t"
        } else if has_spaces(before) || has_spaces(column) && !is_last && !before.is_numeric {
            "  "
        } else {
            " "
        }
    }
}

/// How many cells there are up to the last one that is not empty.
fn count_filled(cells: &[PaddedCell<'_>]) -> usize {
    cells.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1)
}
