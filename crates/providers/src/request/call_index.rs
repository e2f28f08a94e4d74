//! The index of tool calls: those of a conversation, and which of them a result answers.

use super::name_ref::NameRef;
use super::result::CallArguments;
use super::sites::{AnswerSite, CallSite};
use super::slot::Slot;
use super::turns::TurnMark;
use crate::json::{Kind, Reader, Value};
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// Most results answer one of so many latest calls: those are looked at first.
const LATEST: usize = 8;

/// The calls so far.
#[derive(Debug)]
pub(crate) struct CallIndex<'a> {
    body: &'a [u8],
    calls: Vec<CallSite>,
    /// The calls by their ids, up to the one where `with_ids` ends.
    by_id: HashMap<Cow<'a, str>, usize>,
    with_ids: usize,
    /// Calls that wait for their results, by name, up to the one where `with_names` ends: results that name no id answer
    /// what was called first.
    unanswered: HashMap<Cow<'a, str>, VecDeque<usize>>,
    with_names: usize,
    /// Which of the calls have a result.
    is_answered: Vec<bool>,
    /// The first call of the latest turn: earlier ones without an id will not be answered any more.
    turn: usize,
    /// The first call of the current message.
    message: usize,
    /// There were calls in the message before it, so that they are of one turn.
    follows_calls: bool,
    /// There are calls with several ids.
    pub(crate) has_aliases: bool,
}

impl<'a> CallIndex<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Self {
        CallIndex {
            body,
            calls: Vec::new(),
            by_id: HashMap::new(),
            with_ids: 0,
            unanswered: HashMap::new(),
            with_names: 0,
            is_answered: Vec::new(),
            turn: 0,
            message: 0,
            follows_calls: false,
            has_aliases: false,
        }
    }

    /// Goes on behind these calls, with those answered that have an answer.
    pub(crate) fn resume(&mut self, calls: Vec<CallSite>, answers: &[AnswerSite], mark: &TurnMark) {
        self.is_answered = vec![false; calls.len()];
        for answer in answers {
            if let Some(is_answered) = answer.call.and_then(|call| self.is_answered.get_mut(call)) {
                *is_answered = true;
            }
        }
        self.calls = calls;
        (self.turn, self.message) = mark.first_calls;
    }

    /// The calls so far, and the first ones of the latest turn and message.
    pub(crate) fn mark(&self) -> (usize, (usize, usize)) {
        (self.calls.len(), (self.turn, self.message))
    }

    /// A message begins.
    pub(crate) fn begin_message(&mut self) {
        self.follows_calls = self.calls.len() > self.message;
        self.message = self.calls.len();
    }

    pub(crate) fn add(&mut self, call: CallSite) {
        let index = self.calls.len();
        if index == self.message && !self.follows_calls {
            self.turn = index;
        }
        self.calls.push(call);
        self.is_answered.push(false);
    }

    /// Lets the latest call be found by another id, too.
    pub(crate) fn add_alias(&mut self, id: &NameRef) {
        self.has_aliases = true;
        self.index_ids();
        if let Some(index) = self.calls.len().checked_sub(1) {
            self.by_id.entry(id.text(self.body)).or_insert(index);
        }
    }

    /// The call that a result with this id, or else from the tool of this name, answers.
    pub(crate) fn call_for_result(
        &mut self,
        id: Option<&NameRef>,
        name: Option<&NameRef>,
    ) -> Option<(usize, &CallSite)> {
        let by_id = id.and_then(|id| self.with_id(id));
        let index = by_id.or_else(|| self.first_waiting(name?, id.is_none()))?;
        *self.is_answered.get_mut(index)? = true;
        self.calls.get(index).map(|call| (index, call))
    }

    /// The latest call with this id.
    fn with_id(&mut self, id: &NameRef) -> Option<usize> {
        let (body, id) = (self.body, id.text(self.body));
        let mut latest = self.calls.iter().rev().take(LATEST);
        if let Some(back) = latest.position(|call| call.has_id(&id, body)) {
            return Some(self.calls.len() - 1 - back);
        }
        self.index_ids();
        self.by_id.get(&id).copied()
    }

    fn index_ids(&mut self) {
        let (body, calls) = (self.body, self.calls.iter().enumerate().skip(self.with_ids));
        self.by_id
            .extend(calls.filter_map(|(index, call)| Some((call.id.as_ref()?.text(body), index))));
        self.with_ids = self.calls.len();
    }

    fn index_names(&mut self) {
        for (index, call) in self.calls.iter().enumerate().skip(self.with_names) {
            if let Some(name) = &call.name {
                self.unanswered.entry(name.text(self.body)).or_default().push_back(index);
            }
        }
        self.with_names = self.calls.len();
    }

    /// The first call of the turn to the tool of this name that has no result; if it has an id, only `with_id`.
    fn first_waiting(&mut self, name: &NameRef, with_id: bool) -> Option<usize> {
        self.index_names();
        let waiting = self.unanswered.get_mut(&name.text(self.body))?;
        let is_over = |index: usize| {
            index < self.turn || self.is_answered.get(index).is_none_or(|answered| *answered)
        };
        while waiting.front().is_some_and(|index| is_over(*index)) {
            waiting.pop_front();
        }
        let first = waiting.front().copied()?;
        let has_id = self.calls.get(first)?.id.is_some();
        (with_id || !has_id).then_some(first)
    }

    pub(crate) fn into_sites(self) -> Vec<CallSite> {
        self.calls
    }
}

/// Reads the arguments of a call: a JSON value, or a string that holds one.
pub(crate) fn arguments(reader: &mut Reader<'_>) -> Result<Option<CallArguments>, Refusal> {
    let value = reader.value()?;
    Ok(Some(match value.content() {
        Some(span) => CallArguments { span, is_string: true },
        None => CallArguments { span: value.span, is_string: false },
    }))
}

/// Reads who made a call, `{"type": "direct"}` or something else; whether it was the model itself.
pub(crate) fn is_direct(reader: &mut Reader<'_>) -> Result<Option<bool>, Refusal> {
    is_of_type(reader, "direct")
}

/// Whether an object, where there is one, has this `type`.
pub(crate) fn is_of_type(reader: &mut Reader<'_>, kind: &str) -> Result<Option<bool>, Refusal> {
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
