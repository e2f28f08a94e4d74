//! Error keywords: a line that has one is left out only by a rule that is certain.

use std::sync::LazyLock;

use regex::Regex;

/// Whether a text speaks of something that went wrong.
pub(super) fn is_in(text: &str) -> bool {
    SIGNAL.as_ref().is_none_or(|signal| signal.is_match(text))
}

static SIGNAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i-u){}", WORDS.join("|"))).ok());

const WORDS: &[&str] = &[
    "error",
    "err!",
    "fail",
    "fatal",
    "panic",
    "exception",
    "traceback",
    "warn",
    "assert",
    "abort",
    "denied",
    "refused",
    "reject",
    "conflict",
    "unable",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "missing",
    "invalid",
    "unexpected",
    "unknown",
    "undefined",
    "unresolved",
    "unsupported",
    "deprecat",
    "vulnerab",
    "segmentation",
    "core dumped",
    "killed",
    "timeout",
    "timed out",
    "leak",
    "corrupt",
    "critical",
    "mismatch",
    "incompatible",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_signals_and_progress_is_not() {
        for text in [
            "ERROR: x",
            "2 Failed",
            "thread panicked",
            "npm WARN old",
            "Permission denied",
            "é fatal: é",
        ] {
            assert!(is_in(text), "{text}");
        }
        for text in ["", "Compiling serde v1.0.0", "Receiving objects: 100% (3/3), done.", "é"] {
            assert!(!is_in(text), "{text}");
        }
    }
}
