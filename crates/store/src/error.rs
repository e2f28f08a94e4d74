//! The errors of a store: what can go wrong, with what a person needs to put it right.

use std::io;
use std::path::{Path, PathBuf};

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {operation} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        operation: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// More is written than makes room, and the bound would not hold.
    #[error(
        "the store is full, and room is only being made: {limit} bytes were written since that began"
    )]
    Full {
        /// How much may be written meanwhile.
        limit: u64,
    },
    /// The system gave no thread to make room on, or it ended before its time.
    #[error("cannot make room in the store: {0}")]
    NoSweep(io::Error),
    /// A store of the caller's own failed.
    #[error("the store that was given failed: {reason}")]
    Callback {
        /// What it said.
        reason: String,
    },
    /// The id could not have come from us.
    #[error("`{id}` is not an id: expected 1 to 128 characters out of A-Z, a-z, 0-9, `_` and `-`")]
    BadId {
        /// The id, or its beginning.
        id: String,
    },
    /// The entry alone is more than the store may hold.
    #[error("an entry of {bytes} bytes is more than this store takes: {limit} bytes")]
    TooLarge {
        /// What the entry would take up.
        bytes: u64,
        /// The largest size.
        limit: u64,
    },
    /// The tenant has pinned as much as it may.
    #[error(
        "cannot pin an entry of {bytes} bytes: this tenant has pinned {pinned} of {limit} bytes, its share of the store; a larger store has larger shares"
    )]
    PinsFull {
        /// The size of the entry in the store.
        bytes: u64,
        /// How much the tenant has pinned.
        pinned: u64,
        /// Its share, beside the pins of other tenants.
        limit: u64,
    },
    /// The store cannot promise that an entry stays for its lifetime.
    #[error("cannot pin an entry: {reason}")]
    CannotPin {
        /// Why not, and what would help.
        reason: String,
    },
    /// A store on a server, in a build without that.
    #[error(
        "stores on Redis are the feature `redis` of tokenforge-store, which this build leaves out"
    )]
    NoRedis,
    /// The key was damaged. It is not replaced silently: references made with it would no longer be known.
    #[error(
        "{place} holds {length} bytes, not a key of 32: restore it, or remove it to start anew"
    )]
    BadKey {
        /// The file of the key, or its name on a server.
        place: String,
        /// Its size.
        length: usize,
    },
    /// No place for the key is configured, and without it no reference is worth anything after a restart.
    #[error("there is no place for the key of references: {reason}")]
    NoKey {
        /// Why not, and what would be a place.
        reason: String,
    },
    /// The folder was made by a version of Tokenforge that came later, or its version file was damaged.
    #[error("{} says `{found}`, and this version of Tokenforge knows `{known}`: use a newer one, or another folder", path.display())]
    UnknownFormat {
        /// The version file.
        path: PathBuf,
        /// What it says, or the beginning of it.
        found: String,
        /// What it may say.
        known: &'static str,
    },
    /// A store on a server could not be asked, or refused.
    #[error("the store at {server} cannot be used: {reason}")]
    Server {
        /// The server, without credentials.
        server: String,
        /// What it said, or what became of the connection.
        reason: String,
    },
    /// The text does not say where a store is. It is not repeated: it may hold a password.
    #[error(
        "not a store: {reason}; expected memory:, disk:PATH, redis://HOST:PORT/DB, rediss://HOST:PORT/DB or redis+cluster://HOST:PORT,HOST:PORT"
    )]
    BadLocation {
        /// What is wrong with it.
        reason: String,
    },
    /// The system has no random numbers.
    #[error("no random numbers for a new key: {0}")]
    NoRandomness(getrandom::Error),
}

impl StoreError {
    /// Wraps an error of the file system, for `map_err`.
    pub(crate) fn file(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { operation, path, source }
    }
}
