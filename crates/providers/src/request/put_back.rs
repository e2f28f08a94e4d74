//! Putting back a reply of the model that called our tool and nothing else.
//!
//! The client gets what was said around such a call as one reply. Where the provider seals what its model thought, it may
//! refuse a reply that is not as it made it: two thoughts behind each other, or a thought without the call it led to. So
//! the reply is taken apart again where it was joined, with the call and its answer in between.

use super::Request;
use super::rejoin::ToolExchange;
use super::sites::{CallSite, ThoughtSite};
use crate::dialect::Dialect;
use crate::json::Node;
use crate::reply::edit::joined;
use crate::splice::Splice;
use std::borrow::Cow;
use std::ops::Range;

/// Puts calls and their answers back behind a thought of the reply that made them, and behind so many more of its
/// elements, blank texts not counted.
///
/// Nothing if nothing follows there, or if one of the calls is in the body already.
#[must_use]
pub fn put_back(
    body: &[u8],
    dialect: Dialect,
    request: &Request<'_>,
    thought: &ThoughtSite,
    behind: usize,
    exchanges: &[ToolExchange<'_>],
) -> Option<Splice<'static>> {
    let is_there = |exchange: &ToolExchange<'_>| {
        request.calls.iter().any(|call: &CallSite| call.has_id(exchange.id, body))
    };
    if exchanges.is_empty() || exchanges.iter().any(is_there) {
        return None;
    }
    let root = Node::read(str::from_utf8(body).ok()?).ok()?;
    let calls = exchanges.iter().map(|exchange| exchange.call).collect();
    let results = joined(exchanges.iter().map(|exchange| exchange.result(dialect)));
    dialect.api().put_back(&root, &HiddenCalls { thought, behind, calls, results })
}

/// Calls that the client never saw.
pub(crate) struct HiddenCalls<'a> {
    /// The thought that led to them.
    pub(crate) thought: &'a ThoughtSite,
    /// How many elements of the same reply stand behind it, blank texts not counted.
    pub(crate) behind: usize,
    /// The calls, as the model made them.
    pub(crate) calls: Vec<&'a str>,
    /// Their results as elements of the conversation, with commas between.
    pub(crate) results: String,
}

/// Puts them back where a conversation is messages made of content blocks.
pub(crate) fn between_blocks(
    body: &Node<'_>,
    hidden: &HiddenCalls<'_>,
    is_thought: impl Fn(&Node<'_>) -> bool,
) -> Option<Splice<'static>> {
    let HiddenCalls { thought, behind, calls, results } = hidden;
    let messages = body.get("messages")?.elements();
    let message = messages.iter().find(|one| one.span().contains(&thought.element.start))?;
    let content = message.get("content")?;
    let (last, next) = joint(&content.elements(), &thought.element, *behind, is_thought)?;
    let role = message.get("role")?;
    // The two halves share what stands around the content, so that each needs what the other keeps.
    let (close, open) = if role.span().start < content.span().start {
        (String::new(), format!(r#""role":{},"#, role.raw()))
    } else {
        (format!(r#","role":{}"#, role.raw()), String::new())
    };
    let calls = calls.join(",");
    let with = format!(
        r#",{calls}]{close}}},{{"role":"user","content":[{results}]}},{{{open}"content":["#
    );
    Some(Splice { range: last.end..next?.start, with: Cow::Owned(with) })
}

/// The element at which a reply was joined to the next one, and the one behind it. A thought begins another reply.
pub(crate) fn joint(
    elements: &[Node<'_>],
    thought: &Range<usize>,
    behind: usize,
    is_thought: impl Fn(&Node<'_>) -> bool,
) -> Option<(Range<usize>, Option<Range<usize>>)> {
    let at = elements.iter().position(|element| element.span() == *thought)?;
    let is_said = |(_, element): &(usize, &Node<'_>)| !is_blank(element);
    let mut said = elements.iter().enumerate().skip(at + 1).filter(is_said);
    let last = match behind.checked_sub(1) {
        None => at,
        Some(more) => {
            let passed: Vec<_> = said.by_ref().take(more + 1).collect();
            // A client that left something of the reply out has the next reply there: it is unknown where the two meet.
            if passed.len() <= more || passed.iter().any(|(_, element)| is_thought(element)) {
                return None;
            }
            passed[more].0
        }
    };
    let span = |index: usize| elements.get(index).map(Node::span);
    Some((span(last)?, span(last + 1)))
}

fn is_blank(element: &Node<'_>) -> bool {
    let text = element.get("text").and_then(|text| text.text());
    text.is_some_and(|text| text.trim().is_empty())
}
