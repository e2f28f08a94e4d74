//! Messages as the OpenAI or the Anthropic API takes them, a message a line.

use super::calls::SeenCalls;
use super::timestamp;
use super::{EventSink, LogReader, not_json};
use crate::transcript::{LogEvent, LogMessage, MessageAuthor};
use crate::usage::UsageCharge;
use serde_json::Value;

/// A message a line.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) calls: SeenCalls,
    pub(super) turn: LastTurn,
}

/// Whose turn it was last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LastTurn {
    /// The model answered, or nothing was said.
    #[default]
    Model,
    Client,
    /// A request was told, without the answer that is not in it.
    Asked,
}

impl LogReader for Messages {
    fn line(&mut self, line: &[u8], tell: EventSink<'_>) -> Result<(), String> {
        let message: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        self.message(&message, tell).ok_or_else(|| "is no message: it has no role".to_owned())
    }

    /// A list in which the model does not have the last word is itself a request.
    fn end(&mut self, tell: EventSink<'_>) {
        if self.turn == LastTurn::Client {
            self.turn = LastTurn::Asked;
            tell(LogEvent::in_main(LogMessage { author: MessageAuthor::Model, parts: Vec::new() }));
        }
    }
}

impl Messages {
    /// Tells a message; nothing if it is none.
    pub(super) fn message(&mut self, message: &Value, tell: EventSink<'_>) -> Option<()> {
        message["role"].as_str()?;
        timestamp::tell(&message["timestamp"], tell);
        let mut said = self.calls.message(message);
        let is_answer = said.author == MessageAuthor::Model;
        if is_answer && self.turn == LastTurn::Asked {
            said.author = MessageAuthor::ModelAgain;
        }
        self.turn = if is_answer { LastTurn::Model } else { LastTurn::Client };
        tell(LogEvent::in_main(said));
        if let Some(usage) = UsageCharge::read(&message["usage"]).filter(|_| is_answer) {
            tell(LogEvent::Usage { thread: crate::transcript::MAIN, usage });
        }
        Some(())
    }
}
