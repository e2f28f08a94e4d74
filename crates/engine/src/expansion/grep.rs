//! The lines of an original that match a regular expression, with their numbers, as `grep -n` prints them.

use super::SelectionError;
use regex::{Regex, RegexBuilder};
use std::collections::VecDeque;
use std::ops::Range;

/// The largest compiled pattern in bytes: what a search costs at worst is this times the text.
const MAX_COMPILED: usize = 1 << 20;
/// The longest pattern in bytes.
const MAX_PATTERN: usize = 4096;
/// The most lines of context before and after a match.
const MAX_CONTEXT: usize = 100;
/// A line above this many bytes is shown in pieces around its matches.
const LONG_LINE: usize = 2000;
/// The bytes shown on each side of a match in a long line.
const MARGIN: usize = 200;
/// The most pieces of one long line.
const MAX_PIECES: usize = 20;

/// A search over lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep {
    /// A regular expression in the syntax of the `regex` crate.
    pub pattern: String,
    /// How many lines to show before and after each match, at most 100.
    pub context: usize,
}

impl From<&str> for Grep {
    fn from(pattern: &str) -> Self {
        Self { pattern: pattern.to_owned(), context: 0 }
    }
}

impl Grep {
    /// Searches a text whose first line has the number `first`.
    pub(super) fn search(
        &self,
        text: &str,
        first: usize,
        max_bytes: usize,
    ) -> Result<String, SelectionError> {
        let regex = compile(&self.pattern)?;
        let context = self.context.min(MAX_CONTEXT);
        let mut out = MatchedLines { text: String::new(), max_bytes };
        let mut before = VecDeque::with_capacity(context);
        // The lines up to this one are shown already.
        let mut shown = first - 1;
        let mut last_context = shown;
        for (number, line) in (first..).zip(text.split_terminator('\n')) {
            if regex.is_match(line.trim_end_matches('\r')) {
                if context > 0 && shown >= first && shown + before.len() + 1 < number {
                    out.text.push_str("--\n");
                }
                for (number, line) in before.drain(..) {
                    out.line(number, '-', line);
                }
                out.matching(number, line, &regex);
                (shown, last_context) = (number, number + context);
            } else if number <= last_context {
                out.line(number, '-', line);
                shown = number;
            } else if context > 0 {
                if before.len() == context {
                    before.pop_front();
                }
                before.push_back((number, line));
            }
            if out.text.len() > max_bytes {
                out.text += &format!("[Forge cut here; ask for grep in lines {}-]", number + 1);
                return Ok(out.text);
            }
        }
        if out.text.is_empty() {
            out.text = format!("[Forge no match in {} lines]", text.lines().count());
        }
        Ok(out.text)
    }
}

/// The lines found so far.
struct MatchedLines {
    text: String,
    max_bytes: usize,
}

impl MatchedLines {
    fn line(&mut self, number: usize, mark: char, line: &str) {
        let piece = 0..line.floor_char_boundary(LONG_LINE);
        self.piece(number, mark, line, piece);
    }

    fn matching(&mut self, number: usize, line: &str, regex: &Regex) {
        if line.len() <= LONG_LINE {
            return self.line(number, ':', line);
        }
        let mut at = 0;
        for _ in 0..MAX_PIECES {
            let Some(found) = regex.find_at(line, at) else { return };
            let start = line.floor_char_boundary(found.start().saturating_sub(MARGIN)).max(at);
            let end = found.end().min(found.start() + LONG_LINE) + MARGIN;
            let piece = start..line.ceil_char_boundary(end);
            at = piece.end;
            self.piece(number, ':', line, piece);
            if at == line.len() || self.text.len() > self.max_bytes {
                return;
            }
        }
        if regex.is_match_at(line, at) {
            self.text += &format!("[Forge line {number} has more matches]\n");
        }
    }

    /// Shows a piece of a line, with dots where there is more.
    fn piece(&mut self, number: usize, mark: char, line: &str, piece: Range<usize>) {
        let dots = |more: bool| if more { "..." } else { "" };
        let (before, after) = (dots(piece.start > 0), dots(piece.end < line.len()));
        self.text += &format!("{number}{mark}{before}{}{after}\n", &line[piece]);
    }
}

fn compile(pattern: &str) -> Result<Regex, SelectionError> {
    if pattern.len() > MAX_PATTERN {
        return Err(SelectionError::BadPattern {
            reason: format!("longer than {MAX_PATTERN} bytes"),
        });
    }
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(|error| SelectionError::BadPattern { reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(text: &str, pattern: &str, context: usize) -> String {
        Grep { pattern: pattern.to_owned(), context }.search(text, 1, 1 << 20).unwrap()
    }

    #[test]
    fn matches_have_their_line_numbers() {
        let text = "alpha\nbeta\r\ngamma";
        assert_eq!(search(text, "a$", 0), "1:alpha\n2:beta\r\n3:gamma\n");
        assert_eq!(search(text, "mm", 0), "3:gamma\n");
    }

    #[test]
    fn context_is_marked_and_never_shown_twice() {
        let text = "1\n2\n3x\n4\n5x\n6\n7\n8\n9\n10x\n";
        let shown = "2-2\n3:3x\n4-4\n5:5x\n6-6\n--\n9-9\n10:10x\n";
        assert_eq!(search(text, "x", 1), shown);
    }

    #[test]
    fn nothing_found_is_said() {
        assert_eq!(search("a\nb\n", "c", 0), "[Forge no match in 2 lines]");
        assert_eq!(search("", "c", 3), "[Forge no match in 0 lines]");
        assert_eq!(search("a\nb\n", "^$", 0), "[Forge no match in 2 lines]");
    }

    #[test]
    fn a_long_line_is_shown_around_its_matches() {
        let text = format!("{}KEY{}KEY", "é".repeat(5000), "-".repeat(5000));
        let shown = search(&text, "KEY", 0);
        let (one, other) = ("é".repeat(100), "-".repeat(200));
        assert_eq!(shown, format!("1:...{one}KEY{other}...\n1:...{other}KEY\n"));
    }

    #[test]
    fn a_long_line_of_matches_is_bounded_and_says_so() {
        for pattern in ["a", "a*", "b*", "", ".*", "$"] {
            let shown = search(&"a".repeat(1 << 20), pattern, 0);
            assert!(shown.len() < 20 * 3 * LONG_LINE, "{pattern}: {}", shown.len());
        }
        let shown = search(&"a".repeat(1 << 20), "a", 0);
        assert!(shown.ends_with("\n[Forge line 1 has more matches]\n"), "{shown}");
    }

    #[test]
    fn a_search_stops_at_its_bound_and_says_where() {
        let text = "match\n".repeat(1000);
        let shown = Grep::from("match").search(&text, 101, 100).unwrap();
        assert!(shown.ends_with("\n[Forge cut here; ask for grep in lines 112-]"), "{shown}");
    }

    #[test]
    fn a_pattern_that_is_wrong_or_too_large_is_refused() {
        let long = "a".repeat(5000);
        for pattern in ["(", "a{1000}{1000}", r"\w{500}", &long] {
            let error = Grep::from(pattern).search("", 1, 100).unwrap_err();
            assert!(matches!(error, SelectionError::BadPattern { .. }), "{pattern}: {error}");
        }
    }
}
