//! Which rule claims a line: one pass over the lines.

use std::collections::HashSet;

use regex::Regex;

use super::filter_file::{FilterFile, Strip};
use super::patterns::{FilterPatterns, StripPatterns};
use super::{Run, signal};

/// What becomes of one line; the numbers are those of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMark {
    Stays,
    /// It stays unless nothing stays under it.
    Heading(u8),
    LeftOut(u8),
}

/// The first rule that claims each line, unless the line is kept by name.
pub(super) fn strip(
    written: &FilterFile,
    patterns: &FilterPatterns,
    lines: &[&str],
    run: Run,
) -> Vec<LineMark> {
    let mut pass = Pass::of(written, patterns, lines, run);
    let mut marks: Vec<LineMark> = Vec::with_capacity(lines.len());
    let (mut previous, mut times) = (None, 0);
    for &line in lines {
        times = if previous == Some(line) { times + 1 } else { 1 };
        previous = Some(line);
        // A line that comes again and again fares as it did the second time: by then every section has met it.
        let mark = match marks.last() {
            Some(&mark) if times > 2 => mark,
            last => {
                pass.mark(visible_text(line), last.is_some_and(|mark| *mark != LineMark::Stays))
            }
        };
        marks.push(mark);
    }
    marks
}

/// A line as patterns see it.
pub(super) fn visible_text(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// All rules on their way through the lines.
struct Pass<'f, 't> {
    patterns: &'f FilterPatterns,
    claims: Vec<Claim<'f, 't>>,
}

impl<'f, 't> Pass<'f, 't> {
    fn of(written: &'f FilterFile, patterns: &'f FilterPatterns, lines: &[&str], run: Run) -> Self {
        // Progress may be all that names what failed.
        let speaks_of_failure = written.strip.iter().any(|rule| rule.unless_failed)
            && lines.iter().any(|line| signal::is_in(line));
        let claims = (0..)
            .zip(written.strip.iter().zip(&patterns.strips))
            .filter(|(_, (rule, _))| !run.is_failed || rule.passes)
            .filter(|(_, (rule, _))| !(rule.unless_failed && speaks_of_failure))
            .map(|(number, (rule, patterns))| Claim::of(number, rule, patterns));
        Self { patterns, claims: claims.collect() }
    }

    fn mark(&mut self, line: &'t str, is_claimed_above: bool) -> LineMark {
        // Most lines matter to no rule, and one look tells; those below one that does mostly do too.
        if !is_claimed_above && !self.may_matter(line) {
            return LineMark::Stays;
        }
        let mut mark = LineMark::Stays;
        for claim in &mut self.claims {
            // Every section follows every line, also after another rule claimed it.
            let inside = claim.section.goes_past(line);
            if mark != LineMark::Stays || !inside {
                continue;
            }
            if claim.holds_for(line) && !self.patterns.keep.is_match(line) {
                mark = LineMark::LeftOut(claim.number);
            } else if claim.patterns.headings.is_match(line) {
                mark = LineMark::Heading(claim.number);
            }
        }
        mark
    }

    fn may_matter(&self, line: &str) -> bool {
        self.patterns.any.is_match(line) || self.claims.iter().any(Claim::takes_every_line)
    }
}

/// One rule on its way through the lines.
struct Claim<'f, 't> {
    number: u8,
    rule: &'f Strip,
    patterns: &'f StripPatterns,
    section: Section<'f>,
    seen: HashSet<&'t str>,
}

impl<'f, 't> Claim<'f, 't> {
    fn of(number: u8, rule: &'f Strip, patterns: &'f StripPatterns) -> Self {
        Self { number, rule, patterns, section: Section::of(patterns), seen: HashSet::new() }
    }

    fn takes_every_line(&self) -> bool {
        self.rule.lines.is_empty() && self.section.open
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
