//! Interactions as replies: `steps[]`, streamed as `step` events.

mod step;

use crate::json::{Kind, Node};
use crate::reply::blocks::{BlockCall, BlockEvent, BlockGrammar};
use crate::reply::edit::{Edit, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::rewriter::TOOL;
use crate::reply::usage::{TokenCounts, TurnUsage};
use std::borrow::Cow;

/// How Interactions writes steps.
pub(crate) struct InteractionSteps;

/// What the figures of an interaction are called.
const INPUT: &str = "total_input_tokens";
const OUTPUT: &str = "total_output_tokens";
const THOUGHT: &str = "total_thought_tokens";
const CACHED: &str = "total_cached_tokens";
const TOTAL: &str = "total_tokens";

impl BlockGrammar for InteractionSteps {
    const INDEX: &'static str = "index";
    const IS_CONTINUED: bool = true;

    fn event<'a>(_: &str, json: &Node<'a>) -> BlockEvent<'a> {
        let [kind, index, step, delta] = json.pick(["event_type", Self::INDEX, "step", "delta"]);
        let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
        let index = index.and_then(|index| index.number());
        let event = match &*kind {
            "interaction.created" => Some(BlockEvent::Opening),
            "step.start" => {
                index.zip(step).map(|(index, block)| BlockEvent::Start { index, block })
            }
            "step.delta" => {
                index.zip(delta).map(|(index, delta)| BlockEvent::Delta { index, delta })
            }
            "step.stop" => index.map(|index| BlockEvent::Stop { index }),
            "interaction.completed" => Some(BlockEvent::Closing(Self::ending(json))),
            // One that says how it ends comes before the end; others come at any time.
            "interaction.status_update" => {
                Self::ending(json).map(|ending| BlockEvent::Closing(Some(ending)))
            }
            "error" => Some(BlockEvent::Error),
            _ => None,
        };
        event.unwrap_or(BlockEvent::Other)
    }

    fn block(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
        step::assemble(start, deltas, arguments)
    }

    fn fragment<'a>(delta: &Node<'a>) -> Option<Node<'a>> {
        delta.get("arguments")
    }

    fn is_text(node: &Node<'_>) -> bool {
        let is_said = |node: &Node<'_>| {
            let [kind, text] = node.pick(["type", "text"]);
            kind.is_some_and(|kind| kind.is("text"))
                && text.and_then(|text| text.spelling()).is_some_and(|text| !text.is_empty())
        };
        let contents = || node.get("content").map(|list| list.elements()).unwrap_or_default();
        is_said(node) || (is_kind(node, "model_output") && contents().iter().any(is_said))
    }

    fn call(block: &Node<'_>) -> Option<BlockCall> {
        if !is_kind(block, "function_call") {
            return None;
        }
        let id = block.get("id").and_then(|id| id.text()).unwrap_or_default().into_owned();
        Some(BlockCall { id, is_internal: block.get("name").is_some_and(|name| name.is(TOOL)) })
    }

    fn seal(block: &Node<'_>) -> Option<String> {
        let seal = block.get("signature").filter(|_| is_kind(block, "thought"));
        seal?.text().filter(|seal| !seal.is_empty()).map(Cow::into_owned)
    }

    fn arguments<'a>(block: &Node<'a>) -> Option<Node<'a>> {
        block.get("arguments")
    }

    fn ending(json: &Node<'_>) -> Option<ReplyEnding> {
        Some(match &*told(json).get("status")?.text()? {
            "queued" | "in_progress" => return None,
            "completed" | "requires_action" => ReplyEnding::Turn,
            "incomplete" => ReplyEnding::Length,
            _ => ReplyEnding::Stopped,
        })
    }

    fn content<'a>(reply: &Node<'a>) -> Option<Node<'a>> {
        reply.get("steps").filter(|steps| steps.kind() == Kind::Array)
    }

    fn tokens(reply: &Node<'_>) -> TokenCounts {
        // A step has figures of its own.
        if reply.get("index").is_some() {
            return TokenCounts::default();
        }
        let Some(usage) = told(reply).get("usage") else { return TokenCounts::default() };
        let figure = |name| usage.get(name)?.number();
        let output = figure(OUTPUT).into_iter().chain(figure(THOUGHT));
        TokenCounts {
            input: figure(INPUT),
            output: output.reduce(u64::saturating_add),
            cache_read: figure(CACHED),
            ..TokenCounts::default()
        }
    }

    fn set_tokens(json: &Node<'_>, usage: &TurnUsage, edit: &mut Edit<'_>) {
        let TurnUsage { last, sum, .. } = usage;
        let (Some(own), Some(all)) = (last.output, sum.output) else { return };
        let earlier = all.saturating_sub(own);
        let Some(usage) = told(json).get("usage").filter(|_| earlier > 0) else { return };
        for name in [OUTPUT, TOTAL] {
            if let Some(figure) = usage.get(name).and_then(|figure| figure.number()) {
                edit.set(&usage, name, figure.saturating_add(earlier).to_string());
            }
        }
    }

    fn set_finished(json: &Node<'_>, edit: &mut Edit<'_>) {
        if let Some(status) = told(json).get("status") {
            edit.replace(&status, r#""completed""#);
        }
    }

    fn text_block(text: &str) -> String {
        format!(
            r#"{{"type":"model_output","content":[{{"type":"text","text":{}}}]}}"#,
            quoted(text)
        )
    }

    fn text_events(index: u64, text: &str) -> Vec<(&'static str, String)> {
        let start = format!(
            r#"{{"index":{index},"step":{{"type":"model_output"}},"event_type":"step.start"}}"#
        );
        let delta = format!(
            r#"{{"index":{index},"delta":{{"type":"text","text":{}}},"event_type":"step.delta"}}"#,
            quoted(text)
        );
        vec![("step.start", start), ("step.delta", delta), Self::stop_event(index)]
    }

    fn stop_event(index: u64) -> (&'static str, String) {
        ("step.stop", format!(r#"{{"index":{index},"event_type":"step.stop"}}"#))
    }

    fn turn(steps: String) -> String {
        steps
    }

    fn id<'a>(json: &Node<'a>) -> Option<Node<'a>> {
        told(json).get("id").or_else(|| json.get("interaction_id"))
    }

    fn is_of_ours(block: &Node<'_>) -> bool {
        let is_ours = || block.get("name").is_some_and(|name| name.is(TOOL));
        (is_kind(block, "function_call") || is_kind(block, "function_result")) && is_ours()
    }

    fn hide(json: &Node<'_>, edit: &mut Edit<'_>) {
        // The client has every step already, and an event need not tell them again.
        if let Some(interaction) = json.get("interaction") {
            let steps = interaction.get("steps").map(|steps| steps.elements()).unwrap_or_default();
            if steps.iter().any(Self::is_of_ours) {
                edit.cut(&interaction, "steps");
            }
        }
        let Some(list) = told(json).get("tools").filter(|list| list.kind() == Kind::Array) else {
            return;
        };
        let tools = list.elements();
        let is_ours = |tool: &Node<'_>| tool.get("name").is_some_and(|name| name.is(TOOL));
        if tools.iter().any(is_ours) {
            edit.relist(&list, tools.iter().filter(|tool| !is_ours(tool)).map(Node::raw));
        }
    }

    /// What a later interaction says of the request is what we asked.
    fn restore(first: &Node<'_>, json: &Node<'_>, edit: &mut Edit<'_>) {
        for name in ["previous_interaction_id", "input"] {
            match (first.get(name), json.get(name)) {
                (Some(first), Some(later)) => edit.replace(&later, first.raw().to_owned()),
                (None, Some(_)) => edit.cut(json, name),
                _ => {}
            }
        }
    }

    /// In a stream the kind of an event is a member too.
    fn error_event(document: &str) -> Cow<'_, str> {
        let Ok(root) = Node::read(document) else { return Cow::Borrowed(document) };
        let mut edit = Edit::new(document);
        edit.set(&root, "event_type", r#""error""#);
        edit.done()
    }
}

/// What tells of the interaction: an event wraps it, a whole reply is it.
fn told<'a>(json: &Node<'a>) -> Node<'a> {
    json.get("interaction").unwrap_or_else(|| json.clone())
}

fn is_kind(node: &Node<'_>, kind: &str) -> bool {
    node.get("type").is_some_and(|own| own.is(kind))
}
