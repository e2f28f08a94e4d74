//! Messages as the Anthropic and the OpenAI API have them, with results paired to their calls.

use crate::transcript::{LogMessage, MessageAuthor, MessagePart, ToolResult};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// Calls further back than this were answered, or never will be.
const REMEMBERED: usize = 4096;

/// The calls seen so far, to name the tool that a result is from.
#[derive(Debug, Default)]
pub(super) struct SeenCalls {
    /// Name and arguments, by id.
    by_id: HashMap<String, (String, String)>,
    /// The ids, oldest first.
    order: VecDeque<String>,
    /// Arguments of the last call of a tool, for results that only name the tool.
    by_name: HashMap<String, String>,
}

impl SeenCalls {
    /// A message of either API.
    pub(super) fn message(&mut self, message: &Value) -> LogMessage {
        let role = message["role"].as_str().unwrap_or_default();
        let mut parts = match role {
            "tool" | "function" | "tool-response" => self.answer(message),
            _ => self.content(&message["content"]),
        };
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            parts.push(self.call(&call["id"], &function["name"], &function["arguments"]));
        }
        if message["function_call"].is_object() {
            let call = &message["function_call"];
            parts.push(self.call(&Value::Null, &call["name"], &call["arguments"]));
        }
        let author = match role {
            "assistant" => MessageAuthor::Model,
            "system" | "developer" => MessageAuthor::System,
            _ => MessageAuthor::Client,
        };
        LogMessage { author, parts }
    }

    /// A message that is the answer of a tool.
    fn answer(&self, message: &Value) -> Vec<MessagePart> {
        let call = message["tool_call_id"].as_str();
        let named = message["name"]
            .as_str()
            .map(|name| (name.to_owned(), self.by_name.get(name).cloned().unwrap_or_default()));
        let known = call.and_then(|call| self.by_id.get(call)).cloned();
        let (tool, arguments) = known.or(named).unwrap_or_default();
        self.result(call, (tool, arguments), &message["content"], false)
    }

    /// The content of a message: a text, or blocks.
    pub(super) fn content(&mut self, content: &Value) -> Vec<MessagePart> {
        match content {
            Value::String(text) => vec![MessagePart::Text(text.clone())],
            Value::Array(blocks) => blocks.iter().flat_map(|block| self.block(block)).collect(),
            _ => Vec::new(),
        }
    }

    fn block(&mut self, block: &Value) -> Vec<MessagePart> {
        match block["type"].as_str() {
            Some("tool_use") => vec![self.call(&block["id"], &block["name"], &block["input"])],
            Some("tool_result") => {
                let call = block["tool_use_id"].as_str();
                let is_error = block["is_error"].as_bool().unwrap_or_default();
                self.result_of(call, &block["content"], is_error)
            }
            Some("text" | "input_text" | "output_text") => {
                vec![MessagePart::Text(plain_text(&block["text"]))]
            }
            Some("thinking") => vec![MessagePart::Text(plain_text(&block["thinking"]))],
            _ if is_image(block) => vec![MessagePart::Image],
            Some("document") => vec![MessagePart::Text(document_text(&block["source"]))],
            _ => vec![MessagePart::Text(block.to_string())],
        }
    }

    /// What a tool answered to the call with this id.
    pub(super) fn result_of(
        &self,
        call: Option<&str>,
        content: &Value,
        is_error: bool,
    ) -> Vec<MessagePart> {
        let known = call.and_then(|call| self.by_id.get(call)).cloned().unwrap_or_default();
        self.result(call, known, content, is_error)
    }

    fn result(
        &self,
        call: Option<&str>,
        (tool, arguments): (String, String),
        content: &Value,
        is_error: bool,
    ) -> Vec<MessagePart> {
        let (text, call) = (plain_text(content), call.map(str::to_owned));
        let result = MessagePart::Result(ToolResult { call, tool, arguments, text, is_error });
        std::iter::once(result).chain(images(content)).collect()
    }

    /// Remembers a call; it is a part of the message that made it.
    pub(super) fn call(&mut self, id: &Value, name: &Value, arguments: &Value) -> MessagePart {
        let name = name.as_str().unwrap_or_default().to_owned();
        let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        let call = MessagePart::Call { tool: name.clone(), arguments: arguments.clone() };
        if let Some(id) = id.as_str() {
            self.order.push_back(id.to_owned());
            self.by_id.insert(id.to_owned(), (name.clone(), arguments.clone()));
        } else {
            self.by_name.insert(name, arguments);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
        call
    }
}

/// A text, or the texts of a list of blocks.
fn plain_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> =
                blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n")
        }
        Value::Object(object) => object.get("content").map(plain_text_once).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Like [`plain_text`], of what is inside of an object: no deeper.
fn plain_text_once(content: &Value) -> String {
    match content {
        Value::Object(_) => content.to_string(),
        other => plain_text(other),
    }
}

fn images(content: &Value) -> impl Iterator<Item = MessagePart> {
    let blocks = content.as_array().into_iter().flatten();
    blocks.filter(|block| is_image(block)).map(|_| MessagePart::Image)
}

/// A picture, or a document whose bytes no model reads as text.
fn is_image(block: &Value) -> bool {
    match block["type"].as_str() {
        Some("image" | "image_url" | "input_image" | "file" | "input_file") => true,
        Some("document") => !matches!(block["source"]["type"].as_str(), Some("text" | "content")),
        _ => false,
    }
}

/// The text of a document that is text.
fn document_text(source: &Value) -> String {
    let texts = [&source["data"], &source["content"]];
    texts.map(plain_text).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn results(messages: &[Value]) -> Vec<ToolResult> {
        let mut calls = SeenCalls::default();
        let parts = messages.iter().flat_map(|message| calls.message(message).parts);
        let results = parts.filter_map(|part| match part {
            MessagePart::Result(result) => Some(result),
            _ => None,
        });
        results.collect()
    }

    #[test]
    fn anthropic_blocks_are_paired_with_their_calls() {
        let found = results(&[
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{"type": "text", "text": "a.rs"}]}]}),
        ]);
        let expected = ToolResult {
            call: Some("t1".to_owned()),
            tool: "Bash".to_owned(),
            arguments: r#"{"command":"ls"}"#.to_owned(),
            text: "a.rs".to_owned(),
            is_error: true,
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn openai_tool_messages_are_paired_with_their_calls() {
        let found = results(&[
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": "{\"q\":1}"}}]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": "found"}),
            json!({"role": "assistant", "content": null, "function_call": {"name": "get", "arguments": "{}"}}),
            json!({"role": "function", "name": "get", "content": "got"}),
        ]);
        let tools: Vec<_> = found
            .iter()
            .map(|result| (result.tool.as_str(), result.arguments.as_str(), result.call.as_deref()))
            .collect();
        assert_eq!(tools, [("find", "{\"q\":1}", Some("c1")), ("get", "{}", None)]);
    }

    #[test]
    fn pictures_are_told_apart_from_text() {
        let mut calls = SeenCalls::default();
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [
            {"type": "image", "source": {"data": "AAAA"}}, {"type": "text", "text": "a cat"}]}]});
        let parts = calls.message(&message).parts;
        assert!(
            matches!(&parts[..], [MessagePart::Result(result), MessagePart::Image] if result.text == "a cat")
        );
    }

    #[test]
    fn documents_are_taken_like_pictures_unless_they_are_text() {
        let bytes = "JVBERi0x".repeat(1000);
        let message = json!({"role": "user", "content": [
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": bytes}},
            {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
            {"type": "file", "file": {"file_data": bytes}},
            {"type": "input_file", "file_data": bytes},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a note"}},
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a page"}]}},
            {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "document", "source": {"type": "base64", "data": bytes}}]},
        ]});
        let result = ToolResult { call: Some("t".to_owned()), ..ToolResult::default() };
        let texts = ["a note", "a page"].map(|text| MessagePart::Text(text.to_owned()));
        let parts = SeenCalls::default().message(&message).parts;
        assert_eq!(parts[..4], [const { MessagePart::Image }; 4]);
        assert_eq!(parts[4..6], texts);
        assert_eq!(parts[6..], [MessagePart::Result(result), MessagePart::Image]);
    }
}
