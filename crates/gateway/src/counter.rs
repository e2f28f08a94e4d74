//! A metric counter that many parts of the gateway share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default, Clone)]
pub(crate) struct SharedCounter(Arc<AtomicU64>);

impl SharedCounter {
    pub(crate) fn add(&self, count: u64) {
        if count > 0 {
            self.0.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
