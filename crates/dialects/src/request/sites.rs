//! Where the calls of a conversation and their answers stand.

use super::owned;
use super::rejoin::call_key;
use super::result::Arguments;
use std::borrow::Cow;
use std::ops::Range;

/// A call of the conversation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSite<'a> {
    /// Its id, where it has one.
    pub id: Option<Cow<'a, str>>,
    /// The tool.
    pub name: Option<Cow<'a, str>>,
    /// What the tool is called with.
    pub arguments: Option<Arguments>,
    /// Its element in the list of blocks, calls, items or parts. Nothing if it does not stand in a list.
    pub element: Option<Range<usize>>,
    /// Who made it, and reads its result.
    pub(super) audience: Audience,
}

/// Who reads the result of a call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Audience {
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
pub struct AnswerSite<'a> {
    /// The id of the call, where the result names it.
    pub call_id: Option<Cow<'a, str>>,
    /// Which of the calls of the body it answers, from zero. Nothing if the call is not in the body.
    pub call: Option<usize>,
    /// Its element in the list of blocks, messages, items or parts. Nothing if it does not stand in a list.
    pub element: Option<Range<usize>>,
    /// Nothing of the model follows it: the model has not seen it yet.
    pub is_last_turn: bool,
}

impl CallSite<'_> {
    /// What tells it from other calls where there are no ids: see [`call_key`].
    #[must_use]
    pub fn key(&self, body: &[u8]) -> Option<String> {
        let arguments = match &self.arguments {
            Some(arguments) => arguments.text(body)?,
            None => Cow::Borrowed(""),
        };
        Some(call_key(self.name.as_deref()?, &arguments))
    }

    pub(super) fn into_owned(self) -> CallSite<'static> {
        CallSite { id: owned(self.id), name: owned(self.name), ..self }
    }
}

impl AnswerSite<'_> {
    pub(super) fn into_owned(self) -> AnswerSite<'static> {
        AnswerSite { call_id: owned(self.call_id), ..self }
    }
}
