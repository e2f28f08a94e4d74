//! Which lines a filter leaves out, and by which of its rules.

use std::collections::HashSet;

use regex::Regex;

use super::cost::Cost;
use super::outline::{self, Part};
use super::patterns::{Patterns, StripPatterns};
use super::written::{Fold, Strip, Written};
use super::{note, signal};

/// How the note about lines that are neither in the head nor in the tail calls them.
const MIDDLE: &str = "line{s} of the middle";

/// What becomes of every line.
pub(super) struct Marks<'f> {
    written: &'f Written,
    marks: Vec<Mark>,
}

/// What becomes of one line; the numbers are those of the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Stays,
    /// It stays unless nothing stays under it.
    Heading(usize),
    LeftOut(usize),
}

impl<'f> Marks<'f> {
    /// Marks what the rules leave out, but for rules that would save less than their notes cost.
    pub(super) fn of(written: &'f Written, patterns: &Patterns, lines: &[&str]) -> Self {
        let mut marks = Self { written, marks: strip(written, patterns, lines) };
        marks.prune_headings(patterns, lines);
        for rule in 0..written.strip.len() {
            marks.undo_unless_it_pays(rule, lines);
        }
        if written.head.is_some() || written.tail.is_some() {
            marks.leave_out_middle(patterns, lines);
            marks.undo_unless_it_pays(written.strip.len(), lines);
        }
        marks
    }

    pub(super) fn is_left_out(&self, line: usize) -> bool {
        matches!(self.marks.get(line), Some(Mark::LeftOut(_)))
    }

    pub(super) fn left_out(&self) -> usize {
        (0..self.marks.len()).filter(|&line| self.is_left_out(line)).count()
    }

    /// What is said, and before which line.
    pub(super) fn notes(&self) -> Vec<(usize, String)> {
        let mut notes: Vec<_> =
            (0..=self.written.strip.len()).flat_map(|rule| self.notes_of(rule)).collect();
        notes.sort_by_key(|(line, _)| *line);
        notes
    }

    fn prune_headings(&mut self, patterns: &Patterns, lines: &[&str]) {
        for (rule, strip) in
            self.written.strip.iter().enumerate().filter(|(_, strip)| !strip.headings.is_empty())
        {
            let part_of = |line: usize| match self.marks[line] {
                Mark::LeftOut(by) if by == rule => Some(Part::Gone),
                Mark::Heading(of) if of == rule => Some(Part::Heading),
                _ => None,
            };
            for line in outline::empty_headings(lines, part_of) {
                if !patterns.keep.is_match(lines[line])
                    && (strip.certain || !signal::is_in(lines[line]))
                {
                    self.marks[line] = Mark::LeftOut(rule);
                }
            }
        }
    }

    /// Leaves out what stays between head and tail, but nothing that is kept by name or speaks of a failure.
    fn leave_out_middle(&mut self, patterns: &Patterns, lines: &[&str]) {
        let staying: Vec<usize> =
            (0..lines.len()).filter(|&line| !self.is_left_out(line)).collect();
        let head = self.written.head.unwrap_or(0).min(staying.len());
        let end = staying.len().saturating_sub(self.written.tail.unwrap_or(0)).max(head);
        for &line in &staying[head..end] {
            if !patterns.keep.is_match(lines[line]) && !signal::is_in(lines[line]) {
                self.marks[line] = Mark::LeftOut(self.written.strip.len());
            }
        }
    }

    fn undo_unless_it_pays(&mut self, rule: usize, lines: &[&str]) {
        let saved: Cost = self.lines_of(rule).map(|line| Cost::of(lines[line])).sum();
        let notes: Cost = self.notes_of(rule).iter().map(|(_, note)| Cost::of(note)).sum();
        if saved.bytes <= notes.bytes || saved.words <= notes.words {
            self.marks
                .iter_mut()
                .filter(|mark| **mark == Mark::LeftOut(rule))
                .for_each(|mark| *mark = Mark::Stays);
        }
    }

    fn notes_of(&self, rule: usize) -> Vec<(usize, String)> {
        let (say, fold) = match self.written.strip.get(rule) {
            Some(strip) => (strip.say.as_str(), strip.fold),
            None => (MIDDLE, Fold::All),
        };
        let runs = runs(self.lines_of(rule));
        match (fold, runs.as_slice()) {
            (Fold::All, [(first, _), _, ..]) => {
                let count = runs.iter().map(|(_, count)| count).sum();
                vec![(*first, note::left_out_here_and_below(count, say))]
            }
            _ => runs.into_iter().map(|(line, count)| (line, note::left_out(count, say))).collect(),
        }
    }

    fn lines_of(&self, rule: usize) -> impl Iterator<Item = usize> {
        self.marks
            .iter()
            .enumerate()
            .filter(move |(_, mark)| **mark == Mark::LeftOut(rule))
            .map(|(line, _)| line)
    }
}

/// Where each run of consecutive lines begins, and how long it is.
fn runs(lines: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == line => *count += 1,
            _ => runs.push((line, 1)),
        }
    }
    runs
}

/// The first rule that claims each line, unless the line is kept by name.
fn strip(written: &Written, patterns: &Patterns, lines: &[&str]) -> Vec<Mark> {
    let mut claims: Vec<Claim> = written
        .strip
        .iter()
        .zip(&patterns.strips)
        .map(|(rule, patterns)| Claim::of(rule, patterns))
        .collect();
    let mut mark = |line| {
        let mut mark = Mark::Stays;
        for (rule, claim) in claims.iter_mut().enumerate() {
            // Every section follows every line, also after another rule claimed it.
            let inside = claim.section.goes_past(line);
            if mark != Mark::Stays || !inside {
                continue;
            }
            if claim.holds_for(line) && !patterns.keep.is_match(line) {
                mark = Mark::LeftOut(rule);
            } else if claim.patterns.headings.is_match(line) {
                mark = Mark::Heading(rule);
            }
        }
        mark
    };
    lines.iter().map(|line| mark(line)).collect()
}

/// One rule on its way through the lines.
struct Claim<'f, 't> {
    rule: &'f Strip,
    patterns: &'f StripPatterns,
    section: Section<'f>,
    seen: HashSet<&'t str>,
}

impl<'f, 't> Claim<'f, 't> {
    fn of(rule: &'f Strip, patterns: &'f StripPatterns) -> Self {
        Self { rule, patterns, section: Section::of(patterns), seen: HashSet::new() }
    }

    fn holds_for(&mut self, line: &'t str) -> bool {
        (self.rule.lines.is_empty() || self.patterns.lines.is_match(line))
            && (self.rule.except.is_empty() || !self.patterns.except.is_match(line))
            && (self.rule.certain || !signal::is_in(line))
            && (!self.rule.repeated || !self.seen.insert(line))
    }
}

/// The lines after one that matches `from` and before one that matches `to`.
struct Section<'f> {
    from: Option<&'f Regex>,
    to: Option<&'f Regex>,
    open: bool,
}

impl<'f> Section<'f> {
    fn of(patterns: &'f StripPatterns) -> Self {
        Self {
            from: patterns.from.as_ref(),
            to: patterns.to.as_ref(),
            open: patterns.from.is_none(),
        }
    }

    /// Whether the line is inside; the lines that open and close it are not.
    fn goes_past(&mut self, line: &str) -> bool {
        if self.from.is_some_and(|from| from.is_match(line)) {
            self.open = true;
            return false;
        }
        if self.open && self.to.is_some_and(|to| to.is_match(line)) {
            self.open = false;
        }
        self.open
    }
}
