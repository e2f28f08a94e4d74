//! Whether a server evicts entries before their lifetime is over, by its own word.
//!
//! `INFO` says it. Providers of managed servers often forbid `CONFIG GET`, which would too. It is asked at every pin, because
//! an operator may change it while the server runs, and few conversations need pins.

use super::bytes;
use super::pool::ConnectionPool;
use crate::StoreError;
use std::sync::Arc;

/// Checks that a server keeps every entry for its lifetime.
///
/// # Errors
/// It may evict entries, or it cannot be asked. The servers of a cluster have a policy each, and are not asked.
pub(super) fn check_keeps_entries(pool: &Arc<ConnectionPool>) -> Result<(), StoreError> {
    let cannot_pin = |reason: String| Err(StoreError::CannotPin { reason });
    if pool.servers().is_cluster() {
        return cannot_pin(format!(
            "{} is a cluster, whose servers may each evict entries",
            pool.servers()
        ));
    }
    let mut info = ::redis::cmd("INFO");
    info.arg("memory");
    let reply = pool.ask(&[info])?.pop().unwrap_or(Ok(::redis::Value::Nil));
    let info = bytes(reply).map_err(|error| pool.servers().error(error))?.unwrap_or_default();
    match evicting_policy(&String::from_utf8_lossy(&info)) {
        None => Ok(()),
        Some(policy) => cannot_pin(format!(
            "{} may evict it, as its maxmemory-policy is {policy}; with noeviction it could not",
            pool.servers()
        )),
    }
}

/// The policy by which entries are evicted, if they are. One that the server does not name is taken for such a policy.
fn evicting_policy(info: &str) -> Option<&str> {
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let is_unlimited = field("maxmemory:") == Some("0");
    match field("maxmemory_policy:") {
        Some("noeviction") => None,
        Some(_) if is_unlimited => None,
        policy => Some(policy.unwrap_or("unknown")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g84_a_server_that_may_evict_or_does_not_say_is_not_trusted() {
        let info = |limit: &str, policy: &str| {
            format!("# Memory\r\nmaxmemory:{limit}\r\nmaxmemory_policy:{policy}\r\n")
        };
        for (info, expected) in [
            (info("0", "noeviction"), None),
            (info("0", "allkeys-lru"), None),
            (info("1000000", "noeviction"), None),
            (info("1000000", "volatile-lru"), Some("volatile-lru")),
            (info("1000000", "allkeys-lfu"), Some("allkeys-lfu")),
            ("# Memory\r\n".to_owned(), Some("unknown")),
        ] {
            assert_eq!(evicting_policy(&info), expected, "{info}");
        }
    }
}
