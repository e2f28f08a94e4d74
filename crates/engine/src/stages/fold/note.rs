//! What stands in the place of folded lines, and how a note names the line it points to.

use foldhash::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldNote<'a> {
    /// The last `lines` lines come `times` more times.
    Above { lines: usize, times: usize },
    /// `lines` lines come again that start at the first line named `from`.
    Again { lines: usize, from: &'a str },
}

impl<'a> FoldNote<'a> {
    /// How many lines it stands for.
    pub(super) fn lines(&self) -> usize {
        match self {
            Self::Above { lines, times } => lines * times,
            Self::Again { lines, .. } => *lines,
        }
    }

    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let note = line.strip_prefix("[Forge ")?.strip_suffix(']')?;
        if let Some((lines, from)) = note.split_once(" lines again from: ") {
            return Some(Self::Again { lines: count(lines)?, from });
        }
        let (lines, times) = note.strip_prefix("the ")?.split_once(" above ")?;
        let lines = match lines {
            "line" => 1,
            _ => lines.strip_suffix(" lines").and_then(count)?,
        };
        let times = match times {
            "once more" => 1,
            _ => times.strip_suffix(" more times").and_then(count)?,
        };
        Some(Self::Above { lines, times })
    }
}

impl fmt::Display for FoldNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Again { lines, from } => write!(f, "[Forge {lines} lines again from: {from}]"),
            Self::Above { lines, times } => {
                f.write_str("[Forge the ")?;
                match lines {
                    1 => f.write_str("line")?,
                    _ => write!(f, "{lines} lines")?,
                }
                match times {
                    1 => f.write_str(" above once more]"),
                    _ => write!(f, " above {times} more times]"),
                }
            }
        }
    }
}

/// A note never counts to nothing.
fn count(digits: &str) -> Option<usize> {
    digits.parse().ok().filter(|&count| count > 0)
}

/// The first line of every name.
#[derive(Debug, Default)]
pub(super) struct FirstLines<'a> {
    by_name: HashMap<&'a str, usize>,
}

impl<'a> FirstLines<'a> {
    /// Notes a line, unless one of its name was there.
    pub(super) fn add(&mut self, line: &'a str, index: usize) {
        if let Entry::Vacant(vacant) = self.by_name.entry(line_name(line)) {
            vacant.insert(index);
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// A line is known by its beginning.
pub(super) fn line_name(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    &line[..line.floor_char_boundary(LONGEST_NAME)]
}

const LONGEST_NAME: usize = 48;
