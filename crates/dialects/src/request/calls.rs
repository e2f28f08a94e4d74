//! The calls of a conversation, and which of them a result answers.

use super::result::Arguments;
use super::sites::CallSite;
use super::slot::Slot;
use crate::json::{Kind, Reader, Value};
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls<'a> {
    calls: Vec<CallSite<'a>>,
    by_id: HashMap<Cow<'a, str>, usize>,
    /// Calls without an id that wait for their results, by name: what was called first is answered first.
    unanswered: HashMap<Cow<'a, str>, VecDeque<usize>>,
    /// The first call of the latest turn: earlier ones without an id will not be answered any more.
    turn: usize,
    /// The first call of the current message.
    message: usize,
    /// There were calls in the message before it, so that they are of one turn.
    follows_calls: bool,
}

impl<'a> Calls<'a> {
    /// A message begins.
    pub(super) fn message(&mut self) {
        self.follows_calls = self.calls.len() > self.message;
        self.message = self.calls.len();
    }

    pub(super) fn add(&mut self, call: CallSite<'a>) {
        let index = self.calls.len();
        if index == self.message && !self.follows_calls {
            self.turn = index;
        }
        match (&call.id, &call.name) {
            (Some(id), _) => drop(self.by_id.insert(id.clone(), index)),
            (None, Some(name)) => self.unanswered.entry(name.clone()).or_default().push_back(index),
            (None, None) => {}
        }
        self.calls.push(call);
    }

    /// Lets the latest call be found by another id, too.
    pub(super) fn also(&mut self, id: Cow<'a, str>) {
        if let Some(index) = self.calls.len().checked_sub(1) {
            self.by_id.entry(id).or_insert(index);
        }
    }

    /// The call that a result with this id, or else from the tool of this name, answers.
    pub(super) fn answered(
        &mut self,
        id: Option<&Cow<'a, str>>,
        name: Option<&Cow<'a, str>>,
    ) -> Option<(usize, &CallSite<'a>)> {
        let by_id = id.and_then(|id| self.by_id.get(id).copied());
        let index = by_id.or_else(|| {
            let waiting = self.unanswered.get_mut(name?)?;
            while waiting.front().is_some_and(|index| *index < self.turn) {
                waiting.pop_front();
            }
            waiting.pop_front()
        })?;
        self.calls.get(index).map(|call| (index, call))
    }

    pub(super) fn into_sites(self) -> Vec<CallSite<'a>> {
        self.calls
    }
}

/// Reads the arguments of a call: a JSON value, or a string that holds one.
pub(super) fn arguments(reader: &mut Reader<'_>) -> Result<Option<Arguments>, Refusal> {
    let value = reader.value()?;
    Ok(Some(match value.content() {
        Some(span) => Arguments { span, is_string: true },
        None => Arguments { span: value.span, is_string: false },
    }))
}

/// Reads who made a call, `{"type": "direct"}` or something else; whether it was the model itself.
pub(super) fn is_direct(reader: &mut Reader<'_>) -> Result<Option<bool>, Refusal> {
    is_of_type(reader, "direct")
}

/// Whether an object, where there is one, has this `type`.
pub(super) fn is_of_type(reader: &mut Reader<'_>, kind: &str) -> Result<Option<bool>, Refusal> {
    if reader.peek() != b'{' {
        let Value { kind, .. } = reader.value()?;
        return Ok((kind != Kind::Null).then_some(false));
    }
    let mut is_it = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "type" => is_it.set(&key, Some(reader.text()?.as_deref() == Some(kind))),
        _ => reader.skip(),
    })?;
    Ok(Some(is_it.take() == Some(true)))
}
