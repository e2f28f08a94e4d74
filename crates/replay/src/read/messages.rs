//! Messages as the OpenAI or the Anthropic API takes them, a message a line.

use super::calls::Calls;
use super::{LogReader, TellEvent, not_json};
use crate::transcript::{Author, Event, Message};
use crate::usage::Usage;
use serde_json::Value;

/// A message a line.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) calls: Calls,
    pub(super) turn: Turn,
}

/// Whose turn it was last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Turn {
    /// The model answered, or nothing was said.
    #[default]
    Model,
    Client,
    /// A request was told, without the answer that is not in it.
    Asked,
}

impl LogReader for Messages {
    fn line(&mut self, line: &[u8], tell: TellEvent<'_>) -> Result<(), String> {
        let message: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        self.message(&message, tell).ok_or_else(|| "is no message: it has no role".to_owned())
    }

    /// A list in which the model does not have the last word is itself a request.
    fn end(&mut self, tell: TellEvent<'_>) {
        if self.turn == Turn::Client {
            self.turn = Turn::Asked;
            tell(Event::said(Message { author: Author::Model, parts: Vec::new() }));
        }
    }
}

impl Messages {
    /// Tells a message; nothing if it is none.
    pub(super) fn message(&mut self, message: &Value, tell: TellEvent<'_>) -> Option<()> {
        message["role"].as_str()?;
        let mut said = self.calls.message(message);
        let is_answer = said.author == Author::Model;
        if is_answer && self.turn == Turn::Asked {
            said.author = Author::ModelAgain;
        }
        self.turn = if is_answer { Turn::Model } else { Turn::Client };
        tell(Event::said(said));
        if let Some(usage) = Usage::read(&message["usage"]).filter(|_| is_answer) {
            tell(Event::Usage { thread: crate::transcript::MAIN, usage });
        }
        Some(())
    }
}
