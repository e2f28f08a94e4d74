//! Entries on a Redis or Valkey server, or a cluster of them, that any number of gateways share.
//!
//! ```text
//! tokenforge:1:key               32 random bytes under which references are made
//! tokenforge:1:complete          how often the server had evicted entries, and since when
//! tokenforge:1:epoch             32 random bytes, which are others after the server lost its data
//! tokenforge:1:7f03...original   a checksum, then the bytes; expires a lifetime after the last use
//! ```
//!
//! The server bounds what is kept: with `maxmemory-policy volatile-lru` the entries unused for longest make room, and
//! the key, which has no lifetime, stays; a server that lost it all the same is given it again. Such a server cannot promise
//! to keep an entry, so it pins nothing; one that evicts nothing does (`noeviction`, or no `maxmemory`). To pin without a
//! lifetime under `volatile-lru` was considered: the server would not evict such entries, and nothing would remove them.
//! `GETEX` asks for Redis 6.2 or any Valkey.
//!
//! A gateway waits for this store, so no call waits long: an answer that does not come in time is an error, and after
//! an error calls fail at once for a while.

mod completeness;
mod connection;
mod eviction_policy;
mod key_agreement;
mod pool;
mod scan;
mod servers;

pub use servers::RedisServers;

use crate::address::EntryAddress;
use crate::{EntryKind, Store, StoreError, StoreOptions, StoreStats, entry, key};
use ::redis::{Cmd, Value};
use completeness::LossCounter;
use connection::ServerReply;
use pool::ConnectionPool;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number is the version of all this.
const PREFIX: &str = "tokenforge:1:";
/// How long a call waits for a server.
const PATIENCE: Duration = Duration::from_millis(250);

/// A store that is shared over the network.
pub struct RedisStore {
    pool: Arc<ConnectionPool>,
    settings: StoreOptions,
    /// It was noted since when entries are kept.
    has_begun: AtomicBool,
    losses: LossCounter,
}

impl RedisStore {
    /// The store on these servers. They are asked when something is put or had: that they cannot be reached now is no
    /// error.
    pub fn new(servers: RedisServers, settings: StoreOptions) -> Self {
        let pool = Arc::new(ConnectionPool::new(servers, PATIENCE));
        Self { pool, settings, has_begun: AtomicBool::new(false), losses: LossCounter::default() }
    }

    /// The same store, in which a call waits this long for an answer, and not the 250 ms that a request can spare.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { pool: Arc::new(ConnectionPool::new(self.pool.servers().clone(), patience)), ..self }
    }

    /// Has the server note since when entries are kept there, with the first that this process puts. A note that is there
    /// stays. Where it fails, the next put tries again.
    fn begin_record(&self) {
        if !self.has_begun.swap(true, Ordering::Relaxed) && self.epoch().is_err() {
            self.has_begun.store(false, Ordering::Relaxed);
        }
    }

    fn refusal(&self, error: ::redis::RedisError) -> StoreError {
        self.pool.servers().error(error)
    }
}

impl Store for RedisStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.put_all(kind, tenant, &[(id, bytes)])
    }

    /// An entry is pinned where the server evicts nothing. How much it takes is the server's to bound: when it is full it
    /// refuses all entries, pinned or not.
    fn pin(&self, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        eviction_policy::check_keeps_entries(&self.pool)?;
        self.put(EntryKind::Original, tenant, id, bytes)
    }

    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.get_all(kind, tenant, &[id])?.pop().flatten())
    }

    fn put_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        entries: &[(&str, &[u8])],
    ) -> Result<(), StoreError> {
        let lifetime = milliseconds(self.settings.lifetime(kind));
        let set = |(id, bytes): &(&str, &[u8])| {
            let address = EntryAddress::of(kind, tenant, id)?;
            let value = [&entry::header(&address, bytes), *bytes].concat();
            let mut set = command("SET", &key_name(&address));
            set.arg(value).arg("PX").arg(lifetime);
            Ok(set)
        };
        let mut commands: Vec<Cmd> = entries.iter().map(set).collect::<Result<_, StoreError>>()?;
        // Data may be lost without a connection, and a reference is of use only under the key that all have.
        let agreement = self.pool.agreement();
        let proposal = (kind == EntryKind::Original).then(|| agreement.proposal()).flatten();
        commands.extend(proposal.iter().flatten().cloned());
        let mut replies = self.pool.ask(&commands)?;
        self.begin_record();
        let agreed = replies.split_off(entries.len());
        if proposal.is_some() {
            agreement.adopt(agreed);
        }
        replies
            .into_iter()
            .try_for_each(|reply| reply.map(drop))
            .map_err(|error| self.refusal(error))
    }

    fn get_all(
        &self,
        kind: EntryKind,
        tenant: &str,
        ids: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let addresses: Vec<EntryAddress> = ids
            .iter()
            .map(|id| EntryAddress::of(kind, tenant, id))
            .collect::<Result<_, StoreError>>()?;
        let lifetime = milliseconds(self.settings.lifetime(kind));
        let get = |address: &EntryAddress| {
            let mut get = command("GETEX", &key_name(address));
            get.arg("PX").arg(lifetime);
            get
        };
        let replies = self.pool.ask(&addresses.iter().map(get).collect::<Vec<_>>())?;
        let found = addresses.iter().zip(replies).map(|(address, reply)| {
            let contents = bytes(reply).map_err(|error| self.refusal(error))?;
            Ok(contents.and_then(|contents| entry::verify(address, contents)))
        });
        found.collect()
    }

    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        let lifetime = milliseconds(self.settings.lifetime(kind));
        let mut set = command("SET", &key_name(&address));
        set.arg([&entry::header(&address, bytes), bytes].concat());
        set.arg("NX").arg("PX").arg(lifetime);
        let mut replies = self.pool.ask(&[set])?;
        self.begin_record();
        match replies.pop().unwrap_or(Ok(Value::Nil)).map_err(|error| self.refusal(error))? {
            Value::Nil => {}
            _ => return Ok(None),
        }
        match self.get(kind, tenant, id)? {
            Some(kept) => Ok(Some(kept)),
            // Damaged, or its lifetime ended just now.
            None => self.put(kind, tenant, id, bytes).map(|()| None),
        }
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn has_epoch(&self) -> bool {
        !self.pool.servers().is_cluster()
    }

    fn epoch(&self) -> Result<Option<u64>, StoreError> {
        self.losses.count(&self.pool)
    }

    fn complete_for(&self) -> Result<Option<Duration>, StoreError> {
        let since = completeness::since(&self.pool)?;
        Ok(since.map(|since| since.elapsed().unwrap_or_default()))
    }

    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        let address = EntryAddress::of(kind, tenant, id)?;
        let mut replies = self.pool.ask(&[command("UNLINK", &key_name(&address))])?;
        let removed =
            replies.pop().unwrap_or(Ok(Value::Nil)).map_err(|error| self.refusal(error))?;
        Ok(removed == Value::Int(1))
    }

    /// Exact, but for entries that come and go meanwhile.
    fn stats(&self) -> Result<StoreStats, StoreError> {
        scan::stats(&self.pool)
    }

    /// When an entry was last used is known from what remains of its lifetime, as these settings have it.
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        let removed = scan::purge(&self.pool, &self.settings, kind, unused_for)?;
        self.pool.ask(&completeness::begin_anew())?;
        Ok(removed)
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        if let Some(key) = self.settings.key {
            return Ok(key);
        }
        let agreement = self.pool.agreement();
        let known = agreement.known_key();
        let mut replies =
            self.pool.ask(&key_agreement::proposing(&known.map_or_else(key::random, Ok)?))?;
        let kept = replies.pop().unwrap_or(Ok(Value::Nil));
        let kept = bytes(kept).map_err(|error| self.refusal(error))?.unwrap_or_default();
        match replies.pop() {
            Some(Err(error)) if kept.is_empty() => return Err(self.refusal(error)),
            _ => {}
        }
        let place = format!("{} at {}", key_agreement::reference_key_name(), self.pool.servers());
        key::read_key(place, &kept).inspect(|key| agreement.learn(*key))
    }

    fn known_key(&self) -> Option<[u8; 32]> {
        self.pool.agreement().known_key()
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("servers", self.pool.servers())
            .field("settings", &self.settings)
            .finish()
    }
}

fn key_name(address: &EntryAddress) -> String {
    format!("{PREFIX}{address}")
}

fn command(name: &str, key: &str) -> Cmd {
    let mut command = ::redis::cmd(name);
    command.arg(key);
    command
}

/// What the server takes: at least one, and no number it would overflow with.
fn milliseconds(lifetime: Duration) -> u64 {
    lifetime.as_millis().clamp(1, 1 << 50) as u64
}

/// The bytes in a reply. What is not a string was put there by another program: it is no entry.
fn bytes(reply: ServerReply) -> ::redis::RedisResult<Option<Vec<u8>>> {
    match reply {
        Ok(Value::BulkString(bytes)) => Ok(Some(bytes)),
        Ok(_) => Ok(None),
        Err(error) if error.code() == Some("WRONGTYPE") => Ok(None),
        Err(error) => Err(error),
    }
}
