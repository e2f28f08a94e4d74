//! Idle connections, kept alive (keep-alive) for the next request to the same upstream, and their eviction; and those of
//! HTTP/2, which many requests share.

use super::{Error, UpstreamConnection};
use foldhash::fast::RandomState;
use http::Uri;
use http::uri::{Authority, Scheme};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How often idle connections are looked at.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);

/// A connection that was idle for so many sweeps is closed: after a minute at most.
pub(super) const MAX_IDLE_SWEEPS: u8 = 4;

/// Whom a connection leads to. Compared as it is written: another spelling is another key, and found as quickly. It keeps
/// no path: that is part of the buffer which a request was read into, and a stream has this for as long as it lasts.
#[derive(Debug, Clone)]
pub(super) struct PoolKey {
    is_encrypted: bool,
    authority: Authority,
}

impl PoolKey {
    pub(super) fn of(address: &Uri) -> Result<Self, Error> {
        let authority = address.authority().ok_or("the address has no host")?.clone();
        Ok(PoolKey { is_encrypted: address.scheme() == Some(&Scheme::HTTPS), authority })
    }

    fn as_written(&self) -> (bool, &str) {
        (self.is_encrypted, self.authority.as_str())
    }
}

impl PartialEq for PoolKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_written() == other.as_written()
    }
}

impl Eq for PoolKey {}

impl Hash for PoolKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_written().hash(state);
    }
}

/// Connections by where they lead to.
pub(super) struct IdleConnections {
    by_key: Mutex<ByKey>,
    /// So many under each key.
    most: usize,
}

type ByKey = HashMap<PoolKey, Vec<IdleConnection>, RandomState>;

struct IdleConnection {
    connection: UpstreamConnection,
    /// How many sweeps found it idle.
    sweeps: u8,
}

impl IdleConnections {
    /// Keeps up to `most` connections under each key. Must be called in a runtime.
    pub(super) fn new(most: usize) -> Arc<Self> {
        let idle = Arc::new(IdleConnections { by_key: Mutex::default(), most });
        tokio::spawn(sweep_periodically(Arc::downgrade(&idle)));
        idle
    }

    /// The connection that was used last. One that takes one request at a time may have been closed meanwhile: that shows
    /// when it is used, and it gives the request back.
    pub(super) fn take(&self, key: &PoolKey) -> Option<UpstreamConnection> {
        let mut by_key = self.by_key();
        let stack = by_key.get_mut(key)?;
        while let Some(IdleConnection { mut connection, .. }) = stack.pop() {
            let Some(shared) = connection.share() else { return Some(connection) };
            if connection.is_ready() {
                stack.push(IdleConnection { connection: shared, sweeps: 0 });
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection, if it can be used and there is room for it.
    pub(super) fn put(&self, key: &PoolKey, mut connection: UpstreamConnection) {
        if !connection.is_ready() {
            return;
        }
        let mut by_key = self.by_key();
        let stack = match by_key.get_mut(key) {
            Some(stack) => stack,
            None => by_key.entry(key.clone()).or_default(),
        };
        let is_shared =
            |connection: &UpstreamConnection| matches!(connection, UpstreamConnection::Http2(_));
        if is_shared(&connection) {
            stack.retain(|idle| !is_shared(&idle.connection));
        }
        if stack.len() < self.most {
            stack.push(IdleConnection { connection, sweeps: 0 });
        }
    }

    /// Evicts what was idle for too long, and what is closed.
    pub(super) fn sweep(&self) {
        self.by_key().retain(|_, stack| {
            stack.retain_mut(|idle| {
                idle.sweeps += 1;
                idle.sweeps < MAX_IDLE_SWEEPS && idle.connection.is_ready()
            });
            !stack.is_empty()
        });
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.by_key().values().map(Vec::len).sum()
    }

    /// Can none of them be used any more?
    #[cfg(test)]
    pub(super) fn are_closed(&self) -> bool {
        !self.by_key().values_mut().flatten().any(|idle| idle.connection.is_ready())
    }

    fn by_key(&self) -> MutexGuard<'_, ByKey> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes connections that are unused for too long, as long as there is a pool.
async fn sweep_periodically(idle: Weak<IdleConnections>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        match idle.upgrade() {
            Some(idle) => idle.sweep(),
            None => return,
        }
    }
}
