//! What an interaction does, and whether a request can be repeated.

use crate::json::{Kind, Node};
use crate::reply::action::ActionBuilder;
use crate::request::repeatable::{are_all, has_type, is_absent};

/// Types of tools that the client runs.
const CLIENT_TOOLS: [&str; 2] = ["function", "computer_use"];

/// Reads a whole interaction, or an event of one.
pub(super) fn read(part: &Node<'_>, action: &mut ActionBuilder) {
    let [event, index, step, delta, steps, error] =
        part.pick(["event_type", "index", "step", "delta", "steps", "error"]);
    let index = index.and_then(|index| index.number()).unwrap_or_default();
    match event.as_ref().and_then(Node::text).as_deref() {
        Some("interaction.created" | "interaction.completed") => {
            let status = part.at(["interaction", "status"]);
            if status.is_some_and(|status| status.is("failed")) {
                return action.fail();
            }
            action.recognise();
        }
        Some("step.start") => {
            if let Some(step) = step {
                begin(index, &step, action);
            }
        }
        Some("step.delta") => {
            let Some(delta) = delta else { return };
            match delta.get("arguments").and_then(|piece| piece.text()) {
                Some(piece) => action.more_arguments(index, &piece),
                None => say(&delta, action),
            }
        }
        Some("error") => action.fail(),
        Some(_) => {}
        None if !is_absent(error) => action.fail(),
        None => {
            let Some(steps) = steps else { return };
            action.recognise();
            for (index, step) in (0..).zip(steps.elements()) {
                begin(index, &step, action);
            }
        }
    }
}

/// A step, or its beginning: arguments may follow piece by piece, and are empty then.
fn begin(index: u64, step: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, name, arguments, content] = step.pick(["type", "name", "arguments", "content"]);
    if kind.is_some_and(|kind| kind.is("function_call")) {
        let arguments = arguments.filter(|arguments| {
            arguments.kind() == Kind::Object && !arguments.members().is_empty()
        });
        action.call(index, name.as_ref(), arguments.map(|arguments| arguments.raw()));
    } else {
        let contents = content.map(|list| list.elements()).unwrap_or_default();
        contents.iter().for_each(|content| say(content, action));
    }
}

fn say(content: &Node<'_>, action: &mut ActionBuilder) {
    let [kind, text] = content.pick(["type", "text"]);
    if kind.is_some_and(|kind| kind.is("text")) {
        action.say(text.as_ref());
    }
}

/// Can it be asked once more? What an agent does happens at the provider.
pub(super) fn is_repeatable(request: &Node<'_>) -> bool {
    let [tools, agent, background, environment] =
        request.pick(["tools", "agent", "background", "environment"]);
    [agent, background, environment].into_iter().all(is_absent)
        && are_all(tools, |tool| has_type(tool, |kind| CLIENT_TOOLS.contains(&kind)))
}
