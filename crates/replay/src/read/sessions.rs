//! Sessions with lists of messages: recorded ones, and the bodies of requests.

use super::calls::SeenCalls;
use super::messages::{LastTurn, Messages};
use super::{EventSink, LogReader, not_json, opencode};
use crate::transcript::{LogEvent, LogMessage, MessageAuthor, MessagePart};
use crate::usage::UsageCharge;
use serde::Deserialize;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A session a line, or the bodies of the requests of one, each longer than the one before.
#[derive(Default)]
pub(super) struct SessionLines {
    name: Option<String>,
    /// The messages of the last line, as hashes.
    told: Vec<u64>,
    turn: LastTurn,
}

impl LogReader for SessionLines {
    fn line(&mut self, line: &[u8], tell: EventSink<'_>) -> Result<(), String> {
        let session: RecordedSession =
            serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        self.session(session, tell);
        Ok(())
    }
}

impl SessionLines {
    /// Tells a session; of one that begins with all of the last one, what is new.
    pub(super) fn session(&mut self, session: RecordedSession, tell: EventSink<'_>) {
        let name = session.id.as_str().or_else(|| session.info["id"].as_str()).map(str::to_owned);
        if session.is_opencode() {
            *self = SessionLines::default();
            tell(LogEvent::Session { name });
            return opencode::messages(&session.messages, tell);
        }
        let all = session.hashes();
        let is_longer = !self.told.is_empty() && name == self.name && all.starts_with(&self.told);
        let last =
            std::mem::replace(self, SessionLines { name, told: all, turn: LastTurn::default() });
        let mut messages = Messages::default();
        if is_longer {
            messages.turn = last.turn;
            session.model(tell);
            session.messages(last.told.len(), &mut messages, tell);
        } else {
            tell(LogEvent::Session { name: self.name.clone() });
            session.model(tell);
            session.beginning(&mut messages, tell);
            session.messages(0, &mut messages, tell);
        }
        messages.end(tell);
        self.turn = messages.turn;
    }
}

/// A recorded session, or the body of a request.
#[derive(Debug, Deserialize)]
pub(super) struct RecordedSession {
    messages: Vec<Value>,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    model: Value,
    #[serde(default)]
    tools: Value,
    #[serde(default)]
    system: Value,
    #[serde(default)]
    usage: Value,
    /// In an export of opencode.
    #[serde(default)]
    info: Value,
}

impl RecordedSession {
    /// Hashes of what its messages say, which is the same however a client marks them for the cache.
    fn hashes(&self) -> Vec<u64> {
        let mut calls = SeenCalls::default();
        let hash = |message: &Value| {
            let mut hasher = DefaultHasher::new();
            calls.message(message).hash(&mut hasher);
            hasher.finish()
        };
        self.said_messages().map(hash).collect()
    }

    /// What is no message is none that a model saw.
    fn said_messages(&self) -> impl Iterator<Item = &Value> {
        self.messages.iter().filter(|message| message["role"].is_string())
    }

    fn model(&self, tell: EventSink<'_>) {
        if let Some(model) = self.model.as_str() {
            tell(LogEvent::Model(model.to_owned()));
        }
    }

    /// What comes before the messages.
    fn beginning(&self, messages: &mut Messages, tell: EventSink<'_>) {
        if self.tools.is_array() {
            tell(LogEvent::Tools(self.tools.to_string()));
        }
        let system: Vec<MessagePart> = messages.calls.content(&self.system);
        if !system.is_empty() {
            tell(LogEvent::in_main(LogMessage { author: MessageAuthor::System, parts: system }));
        }
    }

    /// The messages after so many that were told before.
    fn messages(&self, told: usize, messages: &mut Messages, tell: EventSink<'_>) {
        let usages = self.usage.as_array();
        let answers = || self.said_messages().filter(|message| message["role"] == "assistant");
        // Only a list of as many as there are answers says which is whose.
        let mut usages =
            usages.filter(|usages| usages.len() == answers().count()).into_iter().flatten();
        for (at, message) in self.said_messages().enumerate() {
            let usage = if message["role"] == "assistant" {
                usages.next().and_then(UsageCharge::read)
            } else {
                None
            };
            if at < told {
                // Results that are new may be of calls that are not.
                messages.calls.message(message);
                continue;
            }
            messages.message(message, tell);
            if let Some(usage) = usage {
                tell(LogEvent::Usage { thread: crate::transcript::MAIN, usage });
            }
        }
    }

    pub(super) fn is_opencode(&self) -> bool {
        self.messages.first().is_some_and(|message| message["parts"].is_array())
    }
}
