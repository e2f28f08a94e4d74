//! A client of the legacy era: what it said about itself, what waits for it, what it was asked.

mod outbox;
mod questions;
mod running;
mod streams;
mod subscriptions;

use crate::message::{Message, Sort};
use crate::rpc::{self, CANCELLED};
use crate::server_link::{ClientIntroduction, ServerChannel};
use crate::tasks;
use outbox::SessionOutbox;
use questions::Questions;
use running::RunningRequests;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use subscriptions::Subscriptions;
use tokenforge_config::Structured;
use tokenforge_json::Node;

pub(crate) use running::RunningRequest;
pub(crate) use streams::{BodySender, EventId, SessionStreams, StreamResumption};

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
        message.and_then(|message| tasks::outward(&message, prefix)).unwrap_or(text)
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
    /// What servers asked it.
    pub(crate) questions: Questions,
    /// Its requests under way.
    pub(crate) running: Arc<RunningRequests>,
    pub(crate) subscriptions: Subscriptions,
    structured: Mutex<HashMap<Arc<str>, Structured>>,
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
            questions: Questions::default(),
            running: Arc::default(),
            subscriptions: Subscriptions::default(),
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
            (Ok(message), Some(wire)) => match self.shown(wire, &message) {
                Some(text) => text,
                None => return,
            },
            _ => text,
        };
        self.outbox.put(text);
    }

    /// What a server says, as the client is to see it; `None`: it is nothing to the client.
    pub(crate) fn shown(&self, wire: &ServerChannel, message: &Message<'_>) -> Option<String> {
        match message.sort() {
            Sort::Request => self.questions.ask(wire, message),
            Sort::Notification if message.method() == CANCELLED => {
                self.questions.take_back(wire, message)
            }
            _ => Some(message.text().to_owned()),
        }
    }

    /// The client answered a question: to whom that goes, and under which id.
    pub(crate) fn answered(&self, message: &Message<'_>) -> Option<(ServerChannel, String)> {
        let own = if self.scope == ServerScope::All { tasks::inward(message) } else { None };
        let own = own.as_deref().and_then(|text| Message::read(text).ok());
        self.questions.answered(own.as_ref().unwrap_or(message))
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
