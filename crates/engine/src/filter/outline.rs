//! Headings of an indented list that lead to nothing but lines left out.

/// What a line is to an outline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OutlinePart {
    /// A line that was left out.
    Gone,
    /// A line that stays, and may be a heading.
    Heading,
}

/// The headings, last first, that lead to lines left out and under which nothing stays.
///
/// Lines that are no part of the outline, such as what a test prints, do not end a branch of it. One pass from the end,
/// so that a heading of such headings goes with them.
pub(super) fn empty_headings(
    lines: &[&str],
    part_of: impl Fn(usize) -> Option<OutlinePart>,
) -> Vec<usize> {
    let mut empty = Vec::new();
    // Indents of the lines below that stay and whose heading is still to come, the nearest last.
    let mut staying: Vec<usize> = Vec::new();
    // The indent of the next part of the outline, if it does not stay.
    let mut gone_below: Option<usize> = None;
    for (index, line) in lines.iter().enumerate().rev() {
        let (Some(indent), Some(part)) = (indent(line), part_of(index)) else { continue };
        let below = staying.len();
        while staying.last().is_some_and(|&deeper| deeper > indent) {
            staying.pop();
        }
        let leads_to_nothing =
            staying.len() == below && gone_below.is_some_and(|deeper| deeper > indent);
        if part == OutlinePart::Heading && leads_to_nothing {
            empty.push(index);
        }
        if part == OutlinePart::Gone || leads_to_nothing {
            gone_below = Some(indent);
        } else {
            gone_below = None;
            staying.push(indent);
        }
    }
    empty
}

/// How far a line is indented; nothing for a blank one.
fn indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(text: &str) -> Vec<&str> {
        let lines: Vec<_> = text.lines().collect();
        let part_of = |line: usize| match lines[line].trim() {
            "ok" => Some(OutlinePart::Gone),
            "printed" => None,
            _ => Some(OutlinePart::Heading),
        };
        empty_headings(&lines, part_of).into_iter().rev().map(|line| lines[line].trim()).collect()
    }

    #[test]
    fn headings_of_left_out_lines_are_empty() {
        assert_eq!(empty("A\n  B\n    ok\n\n  C\n    ok\nend"), ["A", "B", "C"]);
    }

    #[test]
    fn headings_above_a_line_that_stays_are_not() {
        assert_eq!(empty("A\n  B\n    ok\n    bad\n  C\n    ok\nend"), ["C"]);
    }

    #[test]
    fn what_a_test_prints_does_not_end_a_branch() {
        assert_eq!(empty("A\n  ok\nprinted\n  bad\nB\n  ok"), ["B"]);
    }

    #[test]
    fn a_line_that_leads_nowhere_is_no_heading() {
        assert_eq!(empty("A\nok\nB\n  plain\n"), Vec::<&str>::new());
    }
}
