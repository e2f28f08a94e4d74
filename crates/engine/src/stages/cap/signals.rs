//! Error detection: which lines tell of an error.

use aho_corasick::AhoCorasick;
use std::ops::Range;
use std::sync::LazyLock;

/// What a failing tool writes. A sign that begins or ends with a letter stands there as a whole word.
const SIGNS: [&str; 26] = [
    "error:",
    "error[",
    "error TS",
    "Error:",
    "ERROR",
    "ERR!",
    "panicked at",
    "Traceback",
    "FAILED",
    "FAIL",
    "FAILURE",
    "fatal:",
    "Fatal",
    "FATAL",
    "Exception",
    "Caused by:",
    "not ok",
    "Segmentation fault",
    "core dumped",
    "undefined reference",
    "command not found",
    "Permission denied",
    "✗",
    "✘",
    "✖",
    "❌",
];

/// Signs that are written together with the name of the error: `TypeError:`, `NullPointerException`.
const SUFFIXES: [&str; 2] = ["Error:", "Exception"];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SIGNS).ok());

/// Where the first sign of an error in `range` begins.
pub(super) fn first(text: &str, range: Range<usize>) -> Option<usize> {
    let part = text.get(range.clone())?;
    let finder = FINDER.as_ref()?;
    let found = finder.find_overlapping_iter(part).find(|found| {
        let sign = &part[found.range()];
        let (before, after) = (&part[..found.start()], &part[found.end()..]);
        let opens =
            SUFFIXES.contains(&sign) || !joins(before.chars().next_back(), sign.chars().next());
        opens && !joins(sign.chars().next_back(), after.chars().next())
    })?;
    Some(range.start + found.start())
}

/// Whether the two characters belong to one word.
fn joins(left: Option<char>, right: Option<char>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || c == '_');
    is_word(left) && is_word(right)
}

#[cfg(test)]
mod tests {
    use super::first;

    fn tells(line: &str) -> bool {
        first(line, 0..line.len()).is_some()
    }

    #[test]
    fn failures_of_many_tools_are_seen() {
        for line in [
            "error: could not compile",
            "error[E0308]: mismatched types",
            "src/a.ts(1,2): error TS2322: Type",
            "TypeError: x is not a function",
            "thread 'main' panicked at src/main.rs:2",
            "Traceback (most recent call last):",
            "FAILED tests/test_a.py::test_b - assert 1 == 2",
            "fatal: not a git repository",
            "java.lang.NullPointerException: null",
            "npm ERR! code E404",
            "  ✗ adds numbers",
            "--- FAIL: TestAdd (0.00s)",
        ] {
            assert!(tells(line), "{line}");
        }
    }

    #[test]
    fn words_that_only_contain_a_sign_are_not() {
        for line in [
            "ERRORS_TOTAL 5",
            "stderr: nothing",
            "UNFAILING",
            "Exceptional weather",
            "no errors",
            "TERROR",
        ] {
            assert!(!tells(line), "{line}");
        }
    }
}
