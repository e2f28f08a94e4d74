//! Since when a server has evicted nothing: how often it did, by its own count, beside the time when that was seen first.
//!
//! The count starts anew with the server, which may have lost entries then, so the name of the server's run stands beside it.
//!
//! Whether the server lost its data is told by another note, the mark, which stays when evictions are counted: what a server
//! evicts one by one is no reason to store everything again.

use super::{PREFIX, bytes, command};
use crate::redis::pool::ConnectionPool;
use crate::{StoreError, key};
use ::redis::{Cmd, RedisError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Since when, if the server says so. Those of a cluster have a count each, and are not asked.
pub(super) fn since(pool: &Arc<ConnectionPool>) -> Result<Option<SystemTime>, StoreError> {
    if pool.servers().is_cluster() {
        return Ok(None);
    }
    let refusal = |error: RedisError| pool.servers().error(error);
    let mut replies = pool.ask(&[::redis::cmd("INFO"), command("GET", &name())])?;
    let noted = bytes(replies.pop().unwrap_or(Ok(::redis::Value::Nil))).map_err(refusal)?;
    let info = bytes(replies.pop().unwrap_or(Ok(::redis::Value::Nil))).map_err(refusal)?;
    let Some(evictions) = info.and_then(|info| evictions(&String::from_utf8_lossy(&info))) else {
        return Ok(None);
    };
    if let Some(since) = noted.as_deref().and_then(|noted| read_note(noted, &evictions)) {
        return Ok(Some(since));
    }
    let now = SystemTime::now();
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut set = command("SET", &name());
    set.arg(format!("{evictions} {seconds}"));
    if noted.is_none() {
        // Of several replicas that begin at once, the first says since when.
        set.arg("NX");
    }
    pool.ask(&[set])?;
    Ok(Some(now))
}

/// Counts how often a server lost its entries since this process first asked: the mark is lost with them.
#[derive(Default)]
pub(super) struct LossCounter(Mutex<SeenMark>);

#[derive(Default)]
struct SeenMark {
    mark: Option<Vec<u8>>,
    losses: u64,
}

impl LossCounter {
    /// How often it did by now. `None`: the servers of a cluster lose entries one by one, which no mark shows.
    pub(super) fn count(&self, pool: &Arc<ConnectionPool>) -> Result<Option<u64>, StoreError> {
        if pool.servers().is_cluster() {
            return Ok(None);
        }
        let mut mark = read_mark(pool)?;
        let is_missing = mark.is_none();
        if is_missing {
            // A server without its data is as old as its first entry.
            since(pool)?;
            let mut set = command("SET", &mark_name());
            // Of several replicas that miss it at once, the first draws it.
            set.arg(&key::random()?[..]).arg("NX");
            pool.ask(&[set])?;
            mark = read_mark(pool)?;
        }
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_changed = is_missing || seen.mark != mark;
        seen.losses += u64::from(has_changed && seen.mark.is_some());
        seen.mark = mark;
        Ok(Some(seen.losses))
    }
}

fn read_mark(pool: &Arc<ConnectionPool>) -> Result<Option<Vec<u8>>, StoreError> {
    let reply = pool.ask(&[command("GET", &mark_name())])?.pop();
    bytes(reply.unwrap_or(Ok(::redis::Value::Nil))).map_err(|error| pool.servers().error(error))
}

/// What has both begin anew: entries are removed. The servers of a cluster take one name at a time.
pub(super) fn begin_anew() -> [Cmd; 2] {
    [command("UNLINK", &name()), command("UNLINK", &mark_name())]
}

fn name() -> String {
    format!("{PREFIX}complete")
}

fn mark_name() -> String {
    format!("{PREFIX}epoch")
}

/// The server's run and how many entries it has evicted in it.
fn evictions(info: &str) -> Option<String> {
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
    Some(format!("{} {}", field("run_id:")?.trim(), field("evicted_keys:")?.trim()))
}

fn read_note(noted: &[u8], evictions: &str) -> Option<SystemTime> {
    let seconds = str::from_utf8(noted).ok()?.strip_prefix(evictions)?.strip_prefix(' ')?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))
}
