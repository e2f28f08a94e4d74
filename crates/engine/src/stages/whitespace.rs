//! Trailing whitespace trimmed: lines without blanks at their ends.
//!
//! Runs of blank lines stay: they are cheap (one token for several) and often all that separates sections.

use super::kinds::Cosmetic;
use crate::diff::is_diff;
use memchr::memchr_iter;

pub(super) static STAGE: Cosmetic = Cosmetic::worth_it("trailing_whitespace", trim_line_ends);

/// The text without spaces and tabs before line ends, `\r\n` kept; `None` if there are none, or in a diff.
///
/// ```
/// use tokenforge_engine::internals::whitespace::trim_line_ends;
///
/// assert_eq!(trim_line_ends("a  \r\n\tb\t\n").as_deref(), Some("a\r\n\tb\n"));
/// assert_eq!(trim_line_ends("a\n  b"), None);
/// ```
pub fn trim_line_ends(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    for newline in memchr_iter(b'\n', bytes).chain([text.len()]) {
        let is_crlf = newline < text.len() && newline > copied && bytes[newline - 1] == b'\r';
        let end = newline - usize::from(is_crlf);
        if end == 0 || !matches!(bytes[end - 1], b' ' | b'\t') {
            continue;
        }
        let line = text[copied..end].trim_end_matches([' ', '\t']);
        // A lone return before the blanks would become part of the line end.
        if !line.ends_with('\r') {
            kept.push_str(line);
            copied = end;
        }
    }
    if copied == 0 || is_diff(text) {
        return None;
    }
    kept.push_str(&text[copied..]);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::trim_line_ends;

    #[test]
    fn the_last_line_without_newline_is_trimmed_too() {
        assert_eq!(trim_line_ends("a\nb \t ").as_deref(), Some("a\nb"));
        assert_eq!(trim_line_ends("  ").as_deref(), Some(""));
    }

    #[test]
    fn crlf_is_kept() {
        assert_eq!(trim_line_ends("a \r\n \r\nb\r\n").as_deref(), Some("a\r\n\r\nb\r\n"));
    }

    #[test]
    fn blank_lines_and_indentation_stay() {
        assert_eq!(trim_line_ends("a\n\n\n\n\n    b\n"), None);
    }

    #[test]
    fn the_empty_context_line_of_a_diff_stays() {
        assert_eq!(trim_line_ends("@@ -1,2 +1,2 @@\n \n-a\n+b \n"), None);
    }
}
