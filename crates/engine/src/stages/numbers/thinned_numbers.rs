//! Walks through a text line by line and knows which number a thinned column would show next.

use super::{NumberColumn, NumberedRun, SIGNATURE};

/// Where in a thinned column a reader is.
#[derive(Debug, Default)]
pub(crate) struct ThinnedNumbers<'a> {
    run: Option<NumberedRun<'a>>,
    next: u32,
    /// What stands before the next line.
    shown: String,
}

impl<'a> ThinnedNumbers<'a> {
    /// Reads a line; `following` is the one after it. Gives the line's text behind a number that is shown.
    pub(crate) fn read(&mut self, line: &'a str, following: Option<&'a str>) -> &'a str {
        if let Some(announced) = line.strip_prefix(SIGNATURE) {
            self.run = following.and_then(|first| NumberedRun::from_announcement(announced, first));
            self.next = self.run.as_ref().map_or(0, |run| run.first);
            self.write_shown();
            return line;
        }
        if self.run.is_none() {
            return line;
        }
        let bare = line.strip_prefix(&*self.shown).unwrap_or(line);
        self.advance();
        bare
    }

    /// The number of the next line, shown or not; `None` outside of a column.
    pub(crate) fn next_number(&self) -> Option<u32> {
        self.run.as_ref().map(|_| self.next)
    }

    /// Writes a line as it must stand here.
    pub(crate) fn write(&mut self, bare: &str, out: &mut String) {
        out.push_str(&self.shown);
        out.push_str(bare);
        self.advance();
    }

    /// Is the next line the first of a run, which shows how the numbers of all were written?
    pub(crate) fn is_at_first(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.first == self.next)
    }

    fn advance(&mut self) {
        self.next = self.next.saturating_add(1);
        if self.run.as_ref().is_some_and(|run| self.next > run.last) {
            self.run = None;
        }
        self.write_shown();
    }

    fn write_shown(&mut self) {
        self.shown.clear();
        match &self.run {
            Some(run) if self.next == run.first => run.column.write(self.next, &mut self.shown),
            Some(run) if run.shows(self.next) => {
                NumberColumn { width: 0, ..run.column }.write(self.next, &mut self.shown);
            }
            _ => {}
        }
    }
}
