//! Connections that nobody uses, and those that many use.

use super::{Connection, Error};
use http::Uri;
use http::uri::{Authority, Scheme};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How often it is looked for connections that nobody uses.
const ROUND: Duration = Duration::from_secs(15);

/// A connection that lay there for so many rounds is closed: after a minute at most.
pub(super) const ROUNDS: u8 = 4;

/// Whom a connection leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    is_encrypted: bool,
    authority: Authority,
}

impl Place {
    pub(super) fn of(address: &Uri) -> Result<Self, Error> {
        let authority = address.authority().ok_or("the address has no host")?.clone();
        Ok(Place { is_encrypted: address.scheme() == Some(&Scheme::HTTPS), authority })
    }
}

/// Connections by where they lead to.
pub(super) struct Kept {
    shelves: Mutex<HashMap<Place, Vec<Idle>>>,
    /// So many to each place.
    most: usize,
}

struct Idle {
    connection: Connection,
    /// How many rounds it lies there.
    rounds: u8,
}

impl Kept {
    /// Keeps up to `most` connections to each place. Must be called in a runtime.
    pub(super) fn new(most: usize) -> Arc<Self> {
        let kept = Arc::new(Kept { shelves: Mutex::default(), most });
        tokio::spawn(make_rounds(Arc::downgrade(&kept)));
        kept
    }

    /// The connection that was used last, of those that can be used now.
    pub(super) fn take(&self, place: &Place) -> Option<Connection> {
        let mut shelves = self.shelves();
        let shelf = shelves.get_mut(place)?;
        let latest = shelf.iter().rposition(|idle| idle.connection.is_ready())?;
        let idle = shelf.get_mut(latest)?;
        idle.rounds = 0;
        idle.connection.shared().or_else(|| Some(shelf.remove(latest).connection))
    }

    /// Keeps a connection, if there is room for it.
    pub(super) fn put(&self, place: &Place, connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let mut shelves = self.shelves();
        let shelf = match shelves.get_mut(place) {
            Some(shelf) => shelf,
            None => shelves.entry(place.clone()).or_default(),
        };
        let idle = Idle { connection, rounds: 0 };
        let is_shared = |idle: &Idle| matches!(idle.connection, Connection::Http2(_));
        if shelf.len() >= self.most || is_shared(&idle) {
            shelf.retain(|idle| !idle.connection.is_closed());
        }
        let has_one = is_shared(&idle) && shelf.iter().any(is_shared);
        if shelf.len() < self.most && !has_one {
            shelf.push(idle);
        }
    }

    /// Closes what nobody used for long, and forgets what is closed.
    pub(super) fn round(&self) {
        self.shelves().retain(|_, shelf| {
            shelf.retain_mut(|idle| {
                idle.rounds += 1;
                idle.rounds < ROUNDS && !idle.connection.is_closed()
            });
            !shelf.is_empty()
        });
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.shelves().values().map(Vec::len).sum()
    }

    /// Is every one of them closed?
    #[cfg(test)]
    pub(super) fn are_closed(&self) -> bool {
        self.shelves().values().flatten().all(|idle| idle.connection.is_closed())
    }

    fn shelves(&self) -> MutexGuard<'_, HashMap<Place, Vec<Idle>>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for connections that nobody uses, as long as there is a pool.
async fn make_rounds(kept: Weak<Kept>) {
    loop {
        tokio::time::sleep(ROUND).await;
        match kept.upgrade() {
            Some(kept) => kept.round(),
            None => return,
        }
    }
}
