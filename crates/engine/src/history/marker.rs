//! The words of pointers and duplicate markers, written and read.
//!
//! ```text
//! [Forge same as lines 434-440 of src/main.rs above, here 440-446]
//! [Forge same as 38 lines of `cargo test` (run 1 of 2) above, from "running 38 tests" to "test z ... ok"]
//! [Duplicate of cargo test; see earlier result]
//! ```
//!
//! Where the lines that are meant show the numbers of their file, those are named. Elsewhere the model would have to
//! count, so the first and the last line are quoted, and a line is quoted only if no other in that result begins like
//! it.

use super::name::{BEHIND, CallName, NameKind};
use crate::SIGNATURE;
use crate::lines;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

const OPENING: &str = "[Forge same as ";
const OWN: &str = "this call's ";
/// A quoted line is cut here.
const LONGEST_QUOTE: usize = 48;

/// What stands for lines that were shown before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinePointer<'a> {
    pub(super) lines: PointedLines<'a>,
    /// What the model would call the result, as [`spell_name`] writes it.
    pub(super) name: &'a str,
    /// Are the lines in the arguments of the call itself?
    pub(super) is_own: bool,
    /// The numbers that the lines have where the pointer stands, if they have others there.
    pub(super) here: Option<RangeInclusive<u32>>,
}

/// Which lines of a result are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PointedLines<'a> {
    /// Those with these numbers.
    Numbered(RangeInclusive<u32>),
    /// So many, from the one that reads so to the one that reads so.
    Quoted { count: usize, first: &'a str, last: &'a str },
}

impl LinePointer<'_> {
    pub(super) fn write(&self) -> String {
        let mut text = OPENING.to_owned();
        let (own, behind) = if self.is_own { (OWN, "") } else { ("", BEHIND) };
        // Writing into a string cannot fail.
        let _ = match &self.lines {
            PointedLines::Numbered(range) => {
                write!(
                    text,
                    "lines {}-{} of {own}{}{behind}",
                    range.start(),
                    range.end(),
                    self.name
                )
            }
            PointedLines::Quoted { count, first, last } => write!(
                text,
                "{count} lines of {own}{}{behind}, from \"{first}\" to \"{last}\"",
                self.name
            ),
        };
        if let Some(here) = &self.here {
            let _ = write!(text, ", here {}-{}", here.start(), here.end());
        }
        text.push(']');
        text
    }
}

impl<'a> LinePointer<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let rest = line.strip_prefix(OPENING)?.strip_suffix(']')?;
        let (rest, here) = match rest.rsplit_once(", here ") {
            Some((before, here)) if range(here).is_some() => (before, range(here)),
            _ => (rest, None),
        };
        if let Some(rest) = rest.strip_prefix("lines ") {
            let (lines, name) = rest.split_once(" of ")?;
            let name = name.strip_suffix(BEHIND)?;
            return Some(LinePointer {
                lines: PointedLines::Numbered(range(lines)?),
                name,
                is_own: false,
                here,
            });
        }
        let (count, rest) = rest.split_once(" lines of ")?;
        let (name, quotes) = rest.split_once(", from \"")?;
        let (first, last) = quotes.strip_suffix('"')?.split_once(BETWEEN)?;
        let lines = PointedLines::Quoted { count: count.parse().ok()?, first, last };
        Some(match (name.strip_suffix(BEHIND), name.strip_prefix(OWN)) {
            (Some(name), _) => LinePointer { lines, name, is_own: false, here },
            (None, name) => LinePointer { lines, name: name?, is_own: true, here },
        })
    }
}

const BETWEEN: &str = "\" to \"";

fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-')?;
    Some(first.parse().ok()?..=last.parse().ok()?)
}

/// How a line is quoted, if it can be: without its indentation, and cut if it is long.
pub(super) fn quote(line: &str) -> Option<String> {
    let line = line.trim();
    let is_plain = !line.is_empty()
        && !line.starts_with(SIGNATURE)
        && !line.ends_with('…')
        && !line.contains(BETWEEN)
        && !line.contains(", from \"")
        && !line.chars().any(|c| c.is_control() && c != '\t');
    let end = line.char_indices().nth(LONGEST_QUOTE).map(|(at, _)| at);
    is_plain.then(|| match end {
        Some(end) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    })
}

/// A name as it stands in a pointer: a command in quotes, and which of its runs is meant if there were more.
pub(super) fn spell_name(name: &CallName, run: CommandRun) -> String {
    let text = &name.text;
    let text = if name.kind == NameKind::Command { format!("`{text}`") } else { text.clone() };
    text + &run.spell()
}

/// Which of several runs of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandRun {
    /// Counted from one.
    pub(super) number: usize,
    /// How many there were above.
    pub(super) of: usize,
}

impl CommandRun {
    fn spell(self) -> String {
        let CommandRun { number, of } = self;
        if of > 1 { format!(" (run {number} of {of})") } else { String::new() }
    }

    /// A name without the run behind it, and the run.
    pub(super) fn parse(name: &str) -> (&str, Option<Self>) {
        let parse = || {
            let (name, run) = name.strip_suffix(')')?.rsplit_once(" (run ")?;
            let (number, of) = run.split_once(" of ")?;
            Some((name, CommandRun { number: number.parse().ok()?, of: of.parse().ok()? }))
        };
        parse().map_or((name, None), |(name, run)| (name, Some(run)))
    }
}

/// What stands for a result that an earlier one of the same request shows whole.
pub(super) fn duplicate(name: &CallName, run: CommandRun) -> String {
    format!("{DUPLICATE}{}{}{SEE}", name.text, run.spell())
}

/// What stands for a result that an earlier one of a session shows whole: as printed in the document, for callers that
/// named the session and so know the ids of its calls.
#[must_use]
pub(crate) fn session_duplicate(call: &str, tool: &str) -> String {
    format!("{DUPLICATE}{call} ({tool}){SEE}")
}

const DUPLICATE: &str = "[Duplicate of ";
const SEE: &str = "; see earlier result]";

/// The name in a duplicate marker.
pub(super) fn duplicate_name(text: &str) -> Option<&str> {
    text.strip_prefix(DUPLICATE)?.strip_suffix(SEE).filter(|name| !name.contains('\n'))
}

/// Does a text lead to other results?
pub(crate) fn has_pointers(text: &str) -> bool {
    duplicate_name(text).is_some() || lines::split_lines(text).any(is_pointer)
}

/// Is a line a pointer, or made to look like one?
pub(super) fn is_pointer(line: &str) -> bool {
    line.starts_with(OPENING)
}

/// Is a text a duplicate marker, or made to look like one?
pub(crate) fn is_duplicate(text: &str) -> bool {
    duplicate_name(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d1_what_is_written_is_read_again() {
        let command = CallName { text: "cargo test".to_owned(), kind: NameKind::Command };
        let name = spell_name(&command, CommandRun { number: 1, of: 2 });
        let quoted = PointedLines::Quoted { count: 38, first: "a \"b\"", last: "c" };
        let cases = [
            (PointedLines::Numbered(4..=9), "src/a b.rs", false, None),
            (PointedLines::Numbered(4..=9), "src/a.rs", false, Some(5..=10)),
            (quoted.clone(), &*name, false, None),
            (quoted, "content", true, Some(1..=38)),
        ];
        for (lines, name, is_own, here) in cases {
            let pointer = LinePointer { lines, name, is_own, here };
            assert_eq!(
                LinePointer::parse(&pointer.write()),
                Some(pointer.clone()),
                "{}",
                pointer.write()
            );
        }
        assert_eq!(name, "`cargo test` (run 1 of 2)");
        assert_eq!(
            CommandRun::parse(&name),
            ("`cargo test`", Some(CommandRun { number: 1, of: 2 }))
        );
        assert_eq!(
            duplicate(&command, CommandRun { number: 1, of: 1 }),
            "[Duplicate of cargo test; see earlier result]"
        );
    }

    #[test]
    fn d1_a_line_that_could_be_mistaken_is_not_quoted() {
        assert_eq!(quote("  let x = 1;\r").as_deref(), Some("let x = 1;"));
        assert_eq!(quote(&"x".repeat(90)), Some(format!("{}…", "x".repeat(LONGEST_QUOTE))));
        for line in ["", "  ", "[Forge x]", "and so on…", "from \"a\" to \"b\"", "a\u{1b}[0m"] {
            assert_eq!(quote(line), None, "{line}");
        }
    }
}
