//! Headings of an indented list that lead to nothing but lines left out.

/// Calls `leave_out` for every heading under which nothing is left.
///
/// A heading is a line that `is_heading` accepts, followed by a deeper line that was left out, where the next line that
/// stays is not deeper than the heading. One pass from the end, so that a heading of headings goes with them.
pub(super) fn prune(
    lines: &[&str],
    is_left_out: impl Fn(usize) -> bool,
    is_heading: impl Fn(usize) -> bool,
    mut leave_out: impl FnMut(usize),
) {
    let mut below: Option<Below> = None;
    let mut next_kept = 0;
    for (index, line) in lines.iter().enumerate().rev() {
        let Some(indent) = indent(line) else { continue };
        let leads_to_nothing = below.is_some_and(|below| below.left_out && below.indent > indent)
            && next_kept <= indent;
        let left_out = if is_left_out(index) {
            true
        } else if leads_to_nothing && is_heading(index) {
            leave_out(index);
            true
        } else {
            next_kept = indent;
            false
        };
        below = Some(Below { indent, left_out });
    }
}

/// The nearest line below that is not blank.
#[derive(Clone, Copy)]
struct Below {
    indent: usize,
    left_out: bool,
}

/// How far a line is indented; nothing for a blank one.
fn indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pruned(text: &str) -> Vec<&str> {
        let lines: Vec<_> = text.lines().collect();
        let mut gone = Vec::new();
        prune(&lines, |i| lines[i].contains("ok"), |_| true, |i| gone.push(lines[i].trim()));
        gone.reverse();
        gone
    }

    #[test]
    fn headings_of_left_out_lines_go_with_them() {
        assert_eq!(pruned("A\n  B\n    ok\n\n  C\n    ok\nend"), ["A", "B", "C"]);
    }

    #[test]
    fn headings_above_a_line_that_stays_stay() {
        assert_eq!(pruned("A\n  B\n    ok\n    bad\n  C\n    ok\nend"), ["C"]);
    }

    #[test]
    fn a_line_that_leads_nowhere_is_no_heading() {
        assert_eq!(pruned("A\nok\nB\n  plain\n"), Vec::<&str>::new());
    }
}
