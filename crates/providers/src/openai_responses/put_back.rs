//! Putting hidden calls back among the items of a conversation.

use crate::json::Node;
use crate::request::put_back::{HiddenCalls, joint};
use crate::request::rejoin::insertion;
use crate::splice::Splice;

pub(super) fn between_items(
    body: &Node<'_>,
    hidden: &HiddenCalls<'_>,
    is_thought: impl Fn(&Node<'_>) -> bool,
) -> Option<Splice<'static>> {
    let HiddenCalls { thought, behind, calls, results } = hidden;
    let items = body.get("input")?.elements();
    let (last, _) = joint(&items, &thought.element, *behind, is_thought)?;
    // A client that leaves ids out has them nowhere: a call with one would look for the thought that has its own.
    let led = items.iter().find(|item| item.span() == thought.element)?;
    let calls = match led.get("id") {
        Some(_) => calls.join(","),
        None => calls.iter().map(|call| without_id(call)).collect::<Vec<_>>().join(","),
    };
    Some(insertion(last.end, format!(",{calls},{results}")))
}

fn without_id(call: &str) -> String {
    let cuts = Node::read(call).map(|call| call.cuts("id")).unwrap_or_default();
    let mut text = call.to_owned();
    cuts.into_iter().rev().for_each(|cut| text.replace_range(cut, ""));
    text
}
