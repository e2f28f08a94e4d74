//! The regular expressions of a filter, compiled with bounds (no ReDoS): a filter may come from a stranger.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::filter_file::{FilterFile, Strip};

/// The most memory one compiled pattern, or one list of them, may take.
const MAX_COMPILED: usize = 2 << 20;
/// The deepest nesting within a pattern.
const MAX_NESTING: u32 = 50;

#[derive(Debug)]
pub(super) struct FilterPatterns {
    /// Matches every line that matters to a rule: its lines and headings, and what opens and closes its section.
    pub(super) any: RegexSet,
    pub(super) keep: RegexSet,
    pub(super) strips: Vec<StripPatterns>,
    pub(super) replaces: Vec<Regex>,
}

#[derive(Debug)]
pub(super) struct StripPatterns {
    pub(super) lines: RegexSet,
    pub(super) except: RegexSet,
    pub(super) headings: RegexSet,
    pub(super) from: Option<Regex>,
    pub(super) to: Option<Regex>,
}

impl FilterPatterns {
    pub(super) fn compile(written: &FilterFile) -> Result<Self, String> {
        shapes(&written.matching.shape)?;
        Ok(Self {
            any: any(&written.strip)?,
            keep: list("keep", &written.keep)?,
            strips: written.strip.iter().map(StripPatterns::compile).collect::<Result<_, _>>()?,
            replaces: written
                .replace
                .iter()
                .map(|rule| one("replace.pattern", &rule.pattern))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl StripPatterns {
    fn compile(rule: &Strip) -> Result<Self, String> {
        Ok(Self {
            lines: list("strip.lines", &rule.lines)?,
            except: list("strip.except", &rule.except)?,
            headings: list("strip.headings", &rule.headings)?,
            from: rule.from.as_deref().map(|pattern| one("strip.from", pattern)).transpose()?,
            to: rule.to.as_deref().map(|pattern| one("strip.to", pattern)).transpose()?,
        })
    }
}

/// Patterns for the first lines of an output, where `^` and `$` are the ends of a line.
pub(super) fn shapes<P: AsRef<str>>(patterns: &[P]) -> Result<RegexSet, String> {
    RegexSetBuilder::new(patterns)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_COMPILED * (1 + patterns.len()))
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| format!("match.shape: {error}"))
}

fn any(rules: &[Strip]) -> Result<RegexSet, String> {
    let patterns = rules
        .iter()
        .flat_map(|rule| rule.lines.iter().chain(&rule.headings).chain(&rule.from).chain(&rule.to));
    RegexSetBuilder::new(patterns)
        .size_limit(MAX_COMPILED * (1 + rules.len()))
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| format!("strip: {error}"))
}

fn list(key: &str, patterns: &[String]) -> Result<RegexSet, String> {
    RegexSetBuilder::new(patterns)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| format!("{key}: {error}"))
}

fn one(key: &str, pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| format!("{key}: {error}"))
}
