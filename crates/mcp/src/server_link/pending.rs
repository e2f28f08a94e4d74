//! Request correlation: requests that wait for their answers, by the ids that we gave them.

use crate::failure::Failure;
use crate::message::ParsedMessage;
use crate::tasks::begun;
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

/// Hears the id of the task with which a call is answered, before anything else that the server says. The listener
/// that it returns hears of the task's progress.
pub(crate) type TaskBeginning = Arc<dyn Fn(String) -> ProgressListener + Send + Sync>;

/// Whose request it is.
pub(crate) enum Asker {
    /// A client's, which hears what the server says before it answers.
    Client {
        /// How the client wrote the token under which it wants to hear of progress.
        token: Option<String>,
        /// What happens if it is answered with a task.
        begins: Option<TaskBeginning>,
    },
    /// Our own: a list, a greeting.
    Ourselves,
}

struct PendingRequest {
    asker: Asker,
    messages: mpsc::Sender<InterimMessage>,
    answer: oneshot::Sender<Result<ParsedMessage, Failure>>,
}

impl PendingRequest {
    fn is_clients(&self) -> bool {
        matches!(self.asker, Asker::Client { .. })
    }
}

/// Where the answer arrives, and what is said before it.
#[derive(Debug)]
pub(crate) struct AnswerReceiver {
    pub(crate) messages: mpsc::Receiver<InterimMessage>,
    pub(crate) answer: oneshot::Receiver<Result<ParsedMessage, Failure>>,
}

impl PendingRequests {
    /// An id that no other request has.
    pub(crate) fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn wait(&self, id: u64, asker: Asker) -> AnswerReceiver {
        let (messages, received) = mpsc::channel(MESSAGES);
        let (answer, answered) = oneshot::channel();
        self.requests().insert(id, PendingRequest { asker, messages, answer });
        AnswerReceiver { messages: received, answer: answered }
    }

    /// Gives a request its answer; `false`: no caller waits for it.
    pub(crate) fn answer(&self, id: u64, answer: Result<ParsedMessage, Failure>) -> bool {
        let Some(waiting) = self.requests().remove(&id) else { return false };
        if let (Asker::Client { token, begins: Some(begins) }, Ok(said)) = (waiting.asker, &answer)
            && let Some(task) = begun(&said.view())
        {
            let listener = begins(task);
            if let Some(token) = token {
                self.keep_telling(id, TaskProgress { token, listener });
            }
        }
        waiting.answer.send(answer).is_ok()
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
        match &self.requests().get(&id)?.asker {
            Asker::Client { token, .. } => token.clone(),
            Asker::Ourselves => None,
        }
    }

    /// The call was answered with a task, whose progress its client wants to hear of.
    fn keep_telling(&self, id: u64, progress: TaskProgress) {
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

    /// A client's request that waits, if it is the only one of clients.
    pub(crate) fn only_of_clients(&self) -> Option<u64> {
        let requests = self.requests();
        let mut clients = requests.iter().filter(|(_, waiting)| waiting.is_clients());
        clients.next().map(|(id, _)| *id).filter(|_| clients.next().is_none())
    }

    /// The request of a client that came last.
    pub(crate) fn newest_of_clients(&self) -> Option<u64> {
        let requests = self.requests();
        let clients = requests.iter().filter(|(_, waiting)| waiting.is_clients());
        clients.map(|(id, _)| *id).max()
    }

    /// Fails every pending request, because no answer will come any more.
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
