//! One column of a table: how its cells are aligned and what they hold.

/// What is needed to write a column's cells without their padding.
pub(super) struct Column {
    /// Blanks before every cell that are kept: the table's own indentation.
    pub(super) indent: usize,
    /// Blanks before every cell that are padding.
    margin: usize,
    /// Whether further blanks before a cell are part of it, such as the branches of a tree.
    keeps_lead: bool,
    /// Whether a cell holds a space.
    pub(super) has_spaces: bool,
    /// Whether a cell holds two spaces in a row.
    pub(super) has_gaps: bool,
    /// Whether all cells below the header are numbers.
    pub(super) is_numeric: bool,
}

impl Column {
    /// The column of a table's rows; `None` if blanks before its cells could mean something.
    pub(super) fn of(head: &[&str], rows: &[&[&str]], index: usize) -> Option<Self> {
        let cells = || {
            rows.iter()
                .filter_map(|row| row.get(index))
                .map(|cell| cell.trim_end_matches(' '))
                .filter(|cell| !cell.is_empty())
        };
        let lead = |cell: &str| cell.len() - cell.trim_start_matches(' ').len();
        let margin = cells().map(lead).min().unwrap_or(0);
        let is_numeric =
            cells().count() > 0 && cells().all(|cell| is_number(cell.trim_start_matches(' ')));
        let left = cells().all(|cell| lead(cell) == margin);
        let mut ends = cells().map(|cell| cell.chars().count());
        let end = ends.next();
        let right = ends.all(|other| Some(other) == end);
        let numbers_aside = || {
            cells()
                .filter(|cell| lead(cell) > margin)
                .all(|cell| is_number(cell.trim_start_matches(' ')))
        };
        let is_last = index + 1 == head.len();
        let aligned = left || right || numbers_aside();
        if !aligned && !is_last {
            return None;
        }
        let texts = || cells().chain(head.get(index).copied()).map(|cell| cell.trim_matches(' '));
        Some(Self {
            indent: if index == 0 && left && !is_numeric { margin } else { 0 },
            margin,
            keeps_lead: !aligned,
            has_spaces: texts().any(|text| text.contains(' ')),
            has_gaps: texts().any(|text| text.contains("  ")),
            is_numeric,
        })
    }

    /// The cell without its padding.
    pub(super) fn text<'a>(&self, cell: &'a str) -> &'a str {
        let trimmed = cell.trim_matches(' ');
        if !self.keeps_lead {
            return trimmed;
        }
        let lead = cell.len() - cell.trim_start_matches(' ').len();
        cell[lead.min(self.margin)..].trim_end_matches(' ')
    }
}

/// Begins like a number: `12`, `-3.5`, `.5`, `+1`, `4096K`, `12%`, `0:03`.
fn is_number(text: &str) -> bool {
    text.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit())
}
