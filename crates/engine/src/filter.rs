//! Tool families: what of a tool's output matters, written down as data.
//!
//! A [`FamilyFilter`] is a TOML text: which commands it is for and which lines of their output are progress, passes and noise.
//! `src/filters/README.md` describes every key. [`FilterSet::builtin`] holds those that come with Tokenforge.
//!
//! Beside the lines that its patterns know, a filter may leave out what is recognised by structure alone: `structure.rs`.
//!
//! What a filter leaves out it says, with exact counts, in the place where the first of those lines stood. It is for
//! outputs whose original is kept elsewhere and can be fetched back. It never makes a text longer, and a text it has
//! written it leaves alone.
//!
//! ```
//! use tokenforge_engine::filter::{FilterSet, Invocation};
//!
//! let output = "running 3 tests\ntest parse::empty_text ... ok\ntest parse::one_line ... ok\ntest parse::two_lines ... ok\n";
//! let command = Invocation { program: "cargo", subcommand: Some("test"), args: &[] };
//! let filter = FilterSet::builtin().find(Some(&command), output).unwrap();
//! let filtered = filter.apply(output).unwrap();
//! assert_eq!(filtered.text, "running 3 tests\n[Forge left out 3 passed tests]\n");
//! assert_eq!(filtered.left_out_lines, 3);
//! ```

mod apply;
mod builtin;
mod check;
mod cost;
mod filter_file;
mod mark;
mod matching;
mod note;
mod outline;
mod patterns;
mod set;
mod shorten;
mod signal;
mod strip;
mod structure;

use std::sync::OnceLock;

pub use apply::{FilteredOutput, Run};
pub use check::FilterTestFailure;
pub use matching::Invocation;
pub use set::FilterSet;

use filter_file::FilterFile;
use patterns::FilterPatterns;

/// What to leave out of the output of one kind of command.
#[derive(Debug)]
pub struct FamilyFilter {
    written: FilterFile,
    /// Compiled at first use: an output of another family costs nothing. `None`: a pattern is not valid.
    patterns: OnceLock<Option<FilterPatterns>>,
}

/// Why a text is not a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct FilterError {
    /// The name of the file as given.
    pub file: String,
    /// What was expected, what was found and where.
    pub reason: String,
}

impl FamilyFilter {
    /// Reads a filter and checks its patterns; `file` is what errors call it.
    ///
    /// # Errors
    /// A text that is not TOML, a key that does not exist, a value that is not allowed or a pattern that is not a
    /// regular expression or too large.
    pub fn parse(file: &str, text: &str) -> Result<Self, FilterError> {
        let fail = |reason| FilterError { file: file.to_owned(), reason };
        let written = filter_file::parse_filter_file(text).map_err(fail)?;
        let patterns = FilterPatterns::compile(&written).map_err(fail)?;
        Ok(Self { written, patterns: OnceLock::from(Some(patterns)) })
    }

    /// The name it is listed by.
    pub fn name(&self) -> &str {
        &self.written.name
    }

    /// The family of tools it belongs to.
    pub fn family(&self) -> &str {
        &self.written.family
    }

    /// Whether it was made from recorded output of the tool. One that was not leaves nothing out.
    pub fn is_verified(&self) -> bool {
        self.written.verified
    }

    /// Whether it leaves anything out; one that does not only claims its commands, so that no other filter touches them.
    pub fn is_lossy(&self) -> bool {
        self.written.is_lossy()
    }

    /// Reads a filter without compiling its patterns.
    fn read(file: &str, text: &str) -> Result<Self, FilterError> {
        let written = filter_file::parse_filter_file(text)
            .map_err(|reason| FilterError { file: file.to_owned(), reason })?;
        Ok(Self { written, patterns: OnceLock::new() })
    }

    fn patterns(&self) -> Option<&FilterPatterns> {
        self.patterns.get_or_init(|| FilterPatterns::compile(&self.written).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "name = 'a'\nfamily = 'b'\nmatch.programs = ['x']\n";

    fn error(more: &str) -> String {
        FamilyFilter::parse("mine.toml", &format!("{SMALL}{more}")).unwrap_err().to_string()
    }

    #[test]
    fn f16_an_unknown_key_is_an_error_that_names_file_key_and_allowed_keys() {
        let error = error("stripe = 1");
        for part in ["mine.toml: ", "line 4", "unknown field `stripe`", "`strip`", "`on_empty`"] {
            assert!(error.contains(part), "{part} in {error}");
        }
        let nested = self::error("[[strip]]\nsay = 'x'\nlines = ['y']\nfold = 'some'");
        for part in ["mine.toml: ", "unknown variant `some`", "`all`", "`run`"] {
            assert!(nested.contains(part), "{part} in {nested}");
        }
    }

    #[test]
    fn f16_bad_values_are_errors_that_say_what_is_allowed() {
        for (more, part) in [
            ("keep = ['(']", "keep: regex parse error"),
            ("keep = ['\\w{1000}{1000}']", "keep: Compiled regex exceeds size limit"),
            ("[[strip]]\nsay = 'x'", "would leave out everything"),
            ("[[strip]]\nsay = 'a]\\n'\nlines = ['x']", "strip.say"),
            ("truncate = 3", "at least 40 characters"),
            ("verified = false\nhead = 3", "leave nothing out"),
            ("[[replace]]\nsay = 'x'\npattern = 'x'\nwith = '[Forge left out 3'", "replace.with"),
        ] {
            let error = error(more);
            assert!(error.contains(part), "{part} in {error}");
        }
        let nowhere =
            FamilyFilter::parse("mine.toml", "name = 'a'\nfamily = 'b'\n[match]").unwrap_err();
        assert!(nowhere.reason.contains("needs `programs`, `shape` or both"), "{nowhere}");
        assert!(FamilyFilter::parse("mine.toml", &"#".repeat(300 << 10)).is_err());
    }

    #[test]
    fn f16_users_filters_come_before_the_builtin_ones() {
        let mine = FamilyFilter::parse(
            "cargo.toml",
            "name = 'mine'\nfamily = 'cargo'\nmatch.programs = ['cargo']",
        )
        .unwrap();
        let set = FilterSet::builtin().with(vec![mine]);
        let command = Invocation { program: "cargo", subcommand: Some("test"), args: &[] };
        assert_eq!(set.find(Some(&command), "").map(FamilyFilter::name), Some("mine"));
        assert_eq!(set.iter().count(), FilterSet::builtin().iter().count() + 1);
    }

    #[test]
    fn f16_a_failing_test_says_what_it_saw() {
        let text = format!(
            "{SMALL}[[strip]]\nsay = 'line{{s}}'\nlines = ['^noise']\n\
             [[tests]]\ncommand = 'y'\ninput = '{}'\nmust_keep = ['noise']\nmust_drop = ['left out']\n",
            "noise ".repeat(30)
        );
        let failures = FamilyFilter::parse("mine.toml", &text).unwrap().check();
        let reasons: Vec<_> = failures.iter().map(|failure| failure.reason.as_str()).collect();
        assert_eq!(reasons.len(), 3, "{reasons:?}");
        assert!(
            reasons[1].contains("[Forge left out 1 line; nothing else was printed]"),
            "{reasons:?}"
        );
    }

    fn apply_with(more: &str, text: &str) -> String {
        FamilyFilter::parse("mine.toml", &format!("{SMALL}{more}"))
            .unwrap()
            .apply(text)
            .unwrap()
            .text
    }

    #[test]
    fn f16_progress_stays_where_something_failed() {
        let rule = "[[strip]]\nsay = 'step{s}'\nunless_failed = true\nlines = ['ing$']";
        let names = ["db", "web", "queue", "cache", "mail", "search"];
        let steps: String = names.map(|name| format!("{name} Creating\n")).concat();
        let steps = format!("{steps}search Created\n");
        assert_eq!(apply_with(rule, &steps), "[Forge left out 6 steps]\nsearch Created\n");
        let filter = FamilyFilter::parse("mine.toml", &format!("{SMALL}{rule}")).unwrap();
        assert_eq!(filter.apply(&format!("{steps}Error response from daemon\n")), None);
    }

    #[test]
    fn head_and_tail_keep_failures_of_the_middle() {
        let text: String = (0..40)
            .map(|n| format!("{n} {}\n", if n == 20 { "error: here" } else { "going on" }))
            .collect();
        assert_eq!(
            apply_with("head = 2\ntail = 1", &text),
            "0 going on\n1 going on\n[Forge left out 36 lines of the middle, here and below]\n20 error: here\n39 going on\n"
        );
    }

    #[test]
    fn long_lines_are_cut_unless_the_rest_speaks_of_a_failure() {
        let (long, failed) = ("é".repeat(200), format!("{}failed", "é".repeat(200)));
        let cut = format!("{}…", "é".repeat(50));
        assert_eq!(
            apply_with("truncate = 50", &format!("{long}\n{failed}\n")),
            format!("[Forge shortened 1 line: cut at 50 characters]\n{cut}\n{failed}\n")
        );
    }

    #[test]
    fn replacements_are_announced() {
        let text = "step one took 12345678 ms\n".repeat(6);
        assert_eq!(
            apply_with(
                "[[replace]]\nsay = 'timings removed'\npattern = ' took \\d+ ms$'\nwith = ''",
                &text
            ),
            format!("[Forge shortened 6 lines: timings removed]\n{}", "step one\n".repeat(6))
        );
    }

    #[test]
    fn runs_can_be_counted_apart() {
        let run = "a line of noise that is long\n".repeat(3);
        assert_eq!(
            apply_with(
                "[[strip]]\nsay = 'noise'\nlines = ['noise']\nfold = 'run'",
                &format!("{run}x\n{run}")
            ),
            "[Forge left out 3 noise]\nx\n[Forge left out 3 noise]\n"
        );
    }
}
