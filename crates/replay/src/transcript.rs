//! What a recorded session says, whichever program wrote it down: a stream of events in the order of the log.

use crate::usage::UsageCharge;
use std::borrow::Cow;

/// Which conversation of a session: a session may have subagents, each with a conversation of its own.
pub type ThreadId = u64;

/// The conversation that the user holds.
pub const MAIN: ThreadId = 0;

/// What a reader tells while it goes over a log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LogEvent {
    /// A session begins. A log without such an event is one session.
    Session {
        /// What the log calls it.
        name: Option<String>,
    },
    /// When what follows was said, in seconds since 1970.
    Time(u64),
    /// The model that answers from here on.
    Model(String),
    /// The tool definitions, as JSON text.
    Tools(String),
    /// Something was said.
    Message {
        /// In which conversation.
        thread: ThreadId,
        /// What.
        message: LogMessage,
    },
    /// What the provider charged for the latest answer.
    Usage {
        /// In which conversation.
        thread: ThreadId,
        /// How much.
        usage: UsageCharge,
    },
    /// Which request the latest answer is to. Copies of a log have the same.
    Request {
        /// In which conversation.
        thread: ThreadId,
        /// A hash of what the provider and the client call it.
        id: u64,
    },
    /// The client put a summary in the place of all messages so far.
    Forgotten {
        /// In which conversation.
        thread: ThreadId,
    },
    /// The user went back to an earlier point, and all after so many messages is gone.
    Rewound {
        /// In which conversation.
        thread: ThreadId,
        /// How many messages are left.
        messages: usize,
    },
    /// A line that could not be read.
    Skipped {
        /// Which, from one.
        line: usize,
        /// Why.
        reason: String,
    },
}

/// One message of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub struct LogMessage {
    /// Who said it.
    pub author: MessageAuthor,
    /// What it consists of.
    pub parts: Vec<MessagePart>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MessageAuthor {
    /// A user or a tool.
    #[default]
    Client,
    /// The author of the system prompt.
    System,
    /// The model, as its answer to a request made of all messages before.
    Model,
    /// The model, in the same answer as the part of it that came before.
    ModelAgain,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum MessagePart {
    /// What was said.
    Text(String),
    /// A call of a tool.
    Call {
        /// The name of the tool.
        tool: String,
        /// Its arguments, as JSON.
        arguments: String,
    },
    /// What a tool answered.
    Result(ToolResult),
    /// A picture, or a document that is not text.
    Image,
}

impl MessagePart {
    /// What was said or called for, as text; nothing where a tool answered or a picture was shown.
    #[must_use]
    pub fn said(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Call { tool, arguments } => Some(Cow::Owned(format!("{tool} {arguments}"))),
            Self::Result(_) | Self::Image => None,
        }
    }
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
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

impl LogEvent {
    /// Something that was said in the main conversation.
    pub(crate) fn in_main(message: LogMessage) -> Self {
        LogEvent::Message { thread: MAIN, message }
    }
}
