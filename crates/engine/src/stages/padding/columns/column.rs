//! One column of a table: how its cells are aligned and what they hold.

use super::row::PaddedCell;

/// Where the cells of a column lie.
pub(super) enum Alignment {
    Left(usize),
    Right(usize),
    Numbers,
    /// The last column may hold texts whose own indentation begins at this column, such as the branches of a tree.
    Indented(usize),
}

impl Alignment {
    /// The alignment of nine of ten rows; `None` if blanks before the cells could mean something.
    pub(super) fn of(
        head: &[PaddedCell<'_>],
        rows: &[Option<Vec<PaddedCell<'_>>>],
        index: usize,
    ) -> Option<Self> {
        let cells = || filled_cells(rows, index);
        let is_last = index + 1 == head.len();
        if cells().all(|cell| is_number(cell.text)) {
            return Some(Self::Numbers);
        }
        let left = usual(cells().map(|cell| cell.start)).map(Self::Left);
        let right = || usual(cells().map(|cell| cell.end)).map(Self::Right);
        let indented =
            || cells().map(|cell| cell.start).min().filter(|_| is_last).map(Self::Indented);
        left.or_else(right).or_else(indented)
    }

    /// Whether the cell lies where the column's cells do.
    pub(super) fn holds(&self, cell: &PaddedCell<'_>) -> bool {
        cell.text.is_empty()
            || match *self {
                Self::Left(start) => cell.start == start,
                Self::Right(end) => cell.end == end,
                Self::Numbers | Self::Indented(_) => true,
            }
    }
}

/// What is needed to write a column's cells without their padding.
pub(super) struct PaddedColumn {
    alignment: Alignment,
    /// Blanks before every row that are kept: the table's own indentation.
    pub(super) indent: usize,
    /// Whether the name above the column holds a space.
    pub(super) name_has_spaces: bool,
    /// Whether a cell holds a space.
    pub(super) has_spaces: bool,
    /// Whether a cell holds two spaces in a row.
    pub(super) has_gaps: bool,
    /// Whether all cells are numbers without spaces.
    pub(super) is_numeric: bool,
}

impl PaddedColumn {
    pub(super) fn of(
        alignment: Alignment,
        head: &[PaddedCell<'_>],
        rows: &[Option<Vec<PaddedCell<'_>>>],
        index: usize,
    ) -> Self {
        let indent = match (&alignment, head.first()) {
            (Alignment::Left(start), Some(name)) if index == 0 => name.start.min(*start),
            _ => 0,
        };
        let has_spaces = filled_cells(rows, index).any(|cell| cell.text.contains(' '));
        let is_numeric = matches!(alignment, Alignment::Numbers)
            && filled_cells(rows, index).next().is_some()
            && !has_spaces;
        Self {
            alignment,
            indent,
            name_has_spaces: head.get(index).is_some_and(|name| name.text.contains(' ')),
            has_spaces,
            has_gaps: has_spaces && filled_cells(rows, index).any(|cell| has_gap(cell.text)),
            is_numeric,
        }
    }

    /// How many of the blanks before the cell are part of it.
    pub(super) fn kept_lead(&self, cell: &PaddedCell<'_>) -> usize {
        match self.alignment {
            Alignment::Indented(start) => cell.start.saturating_sub(start),
            _ => 0,
        }
    }
}

/// The cells of a column that are not empty.
fn filled_cells<'a>(
    rows: &'a [Option<Vec<PaddedCell<'a>>>],
    index: usize,
) -> impl Iterator<Item = &'a PaddedCell<'a>> {
    rows.iter().flatten().filter_map(move |row| row.get(index)).filter(|cell| !cell.text.is_empty())
}

/// Whether there are two spaces in a row.
pub(super) fn has_gap(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair == b"  ")
}

/// The value that nine of ten have.
fn usual(values: impl Iterator<Item = usize>) -> Option<usize> {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    let middle = *values.get(values.len() / 2)?;
    (values.iter().filter(|&&value| value == middle).count() * 10 >= values.len() * 9)
        .then_some(middle)
}

/// Begins like a number: `12`, `-3.5`, `.5`, `+1`, `4096K`, `12%`, `0:03`.
fn is_number(text: &str) -> bool {
    text.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit())
}
