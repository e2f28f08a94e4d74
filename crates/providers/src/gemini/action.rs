//! What a reply of generateContent does, and whether a request can be repeated.

use crate::json::{Kind, Node};
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_only};

/// Reads a whole reply, or a chunk of one. Of several candidates the first is read.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    // Code Assist wraps it; a stream may come as one array.
    let part = part.get("response").unwrap_or_else(|| part.clone());
    if part.kind() == Kind::Array {
        return part.elements().iter().for_each(|part| read(part, action));
    }
    let [candidates, error] = part.pick(["candidates", "error"]);
    if error.is_some() {
        return action.fail();
    }
    let Some(candidates) = candidates else { return };
    action.recognise();
    let first = candidates.elements().into_iter().next();
    let parts = first.and_then(|first| first.at(["content", "parts"]));
    for part in parts.map(|parts| parts.elements()).unwrap_or_default() {
        let [call, text, thought] = part.pick(["functionCall", "text", "thought"]);
        if let Some(call) = call {
            let [name, arguments] = call.pick(["name", "args"]);
            action.next_call(name.as_ref(), arguments.map_or("", |it| it.raw()));
        } else if thought.is_none_or(|thought| thought.raw() != "true") {
            action.say(text.as_ref());
        }
    }
}

/// Can it be asked once more?
pub(super) fn is_repeatable(request: &Node<'_>) -> bool {
    let request = request.get("request").unwrap_or_else(|| request.clone());
    are_all(request.get("tools"), |tool| {
        has_only(tool, &["functionDeclarations", "function_declarations"])
    })
}
