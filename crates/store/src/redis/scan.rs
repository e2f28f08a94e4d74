//! SCAN over every entry on every server: to count them, and to remove some.
//!
//! `SCAN` shows each entry that is there all the time, and may show one twice when the server makes its table smaller
//! meanwhile. The servers of a cluster are asked one by one.

use super::connection::{NodeConnection, ServerReply};
use super::pool::ConnectionPool;
use super::{PREFIX, command};
use crate::{EntryKind, StoreError, StoreOptions, StoreStats, entry};
use redis::{Cmd, ConnectionInfo, RedisError, RedisResult, from_redis_value};
use std::sync::Arc;
use std::time::Duration;

/// How many names a server looks at before it serves others again.
const BATCH: usize = 1000;
/// No request waits for this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Counts the entries.
pub(super) fn stats(pool: &Arc<ConnectionPool>) -> Result<StoreStats, StoreError> {
    let mut stats = StoreStats::default();
    for_each_batch(pool, |node, found| {
        let lengths = numbers(node, "STRLEN", &found)?;
        for (ScannedEntry { kind, .. }, length) in found.iter().zip(lengths) {
            // Shorter than a header is what is gone by now, or was never ours.
            if let Ok(bytes) = u64::try_from(length - entry::HEADER as i64) {
                stats.add(*kind, bytes);
            }
        }
        Ok(())
    })?;
    Ok(stats)
}

/// Removes the entries that are meant. Tells how many.
pub(super) fn purge(
    pool: &Arc<ConnectionPool>,
    settings: &StoreOptions,
    kind: Option<EntryKind>,
    unused_for: Option<Duration>,
) -> Result<u64, StoreError> {
    let mut removed = 0;
    for_each_batch(pool, |node, mut found| {
        found.retain(|entry| kind.is_none_or(|kind| kind == entry.kind));
        if let Some(time) = unused_for {
            let remaining = numbers(node, "PTTL", &found)?;
            let with_remaining = found.into_iter().zip(remaining);
            found = with_remaining
                .filter(|(entry, remaining)| is_unused_for(time, entry.kind, *remaining, settings))
                .map(|(entry, _)| entry)
                .collect();
        }
        removed += numbers(node, "UNLINK", &found)?.into_iter().sum::<i64>() as u64;
        Ok(())
    })?;
    Ok(removed)
}

/// An entry has its whole lifetime left when it is used. A negative number says that it is gone, or lives for ever.
fn is_unused_for(time: Duration, kind: EntryKind, remaining: i64, settings: &StoreOptions) -> bool {
    let Ok(remaining) = u64::try_from(remaining) else { return false };
    settings.lifetime(kind).saturating_sub(Duration::from_millis(remaining)) >= time
}

struct ScannedEntry {
    kind: EntryKind,
    name: String,
}

impl ScannedEntry {
    /// The key has the prefix too, and is not an entry.
    fn from_name(name: Vec<u8>) -> Option<Self> {
        let name = String::from_utf8(name).ok()?;
        let kind = EntryKind::from_name(name.rsplit_once('.')?.1)?;
        Some(Self { kind, name })
    }
}

fn for_each_batch(
    pool: &Arc<ConnectionPool>,
    mut visit: impl FnMut(&mut NodeConnection, Vec<ScannedEntry>) -> RedisResult<()>,
) -> Result<(), StoreError> {
    let servers = pool.servers();
    let mut visit_server = |server: &ConnectionInfo| {
        let mut node = NodeConnection::connect(server, PATIENCE)?;
        let mut cursor = 0;
        loop {
            let found;
            (cursor, found) = batch(&mut node, cursor)?;
            visit(&mut node, found)?;
            if cursor == 0 {
                return Ok(());
            }
        }
    };
    let primaries = pool.with_link(|link| link.primaries(servers))?;
    primaries
        .iter()
        .try_for_each(&mut visit_server)
        .map_err(|error: RedisError| servers.error(error))
}

/// Some entries, and where to go on; zero is the beginning and the end.
fn batch(node: &mut NodeConnection, cursor: u64) -> RedisResult<(u64, Vec<ScannedEntry>)> {
    let mut scan = redis::cmd("SCAN");
    scan.arg(cursor).arg("MATCH").arg(format!("{PREFIX}*")).arg("COUNT").arg(BATCH);
    let (cursor, names): (u64, Vec<Vec<u8>>) = node.ask_one(&scan)?;
    Ok((cursor, names.into_iter().filter_map(ScannedEntry::from_name).collect()))
}

/// What the server says to a command about each entry. To a thing of another type than ours it says no: that is zero.
fn numbers(
    node: &mut NodeConnection,
    about: &str,
    found: &[ScannedEntry],
) -> RedisResult<Vec<i64>> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let commands: Vec<Cmd> = found.iter().map(|entry| command(about, &entry.name)).collect();
    let number = |reply: ServerReply| match reply {
        Err(error) if error.code() == Some("WRONGTYPE") => Ok(0),
        reply => Ok(from_redis_value(reply?)?),
    };
    node.ask(&commands)?.into_iter().map(number).collect()
}
