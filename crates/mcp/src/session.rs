//! A client of the legacy era: what it said about itself, what waits for it, what it was asked.

mod outbox;
mod streams;

use crate::message::{Message, Sort};
use crate::outgoing::under_id;
use crate::rpc::{self, ErrorCode};
use crate::server_link::{ClientIntroduction, ServerChannel, ServerLink};
use crate::tasks;
use outbox::SessionOutbox;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use tokenforge_config::Structured;
use tokenforge_json::{Edit, Node};
use tokio::sync::oneshot;

pub(crate) use streams::{BodySender, EventId, SessionStreams, StreamResumption};

/// How many questions of servers may be open.
const QUESTIONS: usize = 256;

/// Which servers a client sees.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ServerScope {
    /// All, with prefixes before the names of their tools.
    All,
    /// One, as it is.
    One(Arc<str>),
}

impl ServerScope {
    /// What a server says, with the ids of its tasks as a client of this scope knows them.
    pub(crate) fn with_task_ids(&self, text: String, prefix: &str) -> String {
        if *self != ServerScope::All {
            return text;
        }
        let message = Message::read(&text).ok();
        message.and_then(|message| tasks::outward(&message, prefix, false)).unwrap_or(text)
    }
}

/// Who a client is.
#[derive(Debug, Clone)]
pub(crate) struct ClientIdentity {
    /// The name it gives itself; empty if it gives none.
    pub(crate) name: String,
    pub(crate) told: ClientIntroduction,
}

impl ClientIdentity {
    pub(crate) fn new(
        info: Option<&Node<'_>>,
        capabilities: Option<&Node<'_>>,
        agent: Option<&str>,
    ) -> Self {
        let name = info.and_then(|info| info.get("name")?.text()).map(|name| name.into_owned());
        // `claude-code/2.1 (cli)`
        let by_agent = || Some(agent?.split(['/', ' ']).next()?.to_owned());
        let raw = |node: Option<&Node<'_>>, other: String| {
            node.map_or(other, |node| node.raw().to_owned())
        };
        ClientIdentity {
            name: name.or_else(by_agent).unwrap_or_default(),
            told: ClientIntroduction {
                info: raw(info, rpc::own_info()),
                capabilities: raw(capabilities, "{}".to_owned()),
            },
        }
    }

    /// Can a server ask it something?
    pub(crate) fn can_be_asked(&self) -> bool {
        let capabilities = Node::read(&self.told.capabilities).ok();
        capabilities.is_some_and(|node| {
            node.pick(["sampling", "elicitation", "roots"]).iter().any(Option::is_some)
        })
    }
}

/// A client's session.
pub(crate) struct Session {
    pub(crate) id: Arc<str>,
    pub(crate) tenant: Arc<str>,
    pub(crate) scope: ServerScope,
    pub(crate) client: ClientIdentity,
    pub(crate) version: &'static str,
    used: Mutex<Instant>,
    pub(crate) outbox: SessionOutbox,
    pub(crate) streams: SessionStreams,
    next_question: AtomicU64,
    questions: Mutex<HashMap<String, (ServerChannel, String)>>,
    running: Mutex<HashMap<String, RunningRequest>>,
    structured: Mutex<HashMap<Arc<str>, Structured>>,
}

/// A request under way, for whoever takes it back.
struct RunningRequest {
    link: Weak<ServerLink>,
    id: u64,
    cancel: oneshot::Sender<()>,
}

impl Session {
    pub(crate) fn new(
        id: Arc<str>,
        tenant: Arc<str>,
        scope: ServerScope,
        client: ClientIdentity,
        version: &'static str,
    ) -> Arc<Self> {
        Arc::new(Session {
            id,
            tenant,
            scope,
            client,
            version,
            used: Mutex::new(Instant::now()),
            outbox: SessionOutbox::default(),
            streams: SessionStreams::default(),
            next_question: AtomicU64::new(0),
            questions: Mutex::default(),
            running: Mutex::default(),
            structured: Mutex::default(),
        })
    }

    pub(crate) fn touch(&self) {
        *locked(&self.used) = Instant::now();
    }

    pub(crate) fn last_used(&self) -> Instant {
        *locked(&self.used)
    }

    /// Does it see this server?
    pub(crate) fn sees(&self, prefix: &str) -> bool {
        match &self.scope {
            ServerScope::All => true,
            ServerScope::One(own) => &**own == prefix,
        }
    }

    /// Something for the client that belongs to no request of its own.
    pub(crate) fn receive(&self, wire: Option<&ServerChannel>, text: String) {
        let text = match (Message::read(&text), wire) {
            (Ok(message), Some(wire)) if message.sort() == Sort::Request => {
                match self.question(wire, &message) {
                    Some(question) => question,
                    None => return,
                }
            }
            _ => text,
        };
        self.outbox.put(text);
    }

    /// A server's question as the client is to see it, under an id that no other server uses.
    pub(crate) fn question(&self, wire: &ServerChannel, message: &Message<'_>) -> Option<String> {
        let theirs = message.id()?.to_owned();
        let number = self.next_question.fetch_add(1, Ordering::Relaxed);
        let ours = format!("\"server-{number}\"");
        let mut questions = locked(&self.questions);
        if questions.len() >= QUESTIONS {
            wire.reply(rpc::error(
                Some(&theirs),
                ErrorCode::Internal,
                "the client answers no questions",
            ));
            return None;
        }
        questions.insert(ours.clone(), (wire.clone(), theirs));
        Some(under_id(message, &ours))
    }

    /// The client answered a question: to whom that goes, and under which id.
    pub(crate) fn answered(&self, message: &Message<'_>) -> Option<(ServerChannel, String)> {
        let (wire, theirs) = locked(&self.questions).remove(message.id()?)?;
        let own = if self.scope == ServerScope::All { tasks::inward(message) } else { None };
        let own = own.as_deref().and_then(|text| Message::read(text).ok());
        Some((wire, under_id(own.as_ref().unwrap_or(message), &theirs)))
    }

    /// A request is under way; the receiver hears when the client takes it back.
    pub(crate) fn begin(
        &self,
        client_id: &str,
        link: &Arc<ServerLink>,
        id: u64,
    ) -> oneshot::Receiver<()> {
        let (cancel, cancelled) = oneshot::channel();
        let running = RunningRequest { link: Arc::downgrade(link), id, cancel };
        locked(&self.running).insert(client_id.to_owned(), running);
        cancelled
    }

    pub(crate) fn end(&self, client_id: &str) {
        locked(&self.running).remove(client_id);
    }

    /// The client takes a request back.
    pub(crate) fn cancel(&self, message: &Message<'_>) {
        let Some(client_id) = message.param("requestId") else { return };
        let Some(running) = locked(&self.running).remove(client_id.raw()) else { return };
        if let Some(link) = running.link.upgrade() {
            let mut edits = Edit::new(message.text());
            edits.replace(&client_id, running.id.to_string());
            link.wire().reply(edits.done().into_owned());
        }
        let _ = running.cancel.send(());
    }

    /// What becomes of structured content: as it was when the client last saw the schemas of these tools.
    pub(crate) fn structured(
        &self,
        prefix: &Arc<str>,
        now: Structured,
        is_listing: bool,
    ) -> Structured {
        let mut pinned = locked(&self.structured);
        if is_listing {
            pinned.insert(prefix.clone(), now);
        }
        *pinned.entry(prefix.clone()).or_insert(now)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
