//! The resources of which a client wants to hear when they change, where it shares a conversation with other clients.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many are remembered. Of a server's others a client hears as of those that are known by another address.
const SUBSCRIPTIONS: usize = 4096;

/// The resources that a client subscribed to: the server, and the address.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<BTreeSet<(Arc<str>, String)>>);

impl Subscriptions {
    pub(crate) fn add(&self, prefix: &Arc<str>, address: &str) {
        let mut all = self.locked();
        if all.len() < SUBSCRIPTIONS {
            all.insert((prefix.clone(), address.to_owned()));
        }
    }

    pub(crate) fn remove(&self, prefix: &Arc<str>, address: &str) {
        self.locked().remove(&(prefix.clone(), address.to_owned()));
    }

    pub(crate) fn has(&self, prefix: &Arc<str>, address: &str) -> bool {
        self.locked().contains(&(prefix.clone(), address.to_owned()))
    }

    /// The server at which the client subscribed to this address.
    pub(crate) fn server(&self, address: &str) -> Option<Arc<str>> {
        self.locked().iter().find(|(_, own)| own == address).map(|(prefix, _)| prefix.clone())
    }

    /// Did the client subscribe to this resource, or to one that it is part of?
    pub(crate) fn covers(&self, prefix: &str, address: &str) -> bool {
        self.locked().iter().any(|(own, start)| &**own == prefix && address.starts_with(&**start))
    }

    /// Did it subscribe to anything of this server?
    pub(crate) fn has_any(&self, prefix: &str) -> bool {
        self.locked().iter().any(|(own, _)| &**own == prefix)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<(Arc<str>, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
