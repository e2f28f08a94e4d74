//! What an Anthropic reply does, and whether a request can be repeated.

use crate::json::Node;
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_type, is_absent};

/// Types of tools that the client runs; the date of a version follows.
const CLIENT_TOOLS: [&str; 4] = ["bash_", "text_editor_", "computer_", "memory_"];

/// Reads a whole reply, or an event of one.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, content, index, block, delta] =
        part.pick(["type", "content", "index", "content_block", "delta"]);
    let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
    let index = index.and_then(|index| index.number()).unwrap_or_default();
    match &*kind {
        "message" => {
            action.recognise();
            for block in content.map(|list| list.elements()).unwrap_or_default() {
                let [name, input] = block.pick(["name", "input"]);
                if is_call(&block) {
                    action.next_call(name.as_ref(), input.map_or("", |it| it.raw()));
                } else {
                    say(&block, action);
                }
            }
        }
        "message_start" => action.recognise(),
        "content_block_start" => {
            let Some(block) = block else { return };
            if is_call(&block) {
                action.call(index, block.get("name").as_ref(), None);
            } else {
                say(&block, action);
            }
        }
        "content_block_delta" => {
            let Some(delta) = delta else { return };
            match delta.get("partial_json").and_then(|json| json.text()) {
                Some(json) => action.more_arguments(index, &json),
                None => say(&delta, action),
            }
        }
        "error" => action.fail(),
        _ => {}
    }
}

fn is_call(block: &Node<'_>) -> bool {
    block.get("type").is_some_and(|kind| kind.is("tool_use"))
}

fn say(part: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, text] = part.pick(["type", "text"]);
    if kind.is_some_and(|kind| kind.is("text") || kind.is("text_delta")) {
        action.say(text.as_ref());
    }
}

/// Can it be asked once more?
pub(super) fn is_repeatable(request: &Node<'_>) -> bool {
    let [tools, servers, thread, container] =
        request.pick(["tools", "mcp_servers", "thread", "container"]);
    let is_clients =
        |kind: &str| kind == "custom" || CLIENT_TOOLS.iter().any(|known| kind.starts_with(known));
    [servers, thread, container].into_iter().all(is_absent)
        && are_all(tools, |tool| has_type(tool, is_clients))
}
