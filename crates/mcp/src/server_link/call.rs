//! A request under way: what the server says about it, and its answer.

use super::ServerLink;
use super::pending::{AnswerReceiver, InterimMessage};
use crate::era::Era;
use crate::failure::Failure;
use crate::message::ParsedMessage;
use crate::rpc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// What happens to a request.
pub(crate) enum CallEvent {
    /// The server says something before it answers.
    Message(String),
    /// The server ended its stream before it answered; it is asked again after this time.
    Pause(Duration),
    /// The server answered, or will not.
    Answer(Result<ParsedMessage, Failure>),
}

/// A request under way.
pub(crate) struct CallInProgress {
    pub(crate) link: Arc<ServerLink>,
    pub(crate) id: u64,
    waiter: AnswerReceiver,
    timeout: Duration,
    deadline: Instant,
    is_over: bool,
    /// Whether the server hears that the gateway no longer waits.
    pub(crate) is_cancelled_when_dropped: bool,
    /// Reads the answer, where it has a stream of its own.
    reading: Option<AbortHandle>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl CallInProgress {
    pub(super) fn new(
        link: Arc<ServerLink>,
        id: u64,
        waiter: AnswerReceiver,
        timeout: Duration,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        CallInProgress {
            link,
            id,
            waiter,
            timeout,
            deadline: Instant::now() + timeout,
            is_over: false,
            is_cancelled_when_dropped: true,
            reading: None,
            _permit: permit,
        }
    }

    pub(super) fn follow(&mut self, reading: AbortHandle) {
        self.reading = Some(reading);
    }

    /// It may take as long as it takes.
    pub(crate) fn wait_forever(&mut self) {
        self.timeout = Duration::from_secs(60 * 60 * 24 * 365);
        self.deadline = Instant::now() + self.timeout;
    }

    /// What happens next. A server that says something is given the same time again.
    pub(crate) async fn next(&mut self) -> CallEvent {
        let AnswerReceiver { messages, answer } = &mut self.waiter;
        let event = tokio::select! {
            // What was said before the answer is heard before it.
            biased;
            Some(said) = messages.recv() => match said {
                InterimMessage::Message(message) => CallEvent::Message(message),
                InterimMessage::Pause(wait) => CallEvent::Pause(wait),
            },
            answer = answer => CallEvent::Answer(answer.unwrap_or(Err(Failure::Broken))),
            () = tokio::time::sleep_until(self.deadline) => {
                CallEvent::Answer(Err(Failure::TimedOut(self.timeout)))
            }
        };
        match &event {
            CallEvent::Message(_) => self.deadline = Instant::now() + self.timeout,
            // It says nothing by that.
            CallEvent::Pause(_) => {}
            // Whatever the client does, the gateway no longer waits.
            CallEvent::Answer(Err(Failure::TimedOut(_))) => self.is_cancelled_when_dropped = true,
            CallEvent::Answer(_) => self.is_over = true,
        }
        event
    }
}

impl Drop for CallInProgress {
    fn drop(&mut self) {
        self.link.inbox.pending.forget(self.id);
        if let Some(reading) = &self.reading {
            reading.abort();
        }
        // In the modern era the end of the stream says it.
        let is_told = self.link.era == Era::Legacy
            || matches!(self.link.wire, super::ServerChannel::Program(_));
        if !self.is_over && self.is_cancelled_when_dropped && is_told {
            let params = format!(
                r#"{{"requestId":{},"reason":"the gateway no longer waits for the response"}}"#,
                self.id
            );
            self.link.wire.reply(rpc::notification("notifications/cancelled", Some(&params)));
        }
    }
}
