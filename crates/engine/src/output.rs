//! A tool output, and what became of it.

use crate::history::ToolCall;
use crate::record::{KeptReason, StageStep, Verdict};
use crate::reference::Reference;
use crate::settings::CEILING_BYTES;
use std::borrow::Cow;
use tokenforge_tokens::Counter;

/// A tool's output and the call it answers.
///
/// [`Output::new`] takes the rest for unknown, so that code that uses it compiles when there is more to say.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// What the tool said.
    pub text: &'a str,
    /// The name of the tool, as the client calls it.
    pub tool: &'a str,
    /// The arguments of the call, as JSON text; empty if they are not known.
    pub arguments: &'a str,
    /// The id of the call.
    pub call: Option<&'a str>,
    /// Did the tool say that it failed?
    pub is_error: bool,
}

impl<'a> Output<'a> {
    /// What a tool of this name said, in answer to a call of which nothing else is known.
    ///
    /// ```
    /// # use tokenforge_engine::Output;
    /// let output = Output::new("Bash", "12 passed").with_arguments(r#"{"command": "cargo test"}"#).with_call("call_7");
    /// assert_eq!((output.tool_call().tool, output.is_error), ("Bash", false));
    /// ```
    #[must_use]
    pub fn new(tool: &'a str, text: &'a str) -> Self {
        Output { text, tool, arguments: "", call: None, is_error: false }
    }

    /// With the arguments of the call, as JSON text. They say which command ran, and so which filter is for the output.
    #[must_use]
    pub fn with_arguments(self, arguments: &'a str) -> Self {
        Output { arguments, ..self }
    }

    /// With the id of the call, under which later results can point to this one.
    #[must_use]
    pub fn with_call(self, id: &'a str) -> Self {
        Output { call: Some(id), ..self }
    }

    /// The tool said that it failed: nothing is left out of a failure.
    #[must_use]
    pub fn with_failure(self) -> Self {
        Output { is_error: true, ..self }
    }

    /// The call that it answers.
    #[must_use]
    pub fn tool_call(&self) -> ToolCall<'a> {
        ToolCall { id: self.call, tool: self.tool, arguments: self.arguments }
    }
}

/// What became of an output. Only the engine makes these, and the gateway for what a strategy answered.
#[derive(Debug, Clone)]
pub struct CompressedOutput {
    /// What is to be forwarded instead; `None`: the output as it came.
    pub replacement: Option<String>,
    /// Whether there is a replacement, and if not, why.
    pub verdict: Verdict,
    /// What each stage did.
    pub steps: Vec<StageStep>,
    /// What must be stored before the text is forwarded: it says that it can be fetched back.
    pub original: Option<Original>,
    /// The kinds of secrets that were removed.
    pub redacted: Vec<&'static str>,
    /// Tokens of the output and of what is forwarded, where both were counted on the way.
    pub counted: Option<(usize, usize)>,
}

impl CompressedOutput {
    /// What is to be forwarded for the output with this text.
    #[must_use]
    pub fn text<'t>(&'t self, original: &'t str) -> &'t str {
        self.replacement.as_deref().unwrap_or(original)
    }

    /// The tokens of the output with this text, and of what is forwarded for it.
    #[must_use]
    pub fn tokens(&self, original: &str, counter: Counter) -> (usize, usize) {
        self.counted.unwrap_or_else(|| {
            // Compression ran out of time on it, so it gets no slow exact count either.
            let is_late = self.verdict == Verdict::Kept(KeptReason::OutOfTime);
            let counter = if is_late { Counter::Estimate } else { counter };
            let before = count_or_estimate(original, counter);
            let after =
                self.replacement.as_ref().map_or(before, |text| count_or_estimate(text, counter));
            (before, after)
        })
    }

    pub(crate) fn keep_for(reason: KeptReason) -> Self {
        CompressedOutput {
            replacement: None,
            verdict: Verdict::Kept(reason),
            steps: Vec::new(),
            original: None,
            redacted: Vec::new(),
            counted: None,
        }
    }
}

/// An output that something was left out of, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The id under which the model will ask for it.
    pub reference: Reference,
    /// The text, where it is not that of the output: a copy of a long one would be most of what it takes to work on it.
    pub redacted: Option<String>,
}

impl Original {
    pub(crate) fn new(reference: Reference, text: Cow<'_, str>) -> Self {
        let redacted = match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        Original { reference, redacted }
    }

    /// The text to store, of the output with this text.
    #[must_use]
    pub fn text<'t>(&'t self, output: &'t str) -> &'t str {
        self.redacted.as_deref().unwrap_or(output)
    }
}

/// The tokens of a text, or about as many for one that is too large to be looked at.
pub(crate) fn count_or_estimate(text: &str, counter: Counter) -> usize {
    let counter = if text.len() > CEILING_BYTES { Counter::Estimate } else { counter };
    counter.count(text)
}
