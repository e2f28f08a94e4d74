//! Anthropic's replies: `content[]`, streamed as `content_block` events.

mod block;

use crate::json::{Kind, Node};
use crate::reply::blocks::{BlockCall, BlockEvent, BlockGrammar};
use crate::reply::edit::{Edit, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::rewriter::TOOL;
use crate::reply::usage::{SamplingIterations, TokenCounts, TurnUsage};
use std::borrow::Cow;

/// How Anthropic writes content blocks.
pub(crate) struct AnthropicBlocks;

/// What Bedrock adds to the last event.
const METRICS: &str = "amazon-bedrock-invocationMetrics";

impl BlockGrammar for AnthropicBlocks {
    const INDEX: &'static str = "index";

    fn event<'a>(_: &str, json: &Node<'a>) -> BlockEvent<'a> {
        let [kind, index, delta, block] =
            json.pick(["type", Self::INDEX, "delta", "content_block"]);
        let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
        let index = index.and_then(|index| index.number());
        let event = match &*kind {
            "message_start" => Some(BlockEvent::Opening),
            "content_block_start" => {
                index.zip(block).map(|(index, block)| BlockEvent::Start { index, block })
            }
            "content_block_delta" => {
                index.zip(delta).map(|(index, delta)| BlockEvent::Delta { index, delta })
            }
            "content_block_stop" => index.map(|index| BlockEvent::Stop { index }),
            "message_delta" => Some(BlockEvent::Closing(Self::ending(json))),
            "message_stop" => Some(BlockEvent::Closing(None)),
            "error" => Some(BlockEvent::Error),
            _ => None,
        };
        event.unwrap_or(BlockEvent::Other)
    }

    fn block(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
        block::assemble(start, deltas, arguments)
    }

    fn fragment<'a>(delta: &Node<'a>) -> Option<Node<'a>> {
        delta.get("partial_json")
    }

    fn is_text(node: &Node<'_>) -> bool {
        let [kind, text] = node.pick(["type", "text"]);
        kind.is_some_and(|kind| kind.is("text_delta") || kind.is("text"))
            && text.and_then(|text| text.spelling()).is_some_and(|text| !text.is_empty())
    }

    fn call(block: &Node<'_>) -> Option<BlockCall> {
        if !is_kind(block, "tool_use") {
            return None;
        }
        let id = block.get("id").and_then(|id| id.text()).unwrap_or_default().into_owned();
        Some(BlockCall { id, is_internal: block.get("name").is_some_and(|name| name.is(TOOL)) })
    }

    fn seal(block: &Node<'_>) -> Option<String> {
        let seal = match &*block.get("type")?.text()? {
            "thinking" => block.get("signature"),
            "redacted_thinking" => block.get("data"),
            _ => None,
        };
        seal?.text().filter(|seal| !seal.is_empty()).map(Cow::into_owned)
    }

    fn arguments<'a>(block: &Node<'a>) -> Option<Node<'a>> {
        block.get("input")
    }

    fn ending(json: &Node<'_>) -> Option<ReplyEnding> {
        let reason = json.get("stop_reason").or_else(|| json.at(["delta", "stop_reason"]))?;
        Some(match &*reason.text()? {
            "max_tokens" => ReplyEnding::Length,
            "refusal" | "model_context_window_exceeded" => ReplyEnding::Stopped,
            _ => ReplyEnding::Turn,
        })
    }

    fn content<'a>(reply: &Node<'a>) -> Option<Node<'a>> {
        reply.get("content").filter(|content| content.kind() == Kind::Array)
    }

    fn tokens(reply: &Node<'_>) -> TokenCounts {
        usage_of(reply).map(|usage| tokens(&usage)).unwrap_or_default()
    }

    /// With compaction or an advisor a reply takes several iterations, and its own figures leave some of them out. Those of
    /// another model name it.
    fn iterations(reply: &Node<'_>) -> Option<SamplingIterations> {
        let listed = usage_of(reply)?.get("iterations")?.elements();
        let mut iterations = SamplingIterations::default();
        for iteration in listed.iter().take(MOST_ITERATIONS) {
            let model = iteration.get("model").and_then(|model| model.text());
            let is_other = is_kind(iteration, "advisor_message");
            let other = model.filter(|_| is_other).map(|model| model.into_owned());
            iterations.add(other, tokens(iteration));
        }
        (!listed.is_empty()).then_some(iterations)
    }

    fn set_tokens(json: &Node<'_>, usage: &TurnUsage, edit: &mut Edit<'_>) {
        let TurnUsage { last, sum, .. } = usage;
        let figures = [
            ("input_tokens", last.input),
            ("cache_creation_input_tokens", last.cache_write),
            ("cache_read_input_tokens", last.cache_read),
            ("output_tokens", sum.output),
        ];
        if let Some(usage) = json.get("usage") {
            for (name, figure) in figures {
                if let Some(figure) = figure {
                    edit.set(&usage, name, figure.to_string());
                }
            }
        }
        if let (Some(metrics), Some(output)) = (json.get(METRICS), sum.output) {
            edit.set(&metrics, "outputTokenCount", output.to_string());
        }
    }

    fn set_finished(json: &Node<'_>, edit: &mut Edit<'_>) {
        let holder =
            if is_kind(json, "message_delta") { json.get("delta") } else { Some(json.clone()) };
        if let Some(reason) = holder.and_then(|holder| holder.get("stop_reason")) {
            edit.replace(&reason, r#""end_turn""#);
        }
    }

    fn text_block(text: &str) -> String {
        format!(r#"{{"type":"text","text":{}}}"#, quoted(text))
    }

    fn text_events(index: u64, text: &str) -> Vec<(&'static str, String)> {
        let start = format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{}}}"#,
            Self::text_block("")
        );
        let delta = format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":{}}}}}"#,
            quoted(text)
        );
        vec![
            ("content_block_start", start),
            ("content_block_delta", delta),
            Self::stop_event(index),
        ]
    }

    fn stop_event(index: u64) -> (&'static str, String) {
        ("content_block_stop", format!(r#"{{"type":"content_block_stop","index":{index}}}"#))
    }
}

/// More than any reply has.
const MOST_ITERATIONS: usize = 1000;

fn usage_of<'a>(reply: &Node<'a>) -> Option<Node<'a>> {
    reply.get("usage").or_else(|| reply.at(["message", "usage"]))
}

/// The figures of a usage object, or of one iteration of it.
fn tokens(usage: &Node<'_>) -> TokenCounts {
    let figure = |name| usage.get(name)?.number();
    let written = |name| usage.at(["cache_creation", name])?.number();
    let (minutes, hour) =
        (written("ephemeral_5m_input_tokens"), written("ephemeral_1h_input_tokens"));
    let parts = minutes.into_iter().chain(hour).reduce(u64::saturating_add);
    TokenCounts {
        input: figure("input_tokens"),
        output: figure("output_tokens"),
        cache_read: figure("cache_read_input_tokens"),
        cache_write: figure("cache_creation_input_tokens").or(parts),
        cache_write_1h: hour,
    }
}

fn is_kind(node: &Node<'_>, kind: &str) -> bool {
    node.get("type").is_some_and(|own| own.is(kind))
}
