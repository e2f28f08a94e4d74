//! When a notation is worth its legend: it must save a fifth of what it replaces, and split nothing that is copied whole.

use crate::lexeme;
use crate::lines::LineOffsets;
use crate::record::StageOutcome;
use foldhash::HashMap;
use tokenforge_tokens::Counter;

/// A notation saves at least one in so many tokens of the lines that it replaces: for less, a text is not made harder to
/// read.
const LEAST_SAVED_PART: usize = 5;

/// What templates put before a line that they leave as it is, where it would be taken for a row.
const LITERAL: &str = "= ";

/// Does a text with so many tokens pay, where the lines that it replaces are `replaced` of the `before`?
pub(crate) fn pays(after: usize, before: usize, replaced: usize) -> bool {
    before.saturating_sub(after).saturating_mul(LEAST_SAVED_PART) >= replaced.max(1)
}

/// Is a text in a notation worth it? `before` and `after` are texts with their tokens.
pub(crate) fn check(
    before: (&str, usize),
    after: (&str, usize),
    counter: Counter,
) -> Result<(), StageOutcome> {
    let replaced = replaced_lines(before.0, after.0);
    // With fewer than a fifth of all tokens saved, it depends on how many of the lines are as they were.
    let is_enough =
        pays(after.1, before.1, before.1) || pays(after.1, before.1, counter.count(&replaced));
    if !is_enough {
        Err(StageOutcome::NotSmaller)
    } else if lexeme::are_whole_in(&replaced, after.0) {
        Ok(())
    } else {
        Err(StageOutcome::Splits)
    }
}

/// The lines of a text that are not in another as they were.
fn replaced_lines(before: &str, after: &str) -> String {
    let mut kept: HashMap<&str, usize> = HashMap::default();
    for (_, line) in LineOffsets::new(after) {
        *kept.entry(line).or_default() += 1;
        if let Some(line) = line.strip_prefix(LITERAL) {
            *kept.entry(line).or_default() += 1;
        }
    }
    let mut replaced = String::with_capacity(before.len());
    for (_, line) in LineOffsets::new(before) {
        match kept.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => {
                replaced.push_str(line);
                replaced.push('\n');
            }
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_written_otherwise_are_replaced() {
        let (before, after) = ("one\ntwo\ntwo\nthree\n", "[Forge x]\nA 2\ntwo\n= three\n");
        assert_eq!(replaced_lines(before, after), "one\ntwo\n");
    }

    #[test]
    fn a_fifth_of_what_is_replaced_must_be_saved() {
        assert!(pays(80, 100, 100) && !pays(81, 100, 100));
        assert!(pays(980, 1000, 100) && !pays(981, 1000, 100));
        assert!(!pays(100, 100, 0));
    }
}
