//! A filter at work on one output.

use std::borrow::Cow;

use super::mark::Marks;
use super::{Filter, note, shorten};

/// What is left of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// The lines that stay, and notes about what does not.
    pub text: String,
    /// How many lines do not stay. The notes' counts add up to it.
    pub left_out_lines: usize,
    /// How many of the lines that stay lost some of their text.
    pub shortened_lines: usize,
}

impl Filter {
    /// Leaves out what does not matter; nothing if the text would not become shorter or was already filtered.
    pub fn apply(&self, text: &str) -> Option<Filtered> {
        if !self.is_lossy() || note::is_in(text) {
            return None;
        }
        let patterns = self.patterns()?;
        let lines: Vec<&str> = text.split_terminator('\n').collect();
        let shown: Vec<&str> =
            lines.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();

        let marks = Marks::of(&self.written, patterns, &shown);
        let mut staying: Vec<Cow<str>> = lines.into_iter().map(Cow::Borrowed).collect();
        let may_change =
            |line: usize| !marks.is_left_out(line) && !patterns.keep.is_match(shown[line]);
        let (shortened_lines, mut notes) =
            shorten::shorten(&self.written, patterns, &mut staying, may_change);
        notes.extend(marks.notes());
        notes.sort_by_key(|(line, _)| *line);

        let left_out_lines = marks.left_out();
        if left_out_lines == staying.len()
            && let Some((_, note)) = notes.last_mut()
        {
            note.insert_str(note.len() - 1, &format!("; {}", self.written.on_empty));
        }
        let mut written = write(&staying, &marks, &notes, text.len());
        let last_line_stays =
            staying.len().checked_sub(1).is_some_and(|last| !marks.is_left_out(last));
        if last_line_stays && !text.ends_with('\n') {
            written.pop();
        }
        (!notes.is_empty() && written.len() < text.len()).then_some(Filtered {
            text: written,
            left_out_lines,
            shortened_lines,
        })
    }
}

/// The lines that stay, each note before the line it is about.
fn write(lines: &[Cow<str>], marks: &Marks, notes: &[(usize, String)], capacity: usize) -> String {
    let mut text = String::with_capacity(capacity);
    let mut notes = notes.iter().peekable();
    for (index, line) in lines.iter().enumerate() {
        while let Some((_, note)) = notes.next_if(|(at, _)| *at == index) {
            text.push_str(note);
            text.push('\n');
        }
        if !marks.is_left_out(index) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}
