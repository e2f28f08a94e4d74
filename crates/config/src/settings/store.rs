//! Where originals and remembered results are kept.

use super::Choice;
use crate::Secret;
use crate::secret::MASK;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The store and its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// Which store.
    pub url: StoreUrl,
    /// How long an original can be fetched back after its last use.
    pub original_ttl: Duration,
    /// How long a remembered result is used again after its last use.
    pub compressed_ttl: Duration,
    /// Which tool results are kept.
    pub keep: KeptResults,
    /// How many bytes it may hold, if not as many as a store of its kind usually does; Redis has its own bound.
    pub max_bytes: Option<usize>,
    /// The key that references are signed with; without it, one that the store keeps.
    pub key: Option<Secret>,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        StoreSettings {
            url: StoreUrl::Memory,
            original_ttl: day,
            compressed_ttl: day,
            keep: KeptResults::default(),
            max_bytes: None,
            key: None,
        }
    }
}

/// Which tool results are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeptResults {
    /// Those that something was left out of.
    #[default]
    Referenced,
    /// All of a conversation whose model can ask for them, so that it finds what its client has cleared since.
    All,
}

impl Choice for KeptResults {
    const ALL: &'static [Self] = &[Self::Referenced, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Referenced => "referenced",
            Self::All => "all",
        }
    }
}

/// Which store, as one address. Shown without a password.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// `memory:`, gone with the process.
    Memory,
    /// `disk:PATH`, a folder.
    Disk(PathBuf),
    /// `redis://`, `rediss://` or `redis+cluster://`: Redis or Valkey, shared by many gateways.
    Redis(Secret),
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::Disk(path) => write!(f, "disk:{}", path.display()),
            Self::Redis(url) => f.write_str(&without_password(url.expose())),
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The address with what stands before its last `@` masked, and without the query: both may hold a password.
fn without_password(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{MASK}@{place}"),
        _ => url.to_owned(),
    }
}
