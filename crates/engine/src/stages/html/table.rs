//! HTML table columns: in which column a cell stands, with those that span others.

/// Cells beyond this column follow the one before without a place of their own.
const MOST_COLUMNS: usize = 32;

/// A table on its way through its rows.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// How many rows below a cell above still covers, by column.
    covered: Vec<usize>,
    /// The column of the next cell.
    column: usize,
    /// How many separators were written in this row.
    separators: usize,
    /// Does a cell of this row hold a heading, a list, code or another table? Then its lines are lines, as in a page that is
    /// laid out with tables.
    pub(super) is_layout: bool,
}

impl Table {
    pub(super) fn start_row(&mut self) {
        (self.column, self.separators, self.is_layout) = (0, 0, false);
    }

    /// How many separators stand before a cell that covers so many columns and rows.
    pub(super) fn start_cell(&mut self, columns: usize, rows: usize) -> usize {
        while let Some(rows @ 1..) = self.covered.get_mut(self.column) {
            *rows -= 1;
            self.column += 1;
        }
        let separators = self.column - self.separators;
        self.separators = self.column;
        let end = (self.column + columns.max(1)).min(MOST_COLUMNS);
        if self.covered.len() < end {
            self.covered.resize(end, 0);
        }
        for covered in self.covered.get_mut(self.column..end).unwrap_or_default() {
            *covered = rows.saturating_sub(1);
        }
        self.column = end.max(self.column);
        separators
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_in_their_columns() {
        let mut table = Table::default();
        table.start_row();
        assert_eq!([(1, 2), (2, 1), (1, 1)].map(|(c, r)| table.start_cell(c, r)), [0, 1, 2]);
        table.start_row();
        assert_eq!([(1, 1), (1, 1)].map(|(c, r)| table.start_cell(c, r)), [1, 1]);
        table.start_row();
        assert_eq!(table.start_cell(1, 1), 0);
    }

    #[test]
    fn columns_are_bounded() {
        let mut table = Table::default();
        table.start_row();
        table.start_cell(usize::MAX / 2, usize::MAX);
        assert_eq!((table.start_cell(9, 9), table.start_cell(9, 9)), (MOST_COLUMNS, 0));
        assert_eq!(table.covered.len(), MOST_COLUMNS);
    }
}
