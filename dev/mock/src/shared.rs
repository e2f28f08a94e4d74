//! What all connections of a mock share: its script, its gates, and what it saw.

use crate::answer::Answer;
use crate::aws::AwsKey;
use crate::gate::Gate;
use crate::memory::Memory;
use crate::record::{Log, Recorded};
use crate::script::Reply;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What all connections share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) log: Log,
    pub(crate) memory: Memory,
    /// Bodies are checked and recorded; a benchmark turns it off.
    pub(crate) attentive: AtomicBool,
    queue: Mutex<Queue>,
    service: Mutex<Option<Arc<Service>>>,
    gates: Mutex<Vec<Arc<Gate>>>,
    replies: AtomicU64,
    /// What requests to Bedrock must be signed with.
    aws_key: Mutex<Option<AwsKey>>,
}

/// What the next requests are answered with.
#[derive(Default)]
pub(crate) struct Queue {
    /// For the next question to a model, in order.
    pub(crate) next: VecDeque<Source>,
    /// For the next request whose path has this text in it.
    pub(crate) on_path: Vec<(String, Source)>,
    /// For every question to a model when nothing is queued.
    pub(crate) always: Option<Arc<Make>>,
}

/// Answers what no model is behind, and may refuse it.
pub(crate) type Service = dyn Fn(&mut Recorded) -> Answer + Send + Sync;

/// Makes a reply for a request.
pub(crate) type Make = dyn Fn(&Recorded) -> Reply + Send + Sync;

/// Where a reply is from.
#[derive(Clone)]
pub(crate) enum Source {
    /// It was written before.
    Ready(Reply),
    /// It is made from the request.
    Made(Arc<Make>),
}

impl Source {
    fn reply(self, request: &Recorded) -> Reply {
        match self {
            Self::Ready(reply) => reply,
            Self::Made(make) => make(request),
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("log", &self.log).finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn service(&self) -> MutexGuard<'_, Option<Arc<Service>>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn aws_key(&self) -> MutexGuard<'_, Option<AwsKey>> {
        self.aws_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn gates(&self) -> MutexGuard<'_, Vec<Arc<Gate>>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next reply.
    pub(crate) fn next_reply(&self) -> u64 {
        self.replies.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether bodies are checked and recorded.
    pub(crate) fn is_attentive(&self) -> bool {
        self.attentive.load(Ordering::Relaxed)
    }

    /// Waits at every gate that stands here.
    pub(crate) async fn pass_gates(&self, after: Option<usize>) {
        let gates = self.gates().clone();
        for gate in gates {
            gate.pass(after, &self.log).await;
        }
    }

    /// The reply that was queued for this request; only questions to a model take those without a path.
    pub(crate) fn scripted(&self, request: &Recorded, is_question: bool) -> Option<Reply> {
        let source = {
            let mut queue = self.queue();
            let path = &request.path_and_query;
            match queue.on_path.iter().position(|(part, _)| path.contains(part.as_str())) {
                Some(at) => Some(queue.on_path.remove(at).1),
                None if is_question => {
                    queue.next.pop_front().or_else(|| queue.always.clone().map(Source::Made))
                }
                None => None,
            }
        };
        source.map(|source| source.reply(request))
    }
}
