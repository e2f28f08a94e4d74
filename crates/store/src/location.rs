//! Store URLs: where a store is, as one text says it.

use crate::{DiskStore, MemoryStore, Store, StoreError, StoreOptions};
#[cfg(feature = "redis")]
use crate::{RedisServers, RedisStore};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Opens the store at a location.
///
/// ```
/// use tokenforge_store::{EntryKind, StoreOptions, open};
///
/// let store = open("memory:", StoreOptions::MEMORY)?;
/// store.put(EntryKind::Original, "tenant", "shadow_abc", b"a long tool output")?;
/// # Ok::<(), tokenforge_store::StoreError>(())
/// ```
pub fn open(url: &str, settings: StoreOptions) -> Result<Arc<dyn Store>, StoreError> {
    url.parse::<StoreLocation>()?.open(settings)
}

/// Where a store is. [`Display`](fmt::Display) writes it without credentials.
#[derive(Debug, Clone)]
pub enum StoreLocation {
    /// `memory:`, in this process.
    Memory,
    /// `disk:PATH`, in a folder.
    Disk(PathBuf),
    /// `redis://HOST:PORT/DB`, `rediss://` with TLS, or `redis+cluster://HOST:PORT,HOST:PORT`.
    #[cfg(feature = "redis")]
    Redis(RedisServers),
}

impl StoreLocation {
    /// The settings of a store there, unless a person chose others.
    pub fn default_settings(&self) -> StoreOptions {
        match self {
            Self::Memory => StoreOptions::MEMORY,
            _ => StoreOptions::DISK,
        }
    }

    /// Opens the store. Servers that cannot be reached now are no error.
    pub fn open(self, settings: StoreOptions) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match self {
            Self::Memory => Arc::new(MemoryStore::new(settings)),
            Self::Disk(folder) => Arc::new(DiskStore::open(folder, settings)?),
            #[cfg(feature = "redis")]
            Self::Redis(servers) => Arc::new(RedisStore::new(servers, settings)),
        })
    }
}

impl FromStr for StoreLocation {
    type Err = StoreError;

    fn from_str(url: &str) -> Result<Self, StoreError> {
        let bad = |reason: &str| StoreError::BadLocation { reason: reason.to_owned() };
        let (scheme, rest) =
            url.split_once(':').ok_or_else(|| bad("nothing stands before a colon"))?;
        match scheme {
            "memory" if rest.is_empty() => Ok(Self::Memory),
            "memory" => Err(bad("something stands after memory:")),
            "disk" if rest.is_empty() => Err(bad("no path stands after disk:")),
            "disk" => Ok(Self::Disk(rest.into())),
            _ if scheme.starts_with("redis") || scheme.starts_with("valkey") => on_servers(url),
            _ => Err(bad("the word before the colon is unknown")),
        }
    }
}

#[cfg(feature = "redis")]
fn on_servers(url: &str) -> Result<StoreLocation, StoreError> {
    url.parse().map(StoreLocation::Redis)
}

#[cfg(not(feature = "redis"))]
fn on_servers(_: &str) -> Result<StoreLocation, StoreError> {
    Err(StoreError::NoRedis)
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::Disk(folder) => write!(f, "disk:{}", folder.display()),
            #[cfg(feature = "redis")]
            Self::Redis(servers) => servers.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_shown_as_it_is_written_but_for_credentials() {
        for (url, shown) in [
            ("memory:", "memory:"),
            ("disk:/var/lib/tokenforge", "disk:/var/lib/tokenforge"),
            ("disk:a folder", "disk:a folder"),
            ("redis://:secret@host:1/2", "redis://host:1/2"),
            ("redis+cluster://a:1,b:2/", "redis+cluster://a:1,b:2/0"),
        ] {
            assert_eq!(url.parse::<StoreLocation>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_location_is_refused_and_not_repeated() {
        for url in [
            "",
            "secret",
            "memory:secret",
            "disk:",
            "http://secret",
            "redis:secret",
            "redist://secret",
        ] {
            let error = url.parse::<StoreLocation>().unwrap_err().to_string();
            assert!(error.starts_with("not a store: ") && !error.contains("secret"), "{error}");
            assert!(error.contains("expected memory:, disk:PATH, redis://"), "{error}");
        }
    }
}
