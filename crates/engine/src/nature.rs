//! Content classification: what a text is to its reader, which decides what may be done to it.

use crate::context::CallContext;
use crate::diff;

/// What a text is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// The text of a file from a tool that reads or edits files. The reader will quote it to edit it: byte-exact.
    File,
    /// The text of a file that a shell command or a search printed: byte-exact too, be it JSON or not.
    Excerpt,
    /// A diff, which the reader may apply: byte-exact.
    Diff,
    /// Anything else.
    Plain,
}

impl Nature {
    /// What the output of this call is.
    #[must_use]
    pub fn of(text: &str, context: &CallContext) -> Nature {
        if context.tool.text_is_exact() {
            Nature::File
        } else if diff::is_diff(text) {
            Nature::Diff
        } else if context.shows_file_text() {
            Nature::Excerpt
        } else {
            Nature::Plain
        }
    }
}
