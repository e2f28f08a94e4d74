//! Replies of Converse: `output.message.content[]`, streamed as `contentBlock` events.

mod block;

use crate::json::{Kind, Node};
use crate::reply::blocks::{BlockCall, BlockEvent, BlockGrammar};
use crate::reply::edit::{Edit, quoted};
use crate::reply::ending::ReplyEnding;
use crate::reply::rewriter::TOOL;
use crate::reply::usage::{TokenCounts, TurnUsage};
use std::borrow::Cow;

/// How Converse writes content blocks.
pub(crate) struct ConverseBlocks;

impl BlockGrammar for ConverseBlocks {
    const INDEX: &'static str = "contentBlockIndex";

    fn event<'a>(name: &str, json: &Node<'a>) -> BlockEvent<'a> {
        let [index, block, delta] = json.pick([Self::INDEX, "start", "delta"]);
        let index = index.and_then(|index| index.number());
        let event = match name {
            "messageStart" => Some(BlockEvent::Opening),
            "contentBlockStart" => {
                index.zip(block).map(|(index, block)| BlockEvent::Start { index, block })
            }
            "contentBlockDelta" => {
                index.zip(delta).map(|(index, delta)| BlockEvent::Delta { index, delta })
            }
            "contentBlockStop" => index.map(|index| BlockEvent::Stop { index }),
            "messageStop" => Some(BlockEvent::Closing(Self::ending(json))),
            "metadata" => Some(BlockEvent::Closing(None)),
            _ => None,
        };
        event.unwrap_or(BlockEvent::Other)
    }

    fn block(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
        block::assemble(start, deltas, arguments)
    }

    fn fragment<'a>(delta: &Node<'a>) -> Option<Node<'a>> {
        delta.at(["toolUse", "input"])
    }

    fn is_text(node: &Node<'_>) -> bool {
        let text = node.get("text").and_then(|text| text.spelling());
        text.is_some_and(|text| !text.is_empty()) || node.get("citationsContent").is_some()
    }

    fn call(block: &Node<'_>) -> Option<BlockCall> {
        let tool_use = block.get("toolUse")?;
        // A tool that Bedrock itself answers.
        if tool_use.get("type").is_some_and(|kind| kind.is("server_tool_use")) {
            return None;
        }
        let id = tool_use.get("toolUseId").and_then(|id| id.text()).unwrap_or_default();
        let is_internal = tool_use.get("name").is_some_and(|name| name.is(TOOL));
        Some(BlockCall { id: id.into_owned(), is_internal })
    }

    fn seal(block: &Node<'_>) -> Option<String> {
        let reasoning = block.get("reasoningContent")?;
        let signature = reasoning.at(["reasoningText", "signature"]);
        let seal = signature.or_else(|| reasoning.get("redactedContent"))?.text();
        seal.filter(|seal| !seal.is_empty()).map(Cow::into_owned)
    }

    fn arguments<'a>(block: &Node<'a>) -> Option<Node<'a>> {
        block.at(["toolUse", "input"])
    }

    fn ending(json: &Node<'_>) -> Option<ReplyEnding> {
        Some(match &*json.get("stopReason")?.text()? {
            "max_tokens" => ReplyEnding::Length,
            "end_turn" | "tool_use" | "stop_sequence" => ReplyEnding::Turn,
            _ => ReplyEnding::Stopped,
        })
    }

    fn content<'a>(reply: &Node<'a>) -> Option<Node<'a>> {
        let content = reply.at(["output", "message", "content"]);
        content.filter(|content| content.kind() == Kind::Array)
    }

    fn tokens(reply: &Node<'_>) -> TokenCounts {
        let usage = reply.get("usage");
        let figure = |name| usage.as_ref()?.get(name)?.number();
        TokenCounts {
            input: figure("inputTokens"),
            output: figure("outputTokens"),
            cache_read: figure("cacheReadInputTokens"),
            cache_write: figure("cacheWriteInputTokens"),
            cache_write_1h: usage.as_ref().and_then(written_for_an_hour),
        }
    }

    fn set_tokens(json: &Node<'_>, usage: &TurnUsage, edit: &mut Edit<'_>) {
        let (Some(object), Some(output)) = (json.get("usage"), usage.sum.output) else { return };
        edit.set(&object, "outputTokens", output.to_string());
        if let Some(total) = object.get("totalTokens") {
            let before = output.saturating_sub(usage.last.output.unwrap_or_default());
            if let Some(sum) = total.number().and_then(|total| total.checked_add(before)) {
                edit.replace(&total, sum.to_string());
            }
        }
    }

    fn set_finished(json: &Node<'_>, edit: &mut Edit<'_>) {
        if let Some(reason) = json.get("stopReason") {
            edit.replace(&reason, r#""end_turn""#);
        }
    }

    fn text_block(text: &str) -> String {
        format!(r#"{{"text":{}}}"#, quoted(text))
    }

    fn text_events(index: u64, text: &str) -> Vec<(&'static str, String)> {
        let delta =
            format!(r#"{{"contentBlockIndex":{index},"delta":{}}}"#, Self::text_block(text));
        vec![("contentBlockDelta", delta), Self::stop_event(index)]
    }

    fn stop_event(index: u64) -> (&'static str, String) {
        ("contentBlockStop", format!(r#"{{"contentBlockIndex":{index}}}"#))
    }
}

/// What was written to the cache is listed by how long it is kept.
fn written_for_an_hour(usage: &Node<'_>) -> Option<u64> {
    let details = usage.get("cacheDetails")?.elements();
    let of_an_hour = details.iter().filter(|one| one.get("ttl").is_some_and(|ttl| ttl.is("1h")));
    of_an_hour.filter_map(|one| one.get("inputTokens")?.number()).reduce(u64::saturating_add)
}
