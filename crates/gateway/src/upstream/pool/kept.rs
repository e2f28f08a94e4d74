//! Connections that nobody uses, and those that many use.

use super::{Connection, Error};
use foldhash::fast::RandomState;
use http::Uri;
use http::uri::{Authority, Scheme};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How often it is looked for connections that nobody uses.
const ROUND: Duration = Duration::from_secs(15);

/// A connection that lay there for so many rounds is closed: after a minute at most.
pub(super) const ROUNDS: u8 = 4;

/// Whom a connection leads to. Compared as it is written: another spelling is another place, and found as quickly. It keeps
/// no path: that is part of the buffer which a request was read into, and a stream has this for as long as it lasts.
#[derive(Debug, Clone)]
pub(super) struct Place {
    is_encrypted: bool,
    authority: Authority,
}

impl Place {
    pub(super) fn of(address: &Uri) -> Result<Self, Error> {
        let authority = address.authority().ok_or("the address has no host")?.clone();
        Ok(Place { is_encrypted: address.scheme() == Some(&Scheme::HTTPS), authority })
    }

    fn written(&self) -> (bool, &str) {
        (self.is_encrypted, self.authority.as_str())
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.written() == other.written()
    }
}

impl Eq for Place {}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.written().hash(state);
    }
}

/// Connections by where they lead to.
pub(super) struct Kept {
    shelves: Mutex<Shelves>,
    /// So many to each place.
    most: usize,
}

type Shelves = HashMap<Place, Vec<Idle>, RandomState>;

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

    /// The connection that was used last. One that takes one request at a time may have been closed meanwhile: that shows
    /// when it is used, and it gives the request back.
    pub(super) fn take(&self, place: &Place) -> Option<Connection> {
        let mut shelves = self.shelves();
        let shelf = shelves.get_mut(place)?;
        while let Some(Idle { mut connection, .. }) = shelf.pop() {
            let Some(shared) = connection.shared() else { return Some(connection) };
            if connection.is_ready() {
                shelf.push(Idle { connection: shared, rounds: 0 });
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection, if it can be used and there is room for it.
    pub(super) fn put(&self, place: &Place, mut connection: Connection) {
        if !connection.is_ready() {
            return;
        }
        let mut shelves = self.shelves();
        let shelf = match shelves.get_mut(place) {
            Some(shelf) => shelf,
            None => shelves.entry(place.clone()).or_default(),
        };
        let is_shared = |connection: &Connection| matches!(connection, Connection::Http2(_));
        if is_shared(&connection) {
            shelf.retain(|idle| !is_shared(&idle.connection));
        }
        if shelf.len() < self.most {
            shelf.push(Idle { connection, rounds: 0 });
        }
    }

    /// Closes what nobody used for long, and forgets what is closed.
    pub(super) fn round(&self) {
        self.shelves().retain(|_, shelf| {
            shelf.retain_mut(|idle| {
                idle.rounds += 1;
                idle.rounds < ROUNDS && idle.connection.is_ready()
            });
            !shelf.is_empty()
        });
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.shelves().values().map(Vec::len).sum()
    }

    /// Can none of them be used any more?
    #[cfg(test)]
    pub(super) fn are_closed(&self) -> bool {
        !self.shelves().values_mut().flatten().any(|idle| idle.connection.is_ready())
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
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
