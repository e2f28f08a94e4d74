//! Where the calls of a conversation and their answers stand.

use super::name_ref::NameRef;
use super::rejoin::call_key;
use super::result::CallArguments;
use std::borrow::Cow;
use std::ops::Range;

/// A call of the conversation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSite {
    /// Its id, where it has one.
    pub id: Option<NameRef>,
    /// The tool.
    pub name: Option<NameRef>,
    /// What the tool is called with.
    pub arguments: Option<CallArguments>,
    /// Its element in the list of blocks, calls, items or parts. Nothing if it does not stand in a list.
    pub element: Option<Range<usize>>,
    /// Who made it, and reads its result.
    pub(crate) audience: ResultAudience,
}

/// Who reads the result of a call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResultAudience {
    /// The model.
    #[default]
    Model,
    /// A program, which may need every byte of it.
    Program,
    /// The provider, which made it and may have signed it.
    Provider,
}

/// A tool result as a whole, whatever is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerSite {
    /// The id of the call, where the result names it.
    pub call_id: Option<NameRef>,
    /// Which of the calls of the body it answers, from zero. Nothing if the call is not in the body.
    pub call: Option<usize>,
    /// Its element in the list of blocks, messages, items or parts. Nothing if it does not stand in a list.
    pub element: Option<Range<usize>>,
    /// Nothing of the model follows it: the model has not seen it yet.
    pub is_last_turn: bool,
}

/// What the model thought before it spoke or called, as its provider sealed it. A client sends it back as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThoughtSite {
    /// What tells it from all others: its signature, its encrypted content, or the id of its item. Never empty.
    pub seal: NameRef,
    /// Its element in the list of blocks or items.
    pub element: Range<usize>,
}

impl CallSite {
    /// Whether this is its id.
    #[must_use]
    pub fn has_id(&self, id: &str, body: &[u8]) -> bool {
        self.id.as_ref().is_some_and(|own| own.text(body) == id)
    }

    /// What tells it from other calls where there are no ids: see [`call_key`].
    #[must_use]
    pub fn key(&self, body: &[u8]) -> Option<String> {
        let arguments = match &self.arguments {
            Some(arguments) => arguments.text(body)?,
            None => Cow::Borrowed(""),
        };
        Some(call_key(&self.name.as_ref()?.text(body), &arguments))
    }
}
