//! The stage trait: one step of the compression pipeline, which writes a text with fewer tokens.

use crate::context::CallContext;
use crate::fidelity::Fidelity;
use crate::filter::FilterSet;
use crate::nature::Nature;
use crate::settings::Settings;
use std::borrow::Cow;

/// What a stage knows besides the text.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StageContext<'a> {
    /// The tool that was called and its command line.
    pub context: &'a CallContext,
    /// What the caller asked for.
    pub settings: &'a Settings,
    /// The filters of tool families.
    pub filters: &'a FilterSet,
    /// What the text is to its reader.
    pub nature: Nature,
    /// Does the text stand in a string of its wrapper? Then blanks are content, because the string is.
    pub is_quoted: bool,
}

/// One way to write a text with fewer tokens.
///
/// A stage is pure and knows nothing of limits, token counts or records: the runner does what every stage needs.
/// [`Engine::with_stage`](crate::Engine::with_stage) adds one to the built-in ones, and has an example.
pub trait Stage: Sync {
    /// The name in records and on the command line, which no other stage has.
    fn name(&self) -> &'static str;

    /// What the stage may cost the reader.
    fn fidelity(&self) -> Fidelity;

    /// Is this an output the stage is for? Asked before the text is looked at.
    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        subject.nature == Nature::Plain
    }

    /// The text written in fewer tokens; `None` if there is nothing to do.
    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput>;

    /// What its text is to its reader, at most. [`TextLayer::Notation`] is for what is read with a legend, which is
    /// its first line and begins with [`SIGNATURE`](crate::SIGNATURE), so that it is not compressed again.
    fn layer(&self) -> TextLayer {
        TextLayer::Words
    }

    /// A text that is not shorter by one part in this many is not worth the counting.
    fn least_saving(&self) -> usize {
        64
    }

    /// What a lossless stage's text stands for. Must be given by every [`Fidelity::Lossless`] stage.
    fn decode(&self, _text: &str) -> Option<String> {
        None
    }

    /// Does a text look as if this stage had written it? A lossless built-in stage is found by it when a text is
    /// [restored](crate::restore()).
    fn has_written(&self, _text: &str) -> bool {
        false
    }

    /// The part of the given text that decoding gives back: all of it but for JSON, where it is the minified text. A stage
    /// that answers with another text says that nothing depends on the difference.
    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}

/// What a text is to its reader, which decides what may be written over it: one notation at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextLayer {
    /// Lines as they were. Some may be gone, or a note says in words what became of them.
    Words,
    /// Lines that are read with a legend: templates, patterns, headings.
    Notation,
    /// A dictionary, which is read with its entries.
    Dictionary,
    /// JSON in another form, or JSON lines in one.
    Form,
}

impl TextLayer {
    /// May a stage that writes this be given a text that is `below`? `is_marked`: it has lines of ours in it.
    ///
    /// A stack of notations is read wrongly even by large models, and cuts what was whole: headings over STC 2 took
    /// half a timestamp for a file. What a stack would save beside its cheapest layer is not worth that.
    #[must_use]
    pub(crate) fn may_be_written_over(self, below: TextLayer, is_marked: bool) -> bool {
        match (self, below) {
            (TextLayer::Words, TextLayer::Words | TextLayer::Notation) => true,
            (TextLayer::Notation | TextLayer::Form, TextLayer::Words) => true,
            (TextLayer::Dictionary, TextLayer::Words) => !is_marked,
            (_, TextLayer::Notation | TextLayer::Dictionary | TextLayer::Form) => false,
        }
    }
}

/// What a stage made of a text: made from the text, which is [words](TextLayer::Words) unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageOutput {
    /// The text.
    pub text: String,
    /// Its tokens, if the stage had to count them. Only ours may say so: the runner believes it.
    pub(crate) tokens: Option<usize>,
    /// What the text is to its reader.
    pub layer: TextLayer,
    /// What the record says was done, if the stage does more than one thing and so its name does not tell.
    pub done: Option<&'static str>,
}

impl StageOutput {
    /// The same text as something else than words.
    #[must_use]
    pub fn in_layer(self, layer: TextLayer) -> Self {
        StageOutput { layer, ..self }
    }
}

impl From<String> for StageOutput {
    fn from(text: String) -> Self {
        StageOutput { text, tokens: None, layer: TextLayer::Words, done: None }
    }
}
