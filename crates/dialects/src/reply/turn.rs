//! Asking the upstream again: the turn that called our tool, and the answers.

mod conversation;

use super::edit::{joined, quoted};
use crate::dialect::Dialect;
use crate::splice::{Splice, splice};
use std::borrow::Cow;

/// What comes after a reply of the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The client has its reply.
    Done,
    /// The upstream is to be asked again; its next reply goes on with the client's.
    Ask(Turn),
}

/// The model's turn that called our tool and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The calls, in order. Each is to be answered.
    pub calls: Vec<InternalCall>,
    dialect: Dialect,
    /// The turn as the provider wrote it: one or more elements of the conversation's list, with commas between.
    said: String,
}

/// A call of our own tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InternalCall {
    /// Its id; empty where the dialect has none.
    pub id: String,
    /// What it asks for, as the model wrote it: JSON, maybe invalid.
    pub arguments: String,
}

/// The answer to a call of our own tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the model reads.
    pub text: String,
    /// Whether it says why there is no answer.
    pub is_error: bool,
}

impl Turn {
    pub(super) fn new(dialect: Dialect, said: String, calls: Vec<InternalCall>) -> Self {
        Turn { calls, dialect, said }
    }

    /// The body to ask again with: the one that was sent, and behind its conversation the turn and the answers, one for
    /// each call in order. Every other byte is the same, so the provider's prompt cache stays warm.
    ///
    /// Nothing if the body has no conversation, or the answers are not as many as the calls.
    #[must_use]
    pub fn follow_up(&self, body: &[u8], answers: &[Answer]) -> Option<Vec<u8>> {
        if answers.len() != self.calls.len() {
            return None;
        }
        let said = format!("{},{}", self.said, self.answers(answers));
        let Splice { range, with } = conversation::append(body, self.dialect, &said)?;
        splice(body, &[Splice { range, with: Cow::Owned(with.into_owned()) }])
    }

    /// The answers as elements of the conversation's list.
    fn answers(&self, answers: &[Answer]) -> String {
        let answers =
            joined(self.calls.iter().zip(answers).map(|(call, answer)| self.answer(call, answer)));
        match self.dialect {
            Dialect::Anthropic | Dialect::BedrockInvoke | Dialect::BedrockConverse => {
                format!(r#"{{"role":"user","content":[{answers}]}}"#)
            }
            Dialect::Gemini => format!(r#"{{"role":"user","parts":[{answers}]}}"#),
            Dialect::OpenAiChat | Dialect::OpenAiResponses | Dialect::Ollama => answers,
        }
    }

    fn answer(&self, call: &InternalCall, answer: &Answer) -> String {
        let (id, text) = (quoted(&call.id), quoted(&answer.text));
        match self.dialect {
            Dialect::Anthropic | Dialect::BedrockInvoke => {
                let error = if answer.is_error { r#","is_error":true"# } else { "" };
                format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}{error}}}"#)
            }
            Dialect::BedrockConverse => {
                let status = if answer.is_error { "error" } else { "success" };
                format!(
                    r#"{{"toolResult":{{"toolUseId":{id},"content":[{{"text":{text}}}],"status":"{status}"}}}}"#
                )
            }
            Dialect::OpenAiChat => {
                format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)
            }
            Dialect::OpenAiResponses => {
                format!(r#"{{"type":"function_call_output","call_id":{id},"output":{text}}}"#)
            }
            Dialect::Gemini => {
                let id = if call.id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
                let key = if answer.is_error { "error" } else { "output" };
                format!(
                    r#"{{"functionResponse":{{{id}"name":"{}","response":{{"{key}":{text}}}}}}}"#,
                    super::speech::TOOL
                )
            }
            Dialect::Ollama => {
                let id = if call.id.is_empty() {
                    String::new()
                } else {
                    format!(r#","tool_call_id":{id}"#)
                };
                format!(
                    r#"{{"role":"tool","tool_name":"{}"{id},"content":{text}}}"#,
                    super::speech::TOOL
                )
            }
        }
    }
}
