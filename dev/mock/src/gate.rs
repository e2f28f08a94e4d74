//! Gates that hold replies back until a test lets them go.

use crate::record::Log;
use crate::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

/// Holds replies back for as long as it lives; see [`Mock::hold`](crate::Mock::hold).
#[derive(Debug)]
pub struct Hold {
    gate: Arc<Gate>,
    shared: Arc<Shared>,
}

/// A gate that replies pass.
#[derive(Debug)]
pub(crate) struct Gate {
    /// After how many events; before the headers if nothing.
    after: Option<usize>,
    open: watch::Sender<bool>,
    /// Replies that wait here.
    held: AtomicUsize,
}

impl Hold {
    pub(crate) fn new(after: Option<usize>, shared: Arc<Shared>) -> Self {
        let gate =
            Arc::new(Gate { after, open: watch::Sender::new(false), held: AtomicUsize::new(0) });
        shared.gates().push(Arc::clone(&gate));
        Self { gate, shared }
    }

    /// Lets go what was held. Dropping the value does the same.
    pub fn release(self) {}

    /// Blocks until so many replies wait at this gate.
    ///
    /// # Panics
    /// When that does not happen in twenty seconds.
    pub fn wait_for_held(&self, replies: usize) {
        self.shared
            .log
            .wait("replies at a gate", |_| self.gate.held.load(Ordering::SeqCst) >= replies);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.shared.gates().retain(|gate| !Arc::ptr_eq(gate, &self.gate));
        self.gate.open.send_replace(true);
    }
}

impl Gate {
    /// Waits at the gate if it stands here.
    pub(crate) async fn pass(&self, after: Option<usize>, log: &Log) {
        if self.after != after {
            return;
        }
        let mut open = self.open.subscribe();
        if *open.borrow() {
            return;
        }
        self.held.fetch_add(1, Ordering::SeqCst);
        log.note(|_| {});
        let held = Held(&self.held);
        // The sender lives as long as the gate, so this ends only when it opens.
        let _ = open.wait_for(|open| *open).await;
        drop(held);
    }
}

/// Counts a reply as held until it goes on or is given up.
struct Held<'a>(&'a AtomicUsize);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
