//! A recorded conversation, whichever API it was held over.

use serde_json::Value;
use std::collections::HashMap;

/// A recorded conversation.
#[derive(Debug, Clone)]
pub struct Session {
    /// The tool definitions as JSON text, if they were recorded.
    pub tools: Option<String>,
    /// What was said, in order.
    pub messages: Vec<Message>,
}

/// One message of a conversation.
#[derive(Debug, Clone)]
pub struct Message {
    /// Did the model say it? Each such message answers a request made of all messages before it.
    pub is_assistant: bool,
    /// What it consists of.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Clone)]
pub enum Part {
    /// What was said, or a call that was made, as text.
    Text(String),
    /// What a tool answered.
    Result(ToolResult),
}

/// What a tool answered.
#[derive(Debug, Clone, Default)]
pub struct ToolResult {
    /// The id of the call.
    pub call: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The arguments of the call, as JSON.
    pub arguments: String,
    /// The answer.
    pub text: String,
    /// Did the tool say that it failed?
    pub is_error: bool,
}

/// A text that is no session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It is not JSON.
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// It has no list of messages.
    #[error("no list \"messages\"")]
    NoMessages,
}

impl Session {
    /// Reads a session: messages as the Anthropic or the OpenAI API has them, with calls and results in them.
    ///
    /// # Errors
    /// If the text is not JSON or has no messages.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        let session: Value = serde_json::from_str(text)?;
        let messages = session["messages"].as_array().ok_or(SessionError::NoMessages)?;
        let tools = (!session["tools"].is_null()).then(|| session["tools"].to_string());
        let mut calls = Calls::default();
        let messages = messages.iter().map(|message| calls.message(message)).collect();
        Ok(Session { tools, messages })
    }

    /// The indices of the messages that answer a request.
    pub fn requests(&self) -> impl Iterator<Item = usize> {
        self.messages
            .iter()
            .enumerate()
            .filter(|(_, message)| message.is_assistant)
            .map(|(at, _)| at)
    }

    /// The results of tools, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::Result(result) => Some(result),
            Part::Text(_) => None,
        })
    }
}

/// The calls seen so far, to name the tool that a result is from.
#[derive(Default)]
struct Calls {
    /// Name and arguments, by id.
    by_id: HashMap<String, (String, String)>,
    /// Arguments of the last call of a tool, for results that only name the tool.
    by_name: HashMap<String, String>,
}

impl Calls {
    fn message(&mut self, message: &Value) -> Message {
        let role = message["role"].as_str().unwrap_or_default();
        let content = &message["content"];
        let mut parts = match role {
            "tool" | "function" | "tool-response" => vec![self.answer(message)],
            _ => self.content(content),
        };
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            parts.push(self.call(
                &call["id"],
                &call["function"]["name"],
                &call["function"]["arguments"],
            ));
        }
        if message["function_call"].is_object() {
            let call = &message["function_call"];
            parts.push(self.call(&Value::Null, &call["name"], &call["arguments"]));
        }
        Message { is_assistant: role == "assistant", parts }
    }

    /// A message that is the answer of a tool.
    fn answer(&self, message: &Value) -> Part {
        let call = message["tool_call_id"].as_str();
        let named = message["name"]
            .as_str()
            .map(|name| (name.to_owned(), self.by_name.get(name).cloned().unwrap_or_default()));
        let known = call.and_then(|call| self.by_id.get(call)).cloned();
        let (tool, arguments) = known.or(named).unwrap_or_default();
        let text = plain_text(&message["content"]);
        Part::Result(ToolResult {
            call: call.map(str::to_owned),
            tool,
            arguments,
            text,
            is_error: false,
        })
    }

    /// The content of a message: a text, or blocks.
    fn content(&mut self, content: &Value) -> Vec<Part> {
        match content {
            Value::Array(blocks) => blocks.iter().map(|block| self.block(block)).collect(),
            _ => content.as_str().map(|text| Part::Text(text.to_owned())).into_iter().collect(),
        }
    }

    fn block(&mut self, block: &Value) -> Part {
        match block["type"].as_str() {
            Some("tool_use") => self.call(&block["id"], &block["name"], &block["input"]),
            Some("tool_result") => {
                let call = block["tool_use_id"].as_str().unwrap_or_default();
                let (tool, arguments) = self.by_id.get(call).cloned().unwrap_or_default();
                let text = plain_text(&block["content"]);
                let is_error = block["is_error"].as_bool().unwrap_or_default();
                Part::Result(ToolResult {
                    call: Some(call.to_owned()),
                    tool,
                    arguments,
                    text,
                    is_error,
                })
            }
            Some("text") => Part::Text(plain_text(&block["text"])),
            _ => Part::Text(block.to_string()),
        }
    }

    /// Remembers a call; it is a text of the message that made it.
    fn call(&mut self, id: &Value, name: &Value, arguments: &Value) -> Part {
        let name = name.as_str().unwrap_or_default().to_owned();
        let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        let text = format!("{name} {arguments}");
        self.by_name.insert(name.clone(), arguments.clone());
        if let Some(id) = id.as_str() {
            self.by_id.insert(id.to_owned(), (name, arguments));
        }
        Part::Text(text)
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
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anthropic_blocks_are_paired_with_their_calls() {
        let session = Session::parse(
            r#"{"messages":[
                {"role":"user","content":"list"},
                {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"a.rs"}]}]},
                {"role":"assistant","content":"done"}]}"#,
        )
        .unwrap();
        let result = session.results().next().unwrap();
        assert_eq!(
            (result.tool.as_str(), result.arguments.as_str()),
            ("Bash", r#"{"command":"ls"}"#)
        );
        assert_eq!((result.text.as_str(), result.is_error), ("a.rs", true));
        assert_eq!(session.requests().collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn openai_tool_messages_are_paired_with_their_calls() {
        let session = Session::parse(
            r#"{"messages":[
                {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"find","arguments":"{\"q\":1}"}}]},
                {"role":"tool","tool_call_id":"c1","content":"found"},
                {"role":"assistant","content":null,"function_call":{"name":"get","arguments":"{}"}},
                {"role":"function","name":"get","content":"got"}]}"#,
        )
        .unwrap();
        let tools: Vec<_> = session
            .results()
            .map(|result| (result.tool.as_str(), result.call.as_deref()))
            .collect();
        assert_eq!(tools, [("find", Some("c1")), ("get", None)]);
    }

    #[test]
    fn what_is_no_session_is_an_error() {
        assert!(matches!(Session::parse("{}"), Err(SessionError::NoMessages)));
        assert!(matches!(Session::parse("{"), Err(SessionError::NotJson(_))));
    }
}
