//! Code frames: numbered source with a mark at the line in question.

use std::sync::LazyLock;

use regex::Regex;

use super::LineRole;
use super::result::{is_match, may_be_failure};

/// `  12 | source`, `> 12 | source`, and the pointer below: `     |   ^`.
static FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*[>❯→]?\s*(?:\d+\s*[|│]|[|│]\s*[\^~])").ok());
static MARKED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*[>❯→]\s*\d+\s*[|│]").ok());
static POINTER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*[>❯→]?\s*[|│]\s*[\^~]").ok());

/// Marks the source below the marked line of each frame. The source above it stays: what a failing line was given is the next
/// thing that is read. Numbered lines without a mark and a pointer below it are a table, and source that speaks of a failure may be
/// the failure.
pub(super) fn mark_context(lines: &[&str], roles: &mut [Option<LineRole>]) {
    let mut start = 0;
    while start < lines.len() {
        let length = lines[start..].iter().take_while(|line| is_match(&FRAME, line)).count();
        let frame = &lines[start..start + length];
        let marked = frame.iter().position(|line| is_match(&MARKED, line));
        let pointer = frame.iter().position(|line| is_match(&POINTER, line));
        if let (Some(marked), Some(pointer)) = (marked, pointer)
            && pointer > marked
        {
            for (line, role) in
                lines.iter().zip(roles.iter_mut()).skip(start + marked).take(length - marked)
            {
                let points = is_match(&MARKED, line) || is_match(&POINTER, line);
                if !points && !may_be_failure(line) {
                    *role = Some(LineRole::SourceContext);
                }
            }
        }
        start += length + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        let mut roles = vec![None; lines.len()];
        mark_context(&lines, &mut roles);
        lines
            .into_iter()
            .zip(roles)
            .filter(|(_, role)| role.is_some())
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn f19_source_up_to_the_marked_line_stays() {
        let frame =
            "  10 | it('x', () => {\n> 11 |   throw new Error()\n     |         ^\n  12 | })\n";
        assert_eq!(context(frame), ["  12 | })"]);
    }

    #[test]
    fn a_table_is_no_frame() {
        assert!(context("1 | Ada | 36\n2 | Bob | 41\n").is_empty());
        assert!(context("  1 | Ada | 36\n> 2 | Bob | 41\n  3 | Eve | 29\n").is_empty());
    }
}
