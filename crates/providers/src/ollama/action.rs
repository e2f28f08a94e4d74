//! What a reply of Ollama does.

use crate::json::Node;
use crate::reply::action::ActionBuilder;

/// Reads a whole reply, or a line of one. A call comes whole, in any of the lines, and nothing is numbered.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [message, error] = part.pick(["message", "error"]);
    if error.is_some() {
        return action.fail();
    }
    let Some(message) = message else { return };
    action.recognise();
    action.say(message.get("content").as_ref());
    for call in message.get("tool_calls").map(|calls| calls.elements()).unwrap_or_default() {
        if let Some(function) = call.get("function") {
            let [name, arguments] = function.pick(["name", "arguments"]);
            action.next_call(name.as_ref(), arguments.map_or("", |it| it.raw()));
        }
    }
}
