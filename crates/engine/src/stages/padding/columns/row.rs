//! A row cut into cells.

use super::split_end;
use std::ops::Range;

/// One cell: its text without padding, and the columns it lies in.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaddedCell<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The line cut at the gutters. A cell may reach into a gutter if a blank is left there; a word that lies in a gutter,
/// or fills it, belongs to no cell: then the answer is `None`.
pub(super) fn cells<'a>(line: &'a str, gutters: &[Range<usize>]) -> Option<Vec<PaddedCell<'a>>> {
    let (content, _) = split_end(line);
    if content.is_ascii() {
        return cells_at(content, content.len(), |column| column, gutters);
    }
    let offsets: Vec<usize> =
        content.char_indices().map(|(at, _)| at).chain([content.len()]).collect();
    cells_at(content, offsets.len() - 1, |column| offsets[column], gutters)
}

/// The same for a line of `width` columns, given where the bytes of a column begin.
fn cells_at<'a>(
    content: &'a str,
    width: usize,
    offset: impl Fn(usize) -> usize,
    gutters: &[Range<usize>],
) -> Option<Vec<PaddedCell<'a>>> {
    let is_blank = |column: usize| column >= width || content.as_bytes()[offset(column)] == b' ';
    let cell = |columns: Range<usize>| {
        let raw = &content[offset(columns.start)..offset(columns.end)];
        let text = raw.trim_matches(' ');
        let start = columns.start + raw.len() - raw.trim_start_matches(' ').len();
        let end = columns.end - (raw.len() - raw.trim_end_matches(' ').len());
        PaddedCell { text, start, end: end.max(columns.start) }
    };
    let mut cells = Vec::with_capacity(gutters.len() + 1);
    let mut start = 0;
    for gutter in gutters {
        let cut = find_gap(gutter, is_blank)?.min(width);
        cells.push(cell(start..cut));
        start = cut;
    }
    cells.push(cell(start..width));
    Some(cells)
}

/// A blank column of the gutter that parts the cell on its left from the one on its right.
fn find_gap(gutter: &Range<usize>, is_blank: impl Fn(usize) -> bool) -> Option<usize> {
    let left_end = gutter.clone().find(|&column| is_blank(column))?;
    let right_start = gutter.clone().rfind(|&column| is_blank(column))? + 1;
    let between_is_blank = (left_end..right_start).all(&is_blank);
    let left_is_joined =
        left_end == gutter.start || gutter.start > 0 && !is_blank(gutter.start - 1);
    let right_is_joined = right_start == gutter.end || !is_blank(gutter.end);
    (between_is_blank && left_is_joined && right_is_joined).then_some(left_end)
}
