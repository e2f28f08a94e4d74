//! Request correlation: requests that wait for their answers, by the ids that we gave them.

use crate::failure::Failure;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How many messages may wait for a slow client before more are dropped.
const MESSAGES: usize = 256;

/// How many tasks report their progress. The oldest go first.
const TASKS: usize = 1024;

/// Hears of the progress of a task after the call that began it was answered.
pub(crate) type ProgressListener = Arc<dyn Fn(String) + Send + Sync>;

/// A call that was answered with a task.
#[derive(Clone)]
pub(crate) struct TaskProgress {
    /// How the client wrote the token under which it wants to hear of progress.
    pub(crate) token: String,
    pub(crate) listener: ProgressListener,
}

/// What a server says about a request before it answers.
#[derive(Debug)]
pub(crate) enum InterimMessage {
    /// A message.
    Message(String),
    /// It ended the stream, and is asked for the rest after this time.
    Pause(Duration),
}

/// Requests that wait for their answers, by the ids that we gave them.
#[derive(Default)]
pub(crate) struct PendingRequests {
    next: AtomicU64,
    requests: Mutex<HashMap<u64, PendingRequest>>,
    /// By the ids of the calls that began them.
    tasks: Mutex<BTreeMap<u64, TaskProgress>>,
}

#[derive(Debug)]
struct PendingRequest {
    /// How the client wrote the token under which it wants to hear of progress.
    token: Option<String>,
    messages: mpsc::Sender<InterimMessage>,
    answer: oneshot::Sender<Result<String, Failure>>,
}

/// Where the answer arrives, and what is said before it.
#[derive(Debug)]
pub(crate) struct AnswerReceiver {
    pub(crate) messages: mpsc::Receiver<InterimMessage>,
    pub(crate) answer: oneshot::Receiver<Result<String, Failure>>,
}

impl PendingRequests {
    /// An id that no other request has.
    pub(crate) fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn wait(&self, id: u64, token: Option<String>) -> AnswerReceiver {
        let (messages, received) = mpsc::channel(MESSAGES);
        let (answer, answered) = oneshot::channel();
        self.requests().insert(id, PendingRequest { token, messages, answer });
        AnswerReceiver { messages: received, answer: answered }
    }

    /// Gives a request its answer; `false`: nobody waits for it.
    pub(crate) fn answer(&self, id: u64, answer: Result<String, Failure>) -> bool {
        let waiting = self.requests().remove(&id);
        waiting.is_some_and(|waiting| waiting.answer.send(answer).is_ok())
    }

    /// Tells a waiting client something; `false`: it does not wait, or does not listen fast enough.
    pub(crate) fn tell(&self, id: u64, message: String) -> bool {
        self.say(id, InterimMessage::Message(message))
    }

    pub(crate) fn say(&self, id: u64, said: InterimMessage) -> bool {
        let requests = self.requests();
        requests.get(&id).is_some_and(|waiting| waiting.messages.try_send(said).is_ok())
    }

    /// How the client wrote its progress token.
    pub(crate) fn token(&self, id: u64) -> Option<String> {
        self.requests().get(&id)?.token.clone()
    }

    /// The call was answered with a task, whose progress somebody wants to hear of.
    pub(crate) fn keep_telling(&self, id: u64, progress: TaskProgress) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.len() >= TASKS {
            tasks.pop_first();
        }
        tasks.insert(id, progress);
    }

    /// Who hears of the progress of the task that this call began.
    pub(crate) fn task(&self, id: u64) -> Option<TaskProgress> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        self.requests().contains_key(&id)
    }

    pub(crate) fn forget(&self, id: u64) {
        self.requests().remove(&id);
    }

    /// The request that waits, if it is the only one.
    pub(crate) fn only(&self) -> Option<u64> {
        let requests = self.requests();
        requests.keys().next().copied().filter(|_| requests.len() == 1)
    }

    /// The request that came last.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.requests().keys().max().copied()
    }

    /// Nobody will be answered any more.
    pub(crate) fn fail_all(&self, failure: &Failure) {
        let waiting: Vec<PendingRequest> =
            self.requests().drain().map(|(_, waiting)| waiting).collect();
        for waiting in waiting {
            let _ = waiting.answer.send(Err(failure.clone()));
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<u64, PendingRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
