//! Text taken out of lines that stay.

use std::collections::BTreeMap;

use regex::Regex;

use super::filter_file::FilterFile;
use super::patterns::FilterPatterns;
use super::strip::visible_text;
use super::{note, signal};

/// The most places of one line that are rewritten: keeps a hostile pattern linear.
const MAX_PLACES: usize = 64;

/// The lines that lost some of their text, and what is said before which line.
#[derive(Default)]
pub(super) struct ShortenedLines {
    pub(super) lines: BTreeMap<usize, String>,
    pub(super) notes: Vec<(usize, String)>,
}

impl ShortenedLines {
    /// Shortens lines for which `may_change` holds.
    pub(super) fn of(
        written: &FilterFile,
        patterns: &FilterPatterns,
        lines: &[&str],
        may_change: impl Fn(usize) -> bool,
    ) -> Self {
        let mut shortened = Self::default();
        for (rule, pattern) in written.replace.iter().zip(&patterns.replaces) {
            shortened.run_rule(lines, &may_change, &rule.say, |line| {
                rewritten(pattern, &rule.with, line)
            });
        }
        if let Some(limit) = written.truncate {
            let say = format!("cut at {limit} characters");
            shortened.run_rule(lines, &may_change, &say, |line| cut_line(line, limit));
        }
        shortened
    }

    /// One rule over all lines; nothing changes if it saves less than its note costs.
    fn run_rule(
        &mut self,
        lines: &[&str],
        may_change: impl Fn(usize) -> bool,
        say: &str,
        shorter: impl Fn(&str) -> Option<String>,
    ) {
        let mut saved = 0;
        let mut found = BTreeMap::new();
        for (index, line) in lines.iter().enumerate().filter(|(index, _)| may_change(*index)) {
            let line = self.lines.get(&index).map_or(*line, String::as_str);
            let text = visible_text(line);
            if let Some(short) = shorter(text) {
                saved += text.len() - short.len();
                found.insert(index, short + &line[text.len()..]);
            }
        }
        let note = note::shortened_note(found.len(), say);
        if let Some((&first, _)) = found.first_key_value()
            && saved > note.len() + 1
        {
            self.lines.extend(found);
            self.notes.push((first, note));
        }
    }
}

/// The line with every match replaced, if that makes it shorter.
fn rewritten(pattern: &Regex, with: &str, line: &str) -> Option<String> {
    let mut text = String::new();
    let mut end = 0;
    for captures in pattern.captures_iter(line).take(MAX_PLACES) {
        let place = captures.get(0)?;
        text.push_str(&line[end..place.start()]);
        captures.expand(with, &mut text);
        end = place.end();
        if text.len() > line.len() {
            return None;
        }
    }
    text.push_str(&line[end..]);
    (text.len() < line.len()).then_some(text)
}

/// The line up to a number of characters, unless what follows speaks of a failure.
fn cut_line(line: &str, limit: usize) -> Option<String> {
    let (end, _) = line.char_indices().nth(limit)?;
    let (start, rest) = line.split_at(end);
    (rest.len() > "…".len() && !signal::is_in(rest)).then(|| format!("{start}…"))
}
