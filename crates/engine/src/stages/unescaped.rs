//! Payloads that stand between quotes in their wrapper, unescaped: the stage around [`unescaped`].

use crate::fidelity::Fidelity;
use crate::stage::{Stage, StageContext, StageOutput};
use crate::wrapper::unescaped;
use std::borrow::Cow;

/// Payloads that stand between quotes in their wrapper, as they are.
pub(super) struct Unescaped;

impl Stage for Unescaped {
    fn name(&self) -> &'static str {
        "unescaped_strings"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    /// Of files too: their text is the more exact the fewer escapes are in it.
    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        subject.settings.model_class.reads().includes(self.name())
    }

    /// However few bytes are saved: an escape is one byte, and often a token or two.
    fn least_saving(&self) -> usize {
        usize::MAX
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        unescaped::encode(text).map(Into::into)
    }

    fn has_written(&self, text: &str) -> bool {
        unescaped::is_written(text)
    }

    fn decode(&self, text: &str) -> Option<String> {
        unescaped::decode(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        unescaped::minify(text)
    }
}
