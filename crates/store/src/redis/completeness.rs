//! Since when a server has evicted nothing: how often it did, by its own count, beside the time when that was seen first.
//!
//! The count starts anew with the server, which may have lost entries then, so the name of the server's run stands beside it.

use super::{PREFIX, bytes, command};
use crate::StoreError;
use crate::redis::pool::ConnectionPool;
use ::redis::{Cmd, RedisError};
use std::sync::Arc;
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
    if let Some(since) = noted.and_then(|noted| read_note(&noted, &evictions)) {
        return Ok(Some(since));
    }
    let now = SystemTime::now();
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut set = command("SET", &name());
    set.arg(format!("{evictions} {seconds}"));
    pool.ask(&[set])?;
    Ok(Some(now))
}

/// What has it begin anew: entries are removed.
pub(super) fn begin_anew() -> Cmd {
    command("UNLINK", &name())
}

fn name() -> String {
    format!("{PREFIX}complete")
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
