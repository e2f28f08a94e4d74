//! Where originals and remembered results are kept.
//!
//! A lossy stage may drop what the model can ask for again, so an original lives here under its reference; and the
//! outcome of an impure strategy lives here under the hash of what went in. Both are scoped by tenant and forgotten a
//! lifetime after their last use.
//!
//! | store | survives a restart | for |
//! |---|---|---|
//! | [`Memory`] | no | a gateway that needs nothing on disk |
//! | [`Disk`] | yes, and a kill | the command line, hooks, a gateway; all of them at once on one folder |
//!
//! ```
//! use tokenforge_store::{Kind, Memory, Store};
//!
//! let store = Memory::default();
//! store.put(Kind::Original, "tenant", "shadow_abc", b"a long tool output")?;
//! let original = store.get(Kind::Original, "tenant", "shadow_abc")?;
//! assert_eq!(original.as_deref(), Some(&b"a long tool output"[..]));
//! assert_eq!(store.get(Kind::Original, "another", "shadow_abc")?, None);
//! # Ok::<(), tokenforge_store::Error>(())
//! ```
//!
//! Stores block and never log. What comes here is redacted already. An entry that was damaged is a missing entry:
//! no store ever answers with other bytes than were put.

mod address;
mod disk;
mod error;
mod memory;
mod settings;

pub use disk::Disk;
pub use error::Error;
pub use memory::Memory;
pub use settings::Settings;

/// A place for entries. Calls block; an async caller makes them where blocking is allowed.
pub trait Store: Send + Sync {
    /// Keeps bytes under a tenant's id, in place of what was there. Older entries make room.
    fn put(&self, kind: Kind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), Error>;

    /// The bytes kept under a tenant's id, unless they were never put, or not used for their lifetime, or made room.
    /// Asking starts the lifetime anew.
    fn get(&self, kind: Kind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Removes an entry. Tells whether there was one.
    fn forget(&self, kind: Kind, tenant: &str, id: &str) -> Result<bool, Error>;

    /// How much is kept, all tenants together.
    fn stats(&self) -> Result<Stats, Error>;
}

/// What an entry is. Each kind has ids and a lifetime of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What a tool put out, redacted, before it was shortened.
    Original,
    /// What a strategy made of it.
    Result,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Original, Self::Result];

    /// The name, as files are named.
    pub fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Result => "result",
        }
    }
}

/// How much a store keeps. Entries whose lifetime is over count until they are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// The number of entries.
    pub entries: u64,
    /// The bytes that were put, without what keeping them costs.
    pub bytes: u64,
}
