//! Self-tests: those that a filter carries with it.

use super::filter_file::Test;
use super::{FamilyFilter, Invocation, patterns, set};

/// A test of a filter that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterTestFailure {
    /// Which of the filter's tests, from 1.
    pub test: usize,
    /// What was expected and what was found.
    pub reason: String,
}

impl FamilyFilter {
    /// How many tests the filter carries.
    pub fn tests(&self) -> usize {
        self.written.tests.len()
    }

    /// Runs the filter's own tests.
    pub fn check(&self) -> Vec<FilterTestFailure> {
        let run = |(index, test)| {
            let failure = move |reason| FilterTestFailure { test: index + 1, reason };
            self.run_test(test).into_iter().map(failure)
        };
        self.written.tests.iter().enumerate().flat_map(run).collect()
    }

    fn run_test(&self, test: &Test) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.is_chosen(test) {
            reasons.push(format!(
                "is not for the command {:?}",
                test.command.as_deref().unwrap_or("(by shape)")
            ));
        }
        let filtered = self.apply(&test.input);
        let text = filtered.as_ref().map_or(test.input.as_str(), |filtered| &filtered.text);
        if let Some(expected) = test.output.as_ref().filter(|expected| *expected != text) {
            reasons.push(format!("expected this output:\n{expected}\nbut it is:\n{text}"));
        }
        let lost = test.must_keep.iter().filter(|needle| !text.contains(*needle));
        reasons
            .extend(lost.map(|needle| format!("must keep {needle:?}, but the output is:\n{text}")));
        let left = test.must_drop.iter().filter(|needle| text.contains(*needle));
        reasons
            .extend(left.map(|needle| format!("must drop {needle:?}, but the output is:\n{text}")));
        reasons
    }

    /// Whether the filter is for the test's command, or knows the shape of its input if no command is given.
    fn is_chosen(&self, test: &Test) -> bool {
        let Some(command) = &test.command else {
            return self.is_fallback()
                || patterns::shapes(self.shapes())
                    .is_ok_and(|shapes| shapes.is_match(set::beginning(&test.input)));
        };
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let Some((program, args)) = words.split_first() else { return false };
        let subcommand =
            args.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
        self.is_for(&Invocation { program, subcommand, args })
    }
}
