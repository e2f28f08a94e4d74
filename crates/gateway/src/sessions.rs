//! The sessions that requests name, each with its own memory.

use quick_cache::sync::Cache;
use std::sync::{Arc, Mutex};
use tokenforge_compress::Session;

/// How many sessions are remembered; those unused for longest go first.
const SESSIONS: usize = 256;

/// Sessions by tenant and name.
pub(crate) struct Sessions(Cache<(String, String), Arc<Mutex<Session>>>);

impl Default for Sessions {
    fn default() -> Self {
        Sessions(Cache::new(SESSIONS))
    }
}

impl Sessions {
    /// The session of this name.
    pub(crate) fn of(&self, tenant: &str, id: &str) -> Arc<Mutex<Session>> {
        let name = (tenant.to_owned(), id.to_owned());
        let made: Result<_, std::convert::Infallible> =
            self.0.get_or_insert_with(&name, || Ok(Arc::default()));
        made.unwrap_or_else(|never| match never {})
    }
}
