//! A connection pool with a circuit breaker: idle connections, and what is known of an outage.
//!
//! A caller has a connection to itself, so calls do not wait for each other. After an error that was not the server's
//! own the circuit is open: calls fail at once for a second, so that an outage costs one request its patience and not every
//! request. Then it is half open: one call tries again, while the others still fail at once.

use super::connection::{RedisConnection, ServerReply};
use super::key_agreement::KeyAgreement;
use super::servers::RedisServers;
use crate::StoreError;
use redis::{Cmd, RedisError, RedisResult};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long calls fail at once after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// More connections than these are closed after use.
const MAX_IDLE: usize = 16;

pub(super) struct ConnectionPool {
    servers: RedisServers,
    patience: Duration,
    state: Mutex<PoolState>,
    agreement: KeyAgreement,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<RedisConnection>,
    outage: Option<OpenCircuit>,
}

/// The circuit breaker after a failure.
struct OpenCircuit {
    reason: String,
    ask_again: Instant,
}

impl ConnectionPool {
    pub(super) fn new(servers: RedisServers, patience: Duration) -> Self {
        Self { servers, patience, state: Mutex::default(), agreement: KeyAgreement::default() }
    }

    pub(super) fn servers(&self) -> &RedisServers {
        &self.servers
    }

    /// What is known of the key that is kept there.
    pub(super) fn agreement(&self) -> &KeyAgreement {
        &self.agreement
    }

    /// Sends commands and returns the replies, in their order.
    pub(super) fn ask(self: &Arc<Self>, commands: &[Cmd]) -> Result<Vec<ServerReply>, StoreError> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        self.with_link(|link| link.ask(commands))
    }

    /// Does something over a connection. It may be begun twice.
    pub(super) fn with_link<T>(
        self: &Arc<Self>,
        work: impl Fn(&mut RedisConnection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        if let Some(mut link) = self.idle_link()? {
            match work(&mut link) {
                Ok(done) => return Ok(self.put_back(link, done)),
                // The server was restarted since, or it closes what is idle: the others are closed too. Or a signal
                // interrupted a read, which the kernel does not restart where it has a timeout.
                Err(error) if error.is_io_error() && !error.is_timeout() => {
                    self.state().idle.clear();
                }
                Err(error) => return Err(self.open_circuit(&error)),
            }
        }
        let done = self.connect().and_then(|mut link| {
            let done = work(&mut link)?;
            Ok(self.put_back(link, done))
        });
        done.map_err(|error| self.open_circuit(&error))
    }

    /// A connection that is there, if there is one; an error in an outage.
    fn idle_link(&self) -> Result<Option<RedisConnection>, StoreError> {
        let mut state = self.state();
        if let Some(outage) = &mut state.outage {
            let now = Instant::now();
            if now < outage.ask_again {
                let reason = format!("{}; not asked again yet", outage.reason);
                return Err(self.servers.error(reason));
            }
            // This call tries; until it is done the others do not.
            outage.ask_again = now + PAUSE;
        }
        Ok(state.idle.pop())
    }

    /// A new connection. A thread makes it, because looking up a name has no time limit; one that comes too late for
    /// this call is there for the next.
    fn connect(self: &Arc<Self>) -> RedisResult<RedisConnection> {
        let (sender, receiver) = mpsc::sync_channel(0);
        let pool = Arc::clone(self);
        let make = move || {
            let made = pool.servers.connect(pool.patience);
            let made = made.and_then(|link| pool.agreement.renew_over(link));
            if let Err(mpsc::SendError(Ok(late))) = sender.send(made) {
                pool.put_back(late, ());
            }
        };
        thread::Builder::new().name("store-connect".to_owned()).spawn(make)?;
        receiver.recv_timeout(self.patience).unwrap_or_else(|_| {
            let reason = format!("no connection within {} ms", self.patience.as_millis());
            Err(RedisError::from(io::Error::new(io::ErrorKind::TimedOut, reason)))
        })
    }

    /// Keeps a connection that is in order, which is the end of an outage.
    fn put_back<T>(&self, link: RedisConnection, done: T) -> T {
        let mut state = self.state();
        state.outage = None;
        if state.idle.len() < MAX_IDLE {
            state.idle.push(link);
        }
        done
    }

    fn open_circuit(&self, error: &RedisError) -> StoreError {
        let reason = error.to_string();
        let mut state = self.state();
        state.idle.clear();
        state.outage =
            Some(OpenCircuit { reason: reason.clone(), ask_again: Instant::now() + PAUSE });
        self.servers.error(reason)
    }

    /// No operation can leave the state half changed, so a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
