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

/// What is known of the run that printed an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Run {
    /// Whether the call failed. Only what passed is left out then: what explains a failure cannot be told from what does not.
    pub is_failed: bool,
    /// Whether a script printed it, which the agent may have written: its lines mean what the script says, and not what other
    /// tools mean by lines of that shape.
    pub is_script: bool,
}

impl Run {
    pub(super) fn allows(self, role: LineRole) -> bool {
        !self.is_failed || role == LineRole::Pass
    }
}

impl FamilyFilter {
    /// Leaves out what does not matter; nothing if the text would not become shorter or was already filtered.
    pub fn apply(&self, text: &str) -> Option<FilteredOutput> {
        self.apply_to_run(text, Run::default())
    }

    /// Leaves out what passed, and nothing else.
    pub fn apply_to_failed_call(&self, text: &str) -> Option<FilteredOutput> {
        self.apply_to_run(text, Run { is_failed: true, ..Run::default() })
    }

    /// Leaves out what does not matter in the output of such a run.
    pub fn apply_to_run(&self, text: &str, run: Run) -> Option<FilteredOutput> {
        if !self.is_lossy() || note::is_in(text) {
            return None;
        }
        let patterns = self.patterns()?;
        let lines = lines_of(text);
        let marks = LineMarks::of(&self.written, patterns, &lines, run);
        let may_change = |line: usize| {
            !marks.is_left_out(line) && !patterns.keep.is_match(visible_text(lines[line]))
        };
        let shortened = if run.is_failed {
            ShortenedLines::default()
        } else {
            ShortenedLines::of(&self.written, patterns, &lines, may_change)
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
