//! What a reply of the Responses API does, and whether a request can be repeated.

use crate::json::Node;
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_type, is_absent};

/// Types of tools that the client runs.
const CLIENT_TOOLS: [&str; 7] = [
    "function",
    "custom",
    "namespace",
    "local_shell",
    "apply_patch",
    "computer",
    "computer_use_preview",
];

/// Reads a whole reply, or an event of one. Of a stream the items are read as each is done: what is told once more at the
/// end has none of them with some upstreams.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, output, item, error] = part.pick(["type", "output", "item", "error"]);
    match kind.as_ref().and_then(Node::text).as_deref() {
        Some("response.output_item.done") => {
            if let Some(item) = item {
                read_item(&item, action);
            }
        }
        Some("response.failed" | "error") => action.fail(),
        Some("response.completed" | "response.incomplete") => action.recognise(),
        Some(_) => {}
        None if !is_absent(error) => action.fail(),
        None => {
            let Some(output) = output else { return };
            action.recognise();
            output.elements().iter().for_each(|item| read_item(item, action));
        }
    }
}

fn read_item(item: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, name, arguments, input] = item.pick(["type", "name", "arguments", "input"]);
    match kind.as_ref().and_then(Node::text).as_deref() {
        Some("message") => {
            let parts = item.get("content").map(|list| list.elements()).unwrap_or_default();
            parts.iter().for_each(|part| action.say(part.get("text").as_ref()));
        }
        Some("function_call" | "custom_tool_call") => {
            let arguments = arguments.or(input).and_then(|it| it.text()).unwrap_or_default();
            action.next_call(name.as_ref(), &arguments);
        }
        Some("local_shell_call" | "shell_call" | "apply_patch_call" | "computer_call") => {
            let [action_member, operation] = item.pick(["action", "operation"]);
            let arguments = action_member.or(operation).map_or("", |it| it.raw());
            action.next_call(kind.as_ref(), arguments);
        }
        _ => {}
    }
}

/// Can it be asked once more?
pub(super) fn is_repeatable(request: &Node<'_>) -> bool {
    let [tools, conversation, background] = request.pick(["tools", "conversation", "background"]);
    is_absent(conversation)
        && is_absent(background)
        && are_all(tools, |tool| has_type(tool, |kind| CLIENT_TOOLS.contains(&kind)))
}
