//! The resources of which a client wants to hear when they change, where it shares a conversation with other clients.

use crate::bounded_map::LONGEST_KEY;
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
        if all.len() < SUBSCRIPTIONS && address.len() <= LONGEST_KEY {
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
        let is_part = |start: &str| match address.strip_prefix(start) {
            Some(rest) => rest.is_empty() || rest.starts_with('/') || start.ends_with('/'),
            None => false,
        };
        self.locked().iter().any(|(own, start)| &**own == prefix && is_part(start))
    }

    /// Did it subscribe to anything of this server?
    pub(crate) fn has_any(&self, prefix: &str) -> bool {
        self.locked().iter().any(|(own, _)| &**own == prefix)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<(Arc<str>, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m13_a_subscription_covers_the_resource_and_its_parts_and_no_neighbour() {
        let (own, prefix) = (Subscriptions::default(), Arc::from("up"));
        own.add(&prefix, "file:///a");
        own.add(&prefix, "file:///folder/");
        for address in ["file:///a", "file:///a/b", "file:///folder/", "file:///folder/c"] {
            assert!(own.covers("up", address), "{address}");
        }
        for address in ["file:///ab", "file:///a.txt", "file:///", "file:///folder"] {
            assert!(!own.covers("up", address), "{address}");
        }
        assert!(!own.covers("other", "file:///a"));
    }

    #[test]
    fn an_address_of_any_length_is_not_kept() {
        let (own, prefix) = (Subscriptions::default(), Arc::from("up"));
        let (longest, longer) = ("x".repeat(LONGEST_KEY), "y".repeat(LONGEST_KEY + 1));
        own.add(&prefix, &longest);
        own.add(&prefix, &longer);
        assert!(own.has(&prefix, &longest) && !own.has(&prefix, &longer));
    }
}
