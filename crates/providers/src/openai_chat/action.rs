//! What a reply of Chat Completions does, and whether a request can be repeated.

use crate::json::Node;
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_type, is_absent};

/// Reads a whole reply, or a chunk of one. Of several choices the first is read.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [choices, error] = part.pick(["choices", "error"]);
    if !is_absent(error) {
        return action.fail();
    }
    let Some(choices) = choices else { return };
    action.recognise();
    for choice in choices.elements() {
        let [index, message, delta] = choice.pick(["index", "message", "delta"]);
        let is_first = index.and_then(|index| index.number()).unwrap_or_default() == 0;
        if let Some(message) = message.or(delta).filter(|_| is_first) {
            read_message(&message, action);
        }
    }
}

/// Reads a message, or a piece of one.
fn read_message(message: &Node<'_>, action: &mut ActionBuilder) {
    let [content, calls, legacy] = message.pick(["content", "tool_calls", "function_call"]);
    action.say(content.as_ref());
    for (place, call) in calls.map(|calls| calls.elements()).unwrap_or_default().iter().enumerate()
    {
        let [index, function, custom] = call.pick(["index", "function", "custom"]);
        let index = index.and_then(|index| index.number()).unwrap_or(place as u64);
        if let Some(function) = function.or(custom) {
            read_call(index, &function, action);
        }
    }
    if let Some(call) = legacy {
        read_call(0, &call, action);
    }
}

fn read_call(index: u64, function: &Node<'_>, action: &mut ActionBuilder) {
    let [name, arguments, input] = function.pick(["name", "arguments", "input"]);
    let arguments = arguments.or(input).map(|it| it.text().unwrap_or_else(|| it.raw().into()));
    action.call(index, name.as_ref(), arguments.as_deref());
}

/// Can it be asked once more?
pub(crate) fn is_repeatable(request: &Node<'_>) -> bool {
    let [tools, search] = request.pick(["tools", "web_search_options"]);
    let is_clients = |kind: &str| matches!(kind, "function" | "custom");
    search.is_none() && are_all(tools, |tool| has_type(tool, is_clients))
}
