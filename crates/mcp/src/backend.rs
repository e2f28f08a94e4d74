//! A tool server, and the conversations with it: a limit of requests at once, idle conversations, and a circuit breaker that
//! leaves a server alone for a while after failures.

use crate::era::Era;
use crate::failure::Failure;
use crate::server_link::{ClientIntroduction, LinkResources, ServerLink, UnsolicitedSink};
use crate::session::Session;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokenforge_config::{McpBackend, McpTarget};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

/// How many conversations a server may have. Beyond it, an unused one makes room: each is a program that runs,
/// and clients often leave without a word.
const PROGRAMS: usize = 16;
const ADDRESSES: usize = 256;

/// How many tools of a server are remembered.
const TOOLS: usize = 4096;

/// How long a server is left alone after its first failure; twice as long after each further one.
const FIRST_REST: Duration = Duration::from_millis(500);
const LONGEST_REST: Duration = Duration::from_secs(30);

/// A server that is gone sooner than this has failed.
const SHORT_LIFE: Duration = Duration::from_secs(5);

/// A tool server.
pub(crate) struct Backend {
    pub(crate) prefix: Arc<str>,
    pub(crate) definition: McpBackend,
    links: Mutex<HashMap<LinkKey, LinkSlot>>,
    permits: Arc<Semaphore>,
    rest: Mutex<CircuitBreaker>,
    /// Its tools, and whether each promises structured results.
    tools: Mutex<HashMap<String, bool>>,
}

/// Whose conversation it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LinkKey {
    pub(crate) tenant: Arc<str>,
    /// The client's session, if the server may ask the client something; the others share one.
    pub(crate) session: Option<Arc<str>>,
    /// The era that the client speaks.
    pub(crate) era: Era,
}

struct LinkSlot {
    link: Arc<OnceCell<Arc<ServerLink>>>,
    used: Instant,
}

/// How a server that fails is left alone.
#[derive(Default)]
struct CircuitBreaker {
    failures: u32,
    until: Option<Instant>,
}

impl Backend {
    pub(crate) fn new(prefix: &str, definition: McpBackend) -> Arc<Self> {
        Arc::new(Backend {
            prefix: prefix.into(),
            permits: Arc::new(Semaphore::new(definition.max_concurrent)),
            definition,
            links: Mutex::default(),
            rest: Mutex::default(),
            tools: Mutex::default(),
        })
    }

    /// The conversation of this client; begun if there is none.
    pub(crate) async fn link(
        &self,
        key: LinkKey,
        told: ClientIntroduction,
        means: &LinkResources,
        sink: impl FnOnce() -> UnsolicitedSink,
    ) -> Result<Arc<ServerLink>, Failure> {
        let era = key.era;
        let cell = self.slot(key.clone());
        if cell.get().is_none() {
            self.rested()?;
        }
        let connecting = cell.get_or_try_init(|| {
            let sink = sink();
            async move { ServerLink::connect(&self.definition, era, told, means, sink).await }
        });
        match connecting.await {
            Ok(link) => {
                self.succeeded(link);
                Ok(link.clone())
            }
            Err(failure) => {
                self.links().remove(&key);
                self.failed();
                Err(failure)
            }
        }
    }

    /// The place of a conversation: a new one if there is none, or if the old one is over.
    fn slot(&self, key: LinkKey) -> Arc<OnceCell<Arc<ServerLink>>> {
        let now = Instant::now();
        let mut links = self.links();
        let is_over = |slot: &LinkSlot| slot.link.get().is_some_and(|link| !link.is_alive());
        if links.get(&key).is_some_and(is_over)
            && let Some(slot) = links.remove(&key)
            && slot.link.get().is_some_and(|link| link.since.elapsed() < SHORT_LIFE)
        {
            self.failed();
        }
        let most = match self.definition.target {
            McpTarget::Command { .. } => PROGRAMS,
            McpTarget::Http { .. } => ADDRESSES,
        };
        if !links.contains_key(&key) && links.len() >= most {
            let is_unused =
                |slot: &LinkSlot| slot.link.get().is_some_and(|link| Arc::strong_count(link) == 1);
            let unused = links.iter().filter(|(_, slot)| is_unused(slot));
            let oldest = unused.min_by_key(|(_, slot)| slot.used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                links.remove(&oldest);
            }
        }
        let slot = links.entry(key).or_insert_with(|| LinkSlot { link: Arc::default(), used: now });
        slot.used = now;
        slot.link.clone()
    }

    /// The right to send one more request, when it is free.
    pub(crate) async fn permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let waiting = self.permits.clone().acquire_owned();
        let permit = tokio::time::timeout(self.definition.timeout, waiting).await;
        permit.ok().and_then(Result::ok).ok_or(Failure::Busy)
    }

    /// Ends the conversations of a session.
    pub(crate) fn leave(&self, session: &str) {
        self.links().retain(|key, _| key.session.as_deref() != Some(session));
    }

    /// Ends all conversations; each begins anew when it is needed.
    pub(crate) fn reset(&self) {
        self.links().clear();
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = CircuitBreaker::default();
    }

    /// How many conversations there are.
    pub(crate) fn conversations(&self) -> usize {
        let alive = |slot: &&LinkSlot| slot.link.get().is_some_and(|link| link.is_alive());
        self.links().values().filter(alive).count()
    }

    pub(crate) fn remember_tools(&self, tools: Vec<(String, bool)>) {
        let mut known = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + tools.len() > TOOLS {
            known.clear();
        }
        known.extend(tools.into_iter().take(TOOLS));
    }

    /// Does the tool promise structured results?
    pub(crate) fn promises(&self, tool: &str) -> bool {
        let known = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).copied().unwrap_or(false)
    }

    /// Does it have a tool of this name?
    pub(crate) fn has_tool(&self, tool: &str) -> bool {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).contains_key(tool)
    }

    /// The conversation that is a session's own, if it was begun.
    pub(crate) fn known_link(&self, session: &Session) -> Option<Arc<ServerLink>> {
        let links = self.links();
        let own = links.iter().find(|(key, _)| key.session.as_ref() == Some(&session.id));
        own.and_then(|(_, slot)| slot.link.get().cloned())
    }

    fn rested(&self) -> Result<(), Failure> {
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let left = rest.until.map(|until| until.saturating_duration_since(Instant::now()));
        match left {
            Some(left) if !left.is_zero() => Err(Failure::Resting(left)),
            _ => Ok(()),
        }
    }

    fn failed(&self) {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = FIRST_REST.saturating_mul(1 << rest.failures.min(8)).min(LONGEST_REST);
        rest.failures += 1;
        // The first failure may be an accident: the next request may try at once.
        rest.until = (rest.failures > 1).then(|| Instant::now() + pause);
    }

    fn succeeded(&self, link: &ServerLink) {
        if link.since.elapsed() >= SHORT_LIFE {
            *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = CircuitBreaker::default();
        }
    }

    fn links(&self) -> MutexGuard<'_, HashMap<LinkKey, LinkSlot>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
