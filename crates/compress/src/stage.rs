//! What a stage is: one way to write a text with fewer tokens.

use crate::context::Context;
use crate::fidelity::Fidelity;
use crate::filter::FilterSet;
use crate::nature::Nature;
use crate::settings::Settings;
use std::borrow::Cow;

/// What a stage knows besides the text.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The tool that was called and its command line.
    pub context: &'a Context,
    /// What the caller asked for.
    pub settings: &'a Settings,
    /// The filters of tool families.
    pub filters: &'a FilterSet,
    /// What the text is to its reader.
    pub nature: Nature,
}

/// One way to write a text with fewer tokens.
///
/// A stage is pure and knows nothing of limits, token counts or records: the runner does what every stage needs.
pub trait Stage: Sync {
    /// The name in records and on the command line.
    fn name(&self) -> &'static str;

    /// What the stage may cost the reader.
    fn fidelity(&self) -> Fidelity;

    /// Is this an output the stage is for? Asked before the text is looked at.
    fn is_for(&self, subject: &Subject<'_>) -> bool {
        subject.nature == Nature::Plain
    }

    /// The text written in fewer tokens; `None` if there is nothing to do.
    fn apply(&self, text: &str, subject: &Subject<'_>) -> Option<Written>;

    /// A text that is not shorter by one part in this many is not worth the counting.
    fn least_saving(&self) -> usize {
        64
    }

    /// What a lossless stage's text stands for. Must be given by every [`Fidelity::Lossless`] stage.
    fn decode(&self, _text: &str) -> Option<String> {
        None
    }

    /// The part of the given text that decoding gives back: all of it but for JSON, where it is the minified text.
    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}

/// What a stage made of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Its tokens, if the stage had to count them.
    pub tokens: Option<usize>,
    /// What the record says was done, if the stage does more than one thing and so its name does not tell.
    pub done: Option<&'static str>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Written { text, tokens: None, done: None }
    }
}
