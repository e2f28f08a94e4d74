//! Tool families: what of a tool's output matters, written down as data.
//!
//! A [`Filter`] is a TOML text: which commands it is for and which lines of their output are progress, passes and noise.
//! `src/filters/README.md` describes every key. [`FilterSet::builtin`] holds those that come with Tokenforge.
//!
//! What a filter leaves out it says, with exact counts, in the place where the first of those lines stood. It is for
//! outputs whose original is kept elsewhere and can be fetched back. It never makes a text longer, and a text it has
//! written it leaves alone.
//!
//! ```
//! use tokenforge_compress::filter::{FilterSet, Invocation};
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
mod mark;
mod matching;
mod note;
mod outline;
mod patterns;
mod set;
mod shorten;
mod signal;
mod written;

use std::sync::OnceLock;

pub use apply::Filtered;
pub use check::Failure;
pub use matching::Invocation;
pub use set::FilterSet;

use patterns::Patterns;
use written::Written;

/// What to leave out of the output of one kind of command.
#[derive(Debug)]
pub struct Filter {
    written: Written,
    /// Compiled at first use: an output of another family costs nothing. `None`: a pattern is not valid.
    patterns: OnceLock<Option<Patterns>>,
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

impl Filter {
    /// Reads a filter and checks its patterns; `file` is what errors call it.
    ///
    /// # Errors
    /// A text that is not TOML, a key that does not exist, a value that is not allowed or a pattern that is not a
    /// regular expression or too large.
    pub fn parse(file: &str, text: &str) -> Result<Self, FilterError> {
        let fail = |reason| FilterError { file: file.to_owned(), reason };
        let written = written::read(text).map_err(fail)?;
        let patterns = Patterns::compile(&written).map_err(fail)?;
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
    pub fn verified(&self) -> bool {
        self.written.verified
    }

    /// Whether it leaves anything out; one that does not only claims its commands, so that no other filter touches them.
    pub fn is_lossy(&self) -> bool {
        self.written.is_lossy()
    }

    /// Reads a filter without compiling its patterns.
    fn read(file: &str, text: &str) -> Result<Self, FilterError> {
        let written =
            written::read(text).map_err(|reason| FilterError { file: file.to_owned(), reason })?;
        Ok(Self { written, patterns: OnceLock::new() })
    }

    fn patterns(&self) -> Option<&Patterns> {
        self.patterns.get_or_init(|| Patterns::compile(&self.written).ok()).as_ref()
    }
}
