//! Putting a call that the client never saw, and its answer, back into the conversation.
//!
//! A model may call one of our tools beside tools of the client. The client gets its own calls only; when it answers
//! them, ours joins them again, so that the model finds every call it made, with an answer.

use super::Request;
use super::name_ref::NameRef;
use super::sites::{AnswerSite, CallSite};
use crate::dialect::Dialect;
use crate::json::canonical;
use crate::splice::Splice;
use std::borrow::Cow;
use std::ops::Range;

/// A call of ours, and its answer.
#[derive(Debug, Clone, Copy)]
pub struct ToolExchange<'a> {
    /// The client's calls of the same turn, in order: their ids, or their [keys](call_key) where there are none.
    pub siblings: &'a [String],
    /// How many of them came before it.
    pub siblings_before: usize,
    /// Where the turn may begin in the body: of calls with the same key the first from there on counts.
    pub from: usize,
    /// The call as the model made it: a block, an element of `tool_calls`, an item or a part.
    pub call: &'a str,
    /// The id in it; empty if it has none.
    pub id: &'a str,
    /// The answer.
    pub answer: &'a str,
    /// The answer says what went wrong.
    pub is_error: bool,
}

/// Inserts the call among its siblings, where the model made it, and its answer behind one of theirs.
///
/// Siblings that the client has dropped, or not answered, are no neighbours. Nothing if there is none left, or if the
/// call is in the body already.
///
/// ```
/// use tokenforge_providers::{Dialect, ToolExchange, Request, rejoin, splice};
///
/// let body = br#"{"input":[{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"},
///   {"type":"function_call_output","call_id":"a","output":"x"}]}"#;
/// let request = Request::read(body, Dialect::OpenAiResponses)?;
/// let call = r#"{"type":"function_call","call_id":"b","name":"expand_context","arguments":"{}"}"#;
/// let siblings = ["a".to_owned()];
/// let exchange = ToolExchange {
///     siblings: &siblings,
///     siblings_before: 1,
///     from: 0,
///     call,
///     id: "b",
///     answer: "y",
///     is_error: false,
/// };
/// let splices = rejoin(body, Dialect::OpenAiResponses, &request, &exchange).unwrap();
/// let joined = splice(body, &splices).unwrap();
/// assert_eq!(Request::read(&joined, Dialect::OpenAiResponses)?.calls.len(), 2);
/// # Ok::<(), tokenforge_providers::Refusal>(())
/// ```
#[must_use]
pub fn rejoin(
    body: &[u8],
    dialect: Dialect,
    request: &Request<'_>,
    exchange: &ToolExchange<'_>,
) -> Option<[Splice<'static>; 2]> {
    let is_ours = |call: &CallSite| call.has_id(exchange.id, body);
    if !exchange.id.is_empty() && request.calls.iter().any(is_ours) {
        return None;
    }
    let (before, after) = exchange.siblings.split_at_checked(exchange.siblings_before)?;
    let neighbour = |sibling: &String| neighbour(body, request, sibling, exchange.from);
    let call = match before.iter().rev().find_map(neighbour) {
        Some((call, _)) => insertion(call.end, format!(",{}", exchange.call)),
        None => insertion(after.iter().find_map(neighbour)?.0.start, format!("{},", exchange.call)),
    };
    // The same place for all answers of a turn, so that without ids they come in the order of their calls.
    let (_, answer) = exchange.siblings.iter().find_map(neighbour)?;
    Some([call, insertion(answer.end, format!(",{}", exchange.result(dialect)))])
}

/// Inserts the answer alone, behind the client's answer to a sibling: the calls are at the provider, which keeps the
/// conversation. Nothing if the answer is in the body already.
#[must_use]
pub fn rejoin_answer(
    body: &[u8],
    dialect: Dialect,
    request: &Request<'_>,
    sibling: &AnswerSite,
    exchange: &ToolExchange<'_>,
) -> Option<Splice<'static>> {
    let is_ours = |id: &NameRef| id.text(body) == exchange.id;
    let mut answers = request.answers.iter().filter_map(|answer| answer.call_id.as_ref());
    if exchange.id.is_empty() || answers.any(is_ours) {
        return None;
    }
    let end = sibling.element.as_ref()?.end;
    Some(insertion(end, format!(",{}", exchange.result(dialect))))
}

/// What tells a call from others where there are no ids: its name and its arguments, however they are spelled.
///
/// ```
/// use tokenforge_providers::call_key;
///
/// assert_eq!(call_key("f", r#"{"b":1,"a":"\u0062"}"#), call_key("f", r#"{ "a": "b", "b": 1.0 }"#));
/// ```
#[must_use]
pub fn call_key(name: &str, arguments: &str) -> String {
    match arguments.trim() {
        // Nothing is as good as nothing inside.
        "" | "null" => format!("{name}({{}})"),
        arguments => match canonical(arguments) {
            Some(canonical) => format!("{name}({canonical})"),
            None => format!("{name}({arguments})"),
        },
    }
}

/// The elements of a sibling and of its answer, if both are there.
fn neighbour(
    body: &[u8],
    request: &Request<'_>,
    sibling: &str,
    from: usize,
) -> Option<(Range<usize>, Range<usize>)> {
    let has_id = |call: &CallSite| call.has_id(sibling, body);
    let has_key = |call: &CallSite| {
        // Most names tell already; then nothing needs to be spelled anew.
        call.element.as_ref().is_some_and(|element| element.start >= from)
            && call.name.as_ref().is_some_and(|name| sibling.starts_with(&*name.text(body)))
            && call.key(body).as_deref() == Some(sibling)
    };
    let index = request
        .calls
        .iter()
        .rposition(has_id)
        .or_else(|| request.calls.iter().position(has_key))?;
    let answer = request.answers.iter().find(|answer| answer.call == Some(index))?;
    Some((request.calls.get(index)?.element.clone()?, answer.element.clone()?))
}

pub(crate) fn insertion(at: usize, json: String) -> Splice<'static> {
    Splice { range: at..at, with: Cow::Owned(json) }
}

impl ToolExchange<'_> {
    /// The answer as an element of the list that its sibling's answer stands in.
    pub(super) fn result(&self, dialect: Dialect) -> String {
        dialect.api().tool_result(self.id, self.answer, self.is_error)
    }
}
