//! One tool output: the call that made it, and what became of it.

use serde::Serialize;

/// The call that made an output. What is not known stays empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutputCall<'c> {
    /// The tool, such as `Bash`.
    pub tool: &'c str,
    /// Its arguments, as JSON.
    pub arguments: &'c str,
    /// It reported an error.
    pub is_error: bool,
    /// The model that will read the output: its vocabulary counts. Empty: o200k, or the first of a build without it.
    pub model: &'c str,
}

/// An output as it is to be shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CompressedText {
    /// What to show.
    pub text: String,
    /// `compressed`, or why the text was kept as it is.
    pub verdict: &'static str,
    /// The stages whose text was taken.
    pub stages: Vec<&'static str>,
    /// Tokens of the text as it came.
    pub tokens_before: usize,
    /// Tokens of the text as it is to be shown.
    pub tokens_after: usize,
    /// What the original is kept under, if something was left out.
    pub reference: Option<String>,
}
