//! Readers of recorded sessions, one for each program that writes them. What a file is, its content tells.

mod calls;
mod claude_code;
mod codex;
mod document;
mod lines;
mod messages;
pub mod opencode;
mod recognise;
mod sessions;
mod timestamp;

use crate::transcript::LogEvent;
use claude_code::ClaudeCode;
use codex::Codex;
use lines::{LONGEST_LINE, LogLine};
use messages::Messages;
use serde::Serialize;
use sessions::SessionLines;
use std::fmt;
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use tokenforge_agents::{Agent, LogFormat};

/// Who is told what is read.
pub type EventSink<'t> = &'t mut dyn FnMut(LogEvent);

/// Who wrote a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogOrigin {
    /// Claude Code, one line an entry.
    ClaudeCode,
    /// Codex, a rollout.
    Codex,
    /// opencode, its storage or an export.
    Opencode,
    /// A list of messages as the OpenAI or the Anthropic API takes them, or a recorded session with one in it.
    Messages,
}

impl LogOrigin {
    /// Its name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.agent().map_or("messages", |agent| &agent.name)
    }

    /// What commands call the agent that wrote it.
    pub(crate) fn agent_id(self) -> &'static str {
        self.agent().map_or("messages", |agent| &agent.id)
    }

    fn agent(self) -> Option<&'static Agent> {
        let wrote = |agent: &&Agent| {
            agent.logs.as_ref().is_some_and(|logs| LogOrigin::from(logs.format) == self)
        };
        tokenforge_agents::all().iter().find(wrote)
    }
}

impl From<LogFormat> for LogOrigin {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::ClaudeCode => Self::ClaudeCode,
            LogFormat::Codex => Self::Codex,
            LogFormat::Opencode => Self::Opencode,
        }
    }
}

impl fmt::Display for LogOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a log tells nothing.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableLog {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Its format is unknown.
    #[error(
        "not a session that is known: expected a transcript of Claude Code, a rollout of Codex, an export of opencode, or a list of messages"
    )]
    Unknown,
    /// It is JSON up to a point.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
}

/// Opens the log, from its beginning each time.
pub type OpenLog<'o> = &'o dyn Fn() -> io::Result<Box<dyn BufRead>>;

/// Reads a log and tells what is in it, in order. A line that cannot be read is told as [`LogEvent::Skipped`].
///
/// # Errors
/// It cannot be read, or its format is unknown.
///
/// ```
/// use tokenforge_replay::read::{LogOrigin, transcript};
///
/// let log = "{\"role\":\"user\",\"content\":\"hello\"}\n{\"role\":\"assistant\",\"content\":\"hi\"}\n";
/// let mut events = 0;
/// let client = transcript(&|| Ok(Box::new(log.as_bytes())), &mut |_| events += 1)?;
/// assert_eq!((client, events), (LogOrigin::Messages, 2));
/// # Ok::<(), tokenforge_replay::read::UnreadableLog>(())
/// ```
pub fn transcript(open: OpenLog<'_>, tell: EventSink<'_>) -> Result<LogOrigin, UnreadableLog> {
    use recognise::LogShape;
    let (mut reader, client): (Box<dyn LogReader>, _) = match recognise::shape(&mut *open()?)? {
        None => return Err(UnreadableLog::Unknown),
        Some(LogShape::Document) => return document::document(open()?, tell),
        Some(LogShape::ClaudeCode) => (Box::new(ClaudeCode::default()), LogOrigin::ClaudeCode),
        Some(LogShape::Codex) => (Box::new(Codex::default()), LogOrigin::Codex),
        Some(LogShape::Messages) => (Box::new(Messages::default()), LogOrigin::Messages),
        Some(LogShape::Sessions) => (Box::new(SessionLines::default()), LogOrigin::Messages),
    };
    lines::each(&mut *open()?, |line, bytes| {
        let read = match bytes {
            LogLine::Bytes(bytes) => reader.line(bytes, tell),
            LogLine::TooLong => Err(format!("longer than {} MB", LONGEST_LINE >> 20)),
        };
        if let Err(reason) = read {
            tell(LogEvent::Skipped { line, reason });
        }
        ControlFlow::Continue(())
    })?;
    reader.end(tell);
    Ok(client)
}

/// Tells the ids of the requests in a log, those that [`LogEvent::Request`] has, without reading what was said.
pub(crate) fn requests(open: OpenLog<'_>, tell: &mut dyn FnMut(u64)) -> io::Result<()> {
    if recognise::shape(&mut *open()?)? != Some(recognise::LogShape::ClaudeCode) {
        return Ok(());
    }
    lines::each(&mut *open()?, |_, line| {
        if let LogLine::Bytes(line) = line
            && let Some(id) = claude_code::request(line)
        {
            tell(id);
        }
        ControlFlow::Continue(())
    })
}

/// Reads a log that has one entry a line.
trait LogReader {
    /// Reads an entry; else says why it cannot.
    fn line(&mut self, line: &[u8], tell: EventSink<'_>) -> Result<(), String>;

    /// There are no more entries.
    fn end(&mut self, _tell: EventSink<'_>) {}
}

/// What is wrong with a line, without what is in it.
fn not_json(error: &serde_json::Error) -> String {
    let what = if error.is_eof() { "ends too early" } else { "is not what it should be" };
    format!("{what} at column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::LogOrigin;

    #[test]
    fn every_log_origin_has_a_name() {
        for (origin, name) in [
            (LogOrigin::ClaudeCode, "Claude Code"),
            (LogOrigin::Codex, "Codex"),
            (LogOrigin::Opencode, "opencode"),
            (LogOrigin::Messages, "messages"),
        ] {
            assert_eq!(origin.name(), name);
        }
    }
}
