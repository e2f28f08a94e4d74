//! What a reply of Converse does, and whether a request can be repeated.

use crate::json::Node;
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_only};

/// Reads a whole reply, or an event of one.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [output, index, start, delta, role] =
        part.pick(["output", "contentBlockIndex", "start", "delta", "role"]);
    if output.is_some() || role.is_some() {
        action.recognise();
    }
    let blocks = output.and_then(|output| output.at(["message", "content"]));
    for block in blocks.map(|blocks| blocks.elements()).unwrap_or_default() {
        match block.get("toolUse").filter(is_clients) {
            Some(call) => {
                let [name, input] = call.pick(["name", "input"]);
                action.next_call(name.as_ref(), input.map_or("", |it| it.raw()));
            }
            None => action.say(block.get("text").as_ref()),
        }
    }
    let Some(index) = index.and_then(|index| index.number()) else { return };
    if let Some(call) = start.and_then(|start| start.get("toolUse")).filter(is_clients) {
        action.call(index, call.get("name").as_ref(), None);
    }
    if let Some(delta) = delta {
        action.say(delta.get("text").as_ref());
        if let Some(json) = delta.at(["toolUse", "input"]).and_then(|json| json.text()) {
            action.more_arguments(index, &json);
        }
    }
}

/// Not a tool that Bedrock itself answers.
fn is_clients(call: &Node<'_>) -> bool {
    !call.get("type").is_some_and(|kind| kind.is("server_tool_use"))
}

/// Can it be asked once more?
pub(super) fn is_repeatable(request: &Node<'_>) -> bool {
    let tools = request.at(["toolConfig", "tools"]);
    are_all(tools, |tool| has_only(tool, &["toolSpec", "cachePoint"]))
}
