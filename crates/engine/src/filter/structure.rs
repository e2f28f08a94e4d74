//! Output structure: what the lines of a test run or a build are to each other, whichever tool printed them.
//!
//! Tools come and go, and what they print for a person does not: a result line has a status at one of its ends, progress
//! has a counter or a verb in its -ing form, a stack frame has a place, and a code frame has a mark. So a filter with
//! `structure = true`, and the one for unknown commands, also leave out what is recognised by that alone.
//! Filters written to outputs at hand saved 85 % of those and 57 % of others.
//!
//! A line that may speak of a failure is claimed only where its status proves a pass, and a shape that occurs once or
//! twice proves nothing: [`LineRole::least`].
//!
//! Other programs print the same marks before results. So a line with a passing status goes only out of an output that a test
//! runner summed up, and only if the line holds no value: `value.rs`. The lines of runners and builds that are known letter
//! by letter are in `known.rs`. Nothing goes by shape alone out of the output of a script, because an agent may have written it.

mod announcement;
mod code_frame;
mod known;
mod progress;
mod result;
mod stack;
mod value;

use super::Run;
use super::outline::{self, OutlinePart};
use known::KnownTools;
use result::{Headings, ResultLine};

/// What a line that may be left out is in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineRole {
    /// It says that something passed, or announces or describes what did.
    Pass,
    /// It says what is being done.
    Progress,
    /// It is a command that a build echoes.
    Command,
    /// It is source above or below the line that a code frame marks.
    SourceContext,
    /// It is a stack frame in code of others.
    LibraryFrame,
}

impl LineRole {
    pub(super) const ALL: [Self; 5] =
        [Self::Pass, Self::Progress, Self::Command, Self::SourceContext, Self::LibraryFrame];

    /// How a note calls these lines.
    pub(super) fn say(self) -> &'static str {
        match self {
            Self::Pass => "line{s} of what passed",
            Self::Progress => "progress line{s}",
            Self::Command => "echoed command{s}",
            Self::SourceContext => "line{s} of source around the marked lines",
            Self::LibraryFrame => "stack line{s} inside libraries",
        }
    }

    /// So many lines make a shape; fewer may be a coincidence.
    fn least(self) -> usize {
        match self {
            Self::Pass | Self::Progress => 3,
            Self::Command | Self::SourceContext | Self::LibraryFrame => 2,
        }
    }
}

/// What each line may be left out as. `is_gone`: lines that a rule of the filter left out as passes.
pub(super) fn line_roles(
    lines: &[&str],
    run: Run,
    is_gone: impl Fn(usize) -> bool,
) -> Vec<Option<LineRole>> {
    let known = KnownTools::of(lines, run);
    let role_of = |line: &&str| match ResultLine::of(line) {
        ResultLine::Kept => None,
        result => known.role(line).or_else(|| role_by_shape(line, result, &known, run)),
    };
    let mut roles: Vec<Option<LineRole>> = lines.iter().map(role_of).collect();
    code_frame::mark_context(lines, &mut roles);
    stack::mark_library_frames(lines, &mut roles);
    for role in LineRole::ALL {
        let found = roles.iter().filter(|found| **found == Some(role)).count();
        if found < role.least() {
            roles.iter_mut().filter(|found| **found == Some(role)).for_each(|found| *found = None);
        }
    }
    let passed = |roles: &[Option<LineRole>], line: usize| {
        roles[line] == Some(LineRole::Pass) || is_gone(line)
    };
    let passes: Vec<usize> = (0..lines.len()).filter(|&line| passed(&roles, line)).collect();
    if passes.is_empty() {
        // Where no tests ran, a stack is what there is to know of a crash.
        let is_frame = |role: &&mut Option<LineRole>| **role == Some(LineRole::LibraryFrame);
        roles.iter_mut().filter(is_frame).for_each(|role| *role = None);
        return roles;
    }
    // A runner whose lines are known groups its tests under names; what stands above other passes may be a value.
    let is_known = |line: &usize| is_gone(*line) || known.role(lines[*line]).is_some();
    let headings =
        if passes.iter().all(is_known) { Headings::OfKnownRunner } else { Headings::ByShape };
    result::mark_details(lines, &passes, &mut roles);
    announcement::mark_announcements(lines, &passes, &mut roles);
    let part_of = |line: usize| match lines[line] {
        _ if passed(&roles, line) => Some(OutlinePart::Gone),
        text if roles[line].is_none() && !text.trim().is_empty() => Some(OutlinePart::Heading),
        _ => None,
    };
    for heading in outline::empty_headings(lines, part_of) {
        if result::may_be_heading(lines[heading], headings) {
            roles[heading] = Some(LineRole::Pass);
        }
    }
    mark_titles(lines, headings, &mut roles);
    mark_separators(lines, &mut roles);
    roles
}

/// What a line is by its shape alone.
fn role_by_shape(line: &str, result: ResultLine, known: &KnownTools, run: Run) -> Option<LineRole> {
    match result {
        ResultLine::Pass => {
            (known.has_summary() && result::passes_by_name(line)).then_some(LineRole::Pass)
        }
        ResultLine::Other if run.is_script => None,
        ResultLine::Other if progress::is_command(line) => Some(LineRole::Command),
        ResultLine::Other if progress::is_progress(line) => Some(LineRole::Progress),
        ResultLine::Other | ResultLine::Kept => None,
    }
}

/// The first line of a paragraph in which everything else passed is its title, and goes with it.
fn mark_titles(lines: &[&str], headings: Headings, roles: &mut [Option<LineRole>]) {
    let is_blank = |line: &usize| lines[*line].trim().is_empty();
    let mut title = 0;
    while title < lines.len() {
        let end = (title..lines.len()).find(is_blank).unwrap_or(lines.len());
        let all_passed = (title + 1..end).all(|line| roles[line] == Some(LineRole::Pass));
        let is_title = end - title >= 2 && roles[title].is_none() && all_passed;
        if is_title && result::may_be_heading(lines[title], headings) {
            roles[title] = Some(LineRole::Pass);
        }
        title = end + 1;
    }
}

/// Blank lines and rulers between passes go with them.
fn mark_separators(lines: &[&str], roles: &mut [Option<LineRole>]) {
    let mut above = false;
    let mut separators: Vec<usize> = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        if roles[line].is_none() && is_separator(text) {
            separators.push(line);
            continue;
        }
        let is_pass = roles[line] == Some(LineRole::Pass);
        if above && is_pass {
            separators.iter().for_each(|&line| roles[line] = Some(LineRole::Pass));
        }
        separators.clear();
        above = is_pass;
    }
}

/// Nothing, or a ruler from end to end.
fn is_separator(line: &str) -> bool {
    const RULERS: &str = "-=_*#~─━═⎯―";
    let line = line.trim();
    let first = line.chars().next();
    first.is_none_or(|first| RULERS.contains(first) && line.chars().all(|c| c == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are left out as a role.
    fn of_role(role: LineRole, text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        let roles = line_roles(&lines, Run::default(), |_| false);
        lines
            .into_iter()
            .zip(roles)
            .filter(|(_, r)| *r == Some(role))
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn passes_go_with_their_announcements_headings_and_details() {
        let text = "TAP version 14\n# Subtest: adds up\n    ok 1 - tax\n      ---\n      duration_ms: 0.2\n      ...\n    1..1\nok 1 - adds up # time=3ms\n\n\
                    # Subtest: fails on zero\n    not ok 1 - tax\nnot ok 2 - fails on zero\nBasket\n  ✓ empty\n  ✓ full\n\nStock\n  ✓ left\n  ✗ none left\n# pass 2\n";
        assert_eq!(
            of_role(LineRole::Pass, text),
            [
                "# Subtest: adds up",
                "    ok 1 - tax",
                "      ---",
                "      duration_ms: 0.2",
                "      ...",
                "    1..1",
                "ok 1 - adds up # time=3ms",
                "Basket",
                "  ✓ empty",
                "  ✓ full",
                "  ✓ left",
            ]
        );
    }

    #[test]
    fn an_announcement_without_its_pass_stays() {
        let text = "[ RUN      ] A.One\n[       OK ] A.One (0 ms)\n[ RUN      ] A.Two\n[       OK ] A.Two (0 ms)\n\
                    [ RUN      ] A.Three\n[       OK ] A.Three (1 ms)\n[ RUN      ] A.Crashes\n\
                    [==========] 3 tests from 1 test suite ran. (2 ms total)\n";
        assert!(!of_role(LineRole::Pass, text).contains(&"[ RUN      ] A.Crashes"));
        assert_eq!(of_role(LineRole::Pass, text).len(), 6);
    }

    #[test]
    fn titles_and_rulers_go_with_what_passed_between_them() {
        let text = "TASK [copies a file] ****\nok: [till]\n\nTASK [copies two] ****\nok: [till]\n\nTASK [opens] ****\nfatal: [till]: FAILED!\n\n\
                    Sums     | PASS |\n--------\nRows     | PASS |\n--------\nCents    | FAIL |\n--------\nPLAY RECAP ****\n3 tests, 2 passed, 1 failed\n";
        let stay = ["TASK [opens] ****", "fatal: [till]: FAILED!", "Cents    | FAIL |", "--------"];
        let left_out = of_role(LineRole::Pass, text);
        assert_eq!(left_out.len(), 8, "{left_out:?}");
        assert!(stay[..3].iter().all(|line| !left_out.contains(line)));
    }

    #[test]
    fn two_lines_make_no_shape() {
        assert!(of_role(LineRole::Pass, "✓ one\n✓ two\n").is_empty());
        assert!(of_role(LineRole::Progress, "Copying a\nCopying b\n").is_empty());
    }
}
