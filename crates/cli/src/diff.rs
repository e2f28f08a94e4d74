//! Two texts, line by line.

use imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};
use std::fmt::{self, Write};

/// A line, by which text has it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DiffRow<'a> {
    Both(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The lines of both texts in one order, each with what ends it.
pub(crate) fn rows<'a>(old: &'a str, new: &'a str) -> Vec<DiffRow<'a>> {
    let (_, diff) = compared(old, new);
    let (mut before, mut after) = (old.split_inclusive('\n'), new.split_inclusive('\n'));
    let (mut rows, mut reached) = (Vec::new(), 0);
    for hunk in diff.hunks() {
        let same = (hunk.before.start - reached) as usize;
        let both = before.by_ref().zip(after.by_ref()).take(same);
        rows.extend(both.map(|(line, _)| DiffRow::Both(line)));
        rows.extend(before.by_ref().take(hunk.before.len()).map(DiffRow::Old));
        rows.extend(after.by_ref().take(hunk.after.len()).map(DiffRow::New));
        reached = hunk.before.end;
    }
    rows.extend(before.map(DiffRow::Both));
    rows
}

/// A unified diff, as `diff -u` has it. Nothing if the texts are the same.
pub(crate) fn unified_diff(name: &str, old: &str, new: &str) -> String {
    let (lines, diff) = compared(old, new);
    let printer = Printer(&lines.interner);
    let hunks = diff.unified_diff(&printer, UnifiedDiffConfig::default(), &lines).to_string();
    if hunks.is_empty() { hunks } else { format!("--- {name}\n+++ {name}\n{hunks}") }
}

fn compared<'a>(old: &'a str, new: &'a str) -> (InternedInput<&'a str>, Diff) {
    let lines = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &lines);
    diff.postprocess_lines(&lines);
    (lines, diff)
}

/// Says where a text ends without a newline, which the crate's own printer does not.
struct Printer<'a>(&'a Interner<&'a str>);

impl Printer<'_> {
    fn line(&self, f: &mut impl Write, sign: char, token: Token) -> fmt::Result {
        let line = self.0[token];
        write!(f, "{sign}{line}")?;
        if !line.ends_with('\n') {
            f.write_str("\n\\ No newline at end of file\n")?;
        }
        Ok(())
    }
}

impl UnifiedDiffPrinter for Printer<'_> {
    fn display_header(
        &self,
        mut f: impl Write,
        start_before: u32,
        start_after: u32,
        len_before: u32,
        len_after: u32,
    ) -> fmt::Result {
        // Of no lines, the line before them is named.
        let place = |start: u32, length: u32| (start + u32::from(length > 0), length);
        let ((old, before), (new, after)) =
            (place(start_before, len_before), place(start_after, len_after));
        writeln!(f, "@@ -{old},{before} +{new},{after} @@")
    }

    fn display_context_token(&self, mut f: impl Write, token: Token) -> fmt::Result {
        self.line(&mut f, ' ', token)
    }

    fn display_hunk(&self, mut f: impl Write, before: &[Token], after: &[Token]) -> fmt::Result {
        before.iter().try_for_each(|token| self.line(&mut f, '-', *token))?;
        after.iter().try_for_each(|token| self.line(&mut f, '+', *token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_missing_newline_is_said_and_a_new_file_has_no_lines_before() {
        assert_eq!(
            unified_diff("f", "a\nb", "a\nb\n"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        assert_eq!(unified_diff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified_diff("f", "a", "a"), "");
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_off_the_rows(old in "([ab]?\r?\n|b){0,9}", new in "([ab]?\r?\n|b){0,9}") {
            let rows = rows(&old, &new);
            let side = |is_old: bool| rows.iter().filter_map(|row| match row {
                DiffRow::Both(line) => Some(*line),
                DiffRow::Old(line) => is_old.then_some(*line),
                DiffRow::New(line) => (!is_old).then_some(*line),
            }).collect::<String>();
            prop_assert_eq!((side(true), side(false)), (old.clone(), new.clone()));
        }
    }
}
