//! The sessions of clients: they end when unused (idle timeout), and make room for new ones (LRU eviction).

use crate::session::{ClientIdentity, ServerScope, Session};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many sessions there may be. Beyond it, the one that was used least recently makes room.
const SESSIONS: usize = 4096;

/// A session that is not used for so long is over. A client that listens uses it.
const IDLE: Duration = Duration::from_secs(60 * 60);

/// The sessions of clients.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Arc<str>, Arc<Session>>>);

impl Sessions {
    /// Begins a session; `ended` hears which ones end for it. `None`: the machine has no random numbers.
    pub(crate) fn begin(
        &self,
        tenant: Arc<str>,
        scope: ServerScope,
        client: ClientIdentity,
        version: &'static str,
        ended: impl Fn(&str),
    ) -> Option<Arc<Session>> {
        let session = Session::new(random_id()?, tenant, scope, client, version);
        let mut over = Vec::new();
        let mut sessions = self.locked();
        sessions.retain(|id, session| {
            let is_used = session.last_used().elapsed() < IDLE;
            if !is_used {
                over.push(id.clone());
            }
            is_used
        });
        if sessions.len() >= SESSIONS
            && let Some(oldest) = sessions.values().min_by_key(|session| session.last_used())
        {
            let oldest = oldest.id.clone();
            sessions.remove(&oldest);
            over.push(oldest);
        }
        sessions.insert(session.id.clone(), session.clone());
        drop(sessions);
        over.iter().for_each(|id| ended(id));
        Some(session)
    }

    /// The session of this id, which is used by that.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.locked().get(id).cloned()?;
        session.touch();
        Some(session)
    }

    pub(crate) fn remove(&self, id: &str) {
        self.locked().remove(id);
    }

    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.locked().values().cloned().collect()
    }

    pub(crate) fn clear(&self) {
        self.locked().clear();
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id that cannot be guessed.
fn random_id() -> Option<Arc<str>> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    let mut id = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(id, "{byte:02x}");
    }
    Some(id.into())
}
