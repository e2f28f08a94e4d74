//! A filter at work on one output.

use memchr::memchr_iter;

use super::mark::LineMarks;
use super::shorten::ShortenedLines;
use super::strip::visible_text;
use super::structure::LineRole;
use super::{FamilyFilter, note};

/// What is left of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilteredOutput {
    /// The lines that stay, and notes about what does not.
    pub text: String,
    /// How many lines do not stay. The notes' counts add up to it.
    pub left_out_lines: usize,
    /// How many of the lines that stay lost some of their text.
    pub shortened_lines: usize,
}

/// How much a filter may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterScope {
    /// All that does not matter.
    Whole,
    /// Only passes.
    Passes,
}

impl FilterScope {
    pub(super) fn allows(self, role: LineRole) -> bool {
        self == Self::Whole || role == LineRole::Pass
    }
}

impl FamilyFilter {
    /// Leaves out what does not matter; nothing if the text would not become shorter or was already filtered.
    pub fn apply(&self, text: &str) -> Option<FilteredOutput> {
        self.apply_within(text, FilterScope::Whole)
    }

    /// Leaves out what passed, and nothing else: what explains a failure cannot be told from what does not.
    pub fn apply_to_failed_call(&self, text: &str) -> Option<FilteredOutput> {
        self.apply_within(text, FilterScope::Passes)
    }

    fn apply_within(&self, text: &str, scope: FilterScope) -> Option<FilteredOutput> {
        if !self.is_lossy() || note::is_in(text) {
            return None;
        }
        let patterns = self.patterns()?;
        let lines = lines_of(text);
        let marks = LineMarks::of(&self.written, patterns, &lines, scope);
        let may_change = |line: usize| {
            !marks.is_left_out(line) && !patterns.keep.is_match(visible_text(lines[line]))
        };
        let shortened = match scope {
            FilterScope::Whole => ShortenedLines::of(&self.written, patterns, &lines, may_change),
            FilterScope::Passes => ShortenedLines::default(),
        };

        let mut notes = [marks.notes(), &shortened.notes].concat();
        if notes.is_empty() {
            return None;
        }
        notes.sort_by_key(|(line, _)| *line);
        let left_out_lines = marks.left_out();
        if left_out_lines == lines.len()
            && let Some((_, note)) = notes.last_mut()
        {
            *note = note::and_no_more(note, &self.written.on_empty);
        }
        let written = write(text, &lines, &marks, &shortened, &notes);
        (written.len() < text.len()).then_some(FilteredOutput {
            text: written,
            left_out_lines,
            shortened_lines: shortened.lines.len(),
        })
    }
}

/// The lines that stay, each note before the line it is about.
fn write(
    text: &str,
    lines: &[&str],
    marks: &LineMarks,
    shortened: &ShortenedLines,
    notes: &[(usize, String)],
) -> String {
    let mut written = String::with_capacity(text.len());
    let mut notes = notes.iter().peekable();
    for (index, line) in lines.iter().enumerate() {
        while let Some((_, note)) = notes.next_if(|(at, _)| *at == index) {
            written.push_str(note);
            written.push('\n');
        }
        if !marks.is_left_out(index) {
            written.push_str(shortened.lines.get(&index).map_or(line, String::as_str));
            written.push('\n');
        }
    }
    // Where the last line has no end, it has none here either.
    let last_line_stays = lines.len().checked_sub(1).is_some_and(|last| !marks.is_left_out(last));
    if last_line_stays && !text.ends_with('\n') {
        written.pop();
    }
    written
}

/// The lines without their newline; text of nothing but newlines is not slower than other text.
fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::with_capacity(memchr_iter(b'\n', text.as_bytes()).count() + 1);
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()) {
        lines.push(&text[start..end]);
        start = end + 1;
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}
