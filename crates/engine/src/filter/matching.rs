//! Which filter a command belongs to.

use super::FamilyFilter;
use super::filter_file::Match;

/// A command as far as filters look at it.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// The base name of the program: `cargo`, not `/usr/bin/cargo`.
    pub program: &'a str,
    /// The first argument that is not an option, where the program has subcommands.
    pub subcommand: Option<&'a str>,
    /// Every argument, the subcommand included or not.
    pub args: &'a [String],
}

impl FamilyFilter {
    /// Whether the filter is for this command.
    pub fn is_for(&self, command: &Invocation) -> bool {
        self.written.matching.holds_for(command)
    }

    /// Whether the command runs other tools, whose filters know better.
    pub(super) fn is_wrapper(&self) -> bool {
        self.written.matching.wrapper
    }

    /// Whether it is for shell commands that no other filter knows.
    pub(super) fn is_fallback(&self) -> bool {
        self.written.matching.fallback
    }

    pub(super) fn shapes(&self) -> &[String] {
        &self.written.matching.shape
    }
}

impl Match {
    fn holds_for(&self, command: &Invocation) -> bool {
        let given =
            |option: &String| command.args.iter().any(|argument| is_option(argument, option));
        self.programs.iter().any(|program| program == command.program)
            && (self.subcommands.is_empty()
                || command
                    .subcommand
                    .is_some_and(|name| self.subcommands.iter().any(|s| s == name)))
            && (self.with.is_empty() || self.with.iter().any(given))
            && !self.unless.iter().any(given)
    }
}

/// `--format` is given as `--format` or as `--format=x`.
fn is_option(argument: &str, option: &str) -> bool {
    argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
