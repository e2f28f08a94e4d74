//! The structured copy of a result, beside its texts.

use tokenforge_providers::{Kind, Node, canonical};
use tokenforge_tokens::Counter;

/// What stands in the place of a text that only repeats the structured copy.
const POINTER: &str = "See structuredContent.";

/// How the structured copy stands to the texts.
#[derive(Debug, Default)]
pub(super) struct StructuredCopy {
    /// The texts that say the same.
    same: Vec<usize>,
}

impl StructuredCopy {
    pub(super) fn of(copy: Option<&Node<'_>>, blocks: &[(Node<'_>, String)]) -> Self {
        let Some(copy) = copy else { return StructuredCopy::default() };
        // Servers with one text often wrap it: `{"content": "..."}`.
        let wrapped = match &copy.members()[..] {
            [(_, only)] if only.kind() == Kind::String => only.text(),
            _ => None,
        };
        let spelled = canonical(copy.raw());
        let is_same = |text: &str| {
            wrapped.as_deref() == Some(text) || (spelled.is_some() && canonical(text) == spelled)
        };
        let same = blocks.iter().enumerate().filter(|(_, (_, text))| is_same(text));
        StructuredCopy { same: same.map(|(index, _)| index).collect() }
    }

    /// Does this text only repeat the copy?
    pub(super) fn repeats(&self, index: usize) -> bool {
        self.same.contains(&index)
    }

    /// Does some text say all that the copy says?
    pub(super) fn is_in_text(&self) -> bool {
        !self.same.is_empty()
    }
}

/// What points to the structured copy, if it is shorter than the text.
pub(super) fn pointer(text: &str, counter: Counter) -> Option<String> {
    counter.is_cheaper(POINTER, text).then(|| POINTER.to_owned())
}
