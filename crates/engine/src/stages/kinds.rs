//! Stages that need the text alone: a name, and functions that write it and read it back.

use crate::fidelity::Fidelity;
use crate::nature::Nature;
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};

/// A stage that changes nothing a terminal would show.
pub(super) struct Cosmetic {
    name: &'static str,
    apply: fn(&str) -> Option<String>,
    least_saving: usize,
}

impl Cosmetic {
    /// However little it saves: what comes later makes the text shorter, and so its part larger.
    pub(super) const fn always(name: &'static str, apply: fn(&str) -> Option<String>) -> Self {
        Cosmetic { name, apply, least_saving: usize::MAX }
    }

    pub(super) const fn worth_it(name: &'static str, apply: fn(&str) -> Option<String>) -> Self {
        Cosmetic { name, apply, least_saving: 64 }
    }
}

impl Stage for Cosmetic {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Cosmetic
    }

    fn least_saving(&self) -> usize {
        self.least_saving
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        (self.apply)(text).map(Into::into)
    }
}

/// A stage whose text decodes to the one it was given.
pub(super) struct Lossless {
    name: &'static str,
    layer: TextLayer,
    codec: LineCodec,
}

/// How a lossless stage writes a text, recognises what it wrote, and reads it.
pub(super) struct LineCodec {
    pub(super) encode: fn(&str) -> Option<String>,
    pub(super) has_written: fn(&str) -> bool,
    pub(super) decode: fn(&str) -> Option<String>,
}

impl Lossless {
    /// A stage that says in words what became of some lines.
    pub(super) const fn words(name: &'static str, codec: LineCodec) -> Self {
        Lossless { name, layer: TextLayer::Words, codec }
    }

    /// A stage whose text is read with a legend.
    pub(super) const fn notation(name: &'static str, codec: LineCodec) -> Self {
        Lossless { name, layer: TextLayer::Notation, codec }
    }
}

impl Stage for Lossless {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn layer(&self) -> TextLayer {
        self.layer
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        let text = (self.codec.encode)(text)?;
        Some(StageOutput { layer: self.layer, ..text.into() })
    }

    fn decode(&self, text: &str) -> Option<String> {
        (self.codec.decode)(text)
    }

    fn has_written(&self, text: &str) -> bool {
        (self.codec.has_written)(text)
    }
}

/// A stage that takes something away.
pub(super) struct Removal {
    pub(super) name: &'static str,
    pub(super) fidelity: Fidelity,
    pub(super) apply: fn(&str) -> Option<String>,
}

impl Stage for Removal {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        match self.fidelity {
            // `cat picture.png` shows a file too.
            Fidelity::Safety => subject.nature != Nature::File,
            _ => subject.nature == Nature::Plain,
        }
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        (self.apply)(text).map(Into::into)
    }
}
