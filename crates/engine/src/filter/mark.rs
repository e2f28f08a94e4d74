//! What becomes of every line, and what is said about those that are left out.

use super::cost::LineCost;
use super::filter_file::{FilterFile, Fold};
use super::outline::{self, OutlinePart};
use super::patterns::FilterPatterns;
use super::strip::{LineMark, strip, visible_text};
use super::structure::{LineRole, line_roles};
use super::{Run, note, signal};

/// How the note about lines that are neither in the head nor in the tail calls them.
const MIDDLE: &str = "line{s} of the middle";

/// The marks of all lines of a text.
pub(super) struct LineMarks<'f> {
    written: &'f FilterFile,
    marks: Vec<LineMark>,
    /// What is said, and before which line.
    notes: Vec<(usize, String)>,
}

impl<'f> LineMarks<'f> {
    /// Marks what the rules leave out, but for rules that would save less than their notes cost.
    pub(super) fn of(
        written: &'f FilterFile,
        patterns: &FilterPatterns,
        lines: &[&str],
        run: Run,
    ) -> Self {
        let marks = strip(written, patterns, lines, run);
        let mut marks = Self { written, marks, notes: Vec::new() };
        marks.prune_headings(patterns, lines);
        for rule in marks.rules_that_claim() {
            marks.say_if_it_pays(rule, lines);
        }
        if written.structure {
            marks.leave_out_by_structure(patterns, lines, run);
        }
        if !run.is_failed && (written.head.is_some() || written.tail.is_some()) {
            marks.leave_out_middle(patterns, lines);
            marks.say_if_it_pays(marks.middle(), lines);
        }
        marks
    }

    pub(super) fn is_left_out(&self, line: usize) -> bool {
        matches!(self.marks.get(line), Some(LineMark::LeftOut(_)))
    }

    pub(super) fn left_out(&self) -> usize {
        self.marks.iter().filter(|mark| matches!(mark, LineMark::LeftOut(_))).count()
    }

    pub(super) fn notes(&self) -> &[(usize, String)] {
        &self.notes
    }

    /// The number of the rule for what is neither head nor tail, after those of the filter.
    fn middle(&self) -> u8 {
        self.written.strip.len() as u8
    }

    /// The number of the rule for a role, after that.
    fn rule_of(&self, role: LineRole) -> u8 {
        self.middle() + 1 + role as u8
    }

    fn rules_that_claim(&self) -> Vec<u8> {
        let mut claims = [false; 1 << u8::BITS];
        for mark in &self.marks {
            if let LineMark::LeftOut(rule) = mark {
                claims[usize::from(*rule)] = true;
            }
        }
        (0..self.middle()).filter(|&rule| claims[usize::from(rule)]).collect()
    }

    fn prune_headings(&mut self, patterns: &FilterPatterns, lines: &[&str]) {
        for (rule, strip) in
            (0..).zip(&self.written.strip).filter(|(_, strip)| !strip.headings.is_empty())
        {
            let part_of = |line: usize| match self.marks[line] {
                LineMark::LeftOut(by) if by == rule => Some(OutlinePart::Gone),
                LineMark::Heading(of) if of == rule => Some(OutlinePart::Heading),
                _ => None,
            };
            for line in outline::empty_headings(lines, part_of) {
                let text = visible_text(lines[line]);
                if !patterns.keep.is_match(text) && (strip.certain || !signal::is_in(text)) {
                    self.marks[line] = LineMark::LeftOut(rule);
                }
            }
        }
    }

    /// Leaves out what stays and has a role by which it can go.
    fn leave_out_by_structure(&mut self, patterns: &FilterPatterns, lines: &[&str], run: Run) {
        let is_passed = |line: usize| match self.marks[line] {
            LineMark::LeftOut(rule) => self.written.strip[usize::from(rule)].passes,
            LineMark::Stays | LineMark::Heading(_) => false,
        };
        let visible: Vec<&str> = lines.iter().map(|line| visible_text(line)).collect();
        for (line, role) in line_roles(&visible, run, is_passed).into_iter().enumerate() {
            let Some(role) = role.filter(|role| run.allows(*role)) else { continue };
            if !self.is_left_out(line) && !patterns.keep.is_match(visible[line]) {
                self.marks[line] = LineMark::LeftOut(self.rule_of(role));
            }
        }
        for role in LineRole::ALL {
            self.say_if_it_pays(self.rule_of(role), lines);
        }
    }

    /// Leaves out what stays between head and tail, but nothing that is kept by name or speaks of a failure.
    fn leave_out_middle(&mut self, patterns: &FilterPatterns, lines: &[&str]) {
        let staying: Vec<usize> =
            (0..lines.len()).filter(|&line| !self.is_left_out(line)).collect();
        let head = self.written.head.unwrap_or(0).min(staying.len());
        let end = staying.len().saturating_sub(self.written.tail.unwrap_or(0)).max(head);
        for &line in &staying[head..end] {
            let text = visible_text(lines[line]);
            if !patterns.keep.is_match(text) && !signal::is_in(text) {
                self.marks[line] = LineMark::LeftOut(self.middle());
            }
        }
    }

    /// Writes the notes of a rule; lets its lines stay if they cost less than the notes.
    fn say_if_it_pays(&mut self, rule: u8, lines: &[&str]) {
        let left_out =
            self.marks.iter().enumerate().filter(|(_, mark)| **mark == LineMark::LeftOut(rule));
        let left_out: Vec<usize> = left_out.map(|(line, _)| line).collect();
        let notes = self.notes_of(rule, &left_out);
        let cost =
            notes.iter().fold(LineCost::default(), |cost, (_, note)| cost + LineCost::of(note));
        let mut saved = LineCost::default();
        // A few lines out of hundreds tell.
        let pays = left_out.iter().any(|&line| {
            saved = saved + LineCost::of(lines[line]);
            saved.is_more_than(cost)
        });
        if pays {
            self.notes.extend(notes);
        } else {
            left_out.into_iter().for_each(|line| self.marks[line] = LineMark::Stays);
        }
    }

    fn notes_of(&self, rule: u8, left_out: &[usize]) -> Vec<(usize, String)> {
        let role = || LineRole::ALL.into_iter().find(|role| self.rule_of(*role) == rule);
        let (say, fold) = match self.written.strip.get(usize::from(rule)) {
            Some(strip) => (strip.say.as_str(), strip.fold),
            None => (role().map_or(MIDDLE, LineRole::say), Fold::All),
        };
        let runs = runs(left_out);
        match (fold, runs.as_slice()) {
            (Fold::All, [(first, _), _, ..]) => {
                vec![(*first, note::left_out_here_and_below(left_out.len(), say))]
            }
            _ => runs.into_iter().map(|(line, count)| (line, note::left_out(count, say))).collect(),
        }
    }
}

/// Where each run of consecutive lines begins, and how long it is.
fn runs(lines: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == line => *count += 1,
            _ => runs.push((line, 1)),
        }
    }
    runs
}
