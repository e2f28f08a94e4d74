//! Gates that hold replies back until a test lets them go.

use crate::record::Log;
use std::sync::Arc;
use tokio::sync::watch;

/// Holds replies back for as long as it lives; see [`Mock::hold`](crate::Mock::hold).
#[derive(Debug)]
pub struct Hold {
    gate: Arc<Gate>,
    log: Arc<crate::server::Shared>,
}

/// A gate that replies pass.
#[derive(Debug)]
pub(crate) struct Gate {
    /// After how many events; before the headers if nothing.
    after: Option<usize>,
    open: watch::Sender<bool>,
}

impl Hold {
    pub(crate) fn new(after: Option<usize>, shared: Arc<crate::server::Shared>) -> Self {
        let gate = Arc::new(Gate { after, open: watch::Sender::new(false) });
        shared.gates().push(Arc::clone(&gate));
        Self { gate, log: shared }
    }

    /// Lets go what was held. Dropping the value does the same.
    pub fn release(self) {}

    /// Blocks until so many replies wait at a gate.
    ///
    /// # Panics
    /// When that does not happen in twenty seconds.
    pub fn wait_for_held(&self, replies: usize) {
        self.log.log.wait("replies at a gate", |happened| happened.held >= replies);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.log.gates().retain(|gate| !Arc::ptr_eq(gate, &self.gate));
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
        log.note(|happened| happened.held += 1);
        let held = Held(log);
        // The sender lives as long as the gate, so this ends only when it opens.
        let _ = open.wait_for(|open| *open).await;
        drop(held);
    }
}

/// Counts a reply as held until it goes on or is given up.
struct Held<'a>(&'a Log);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.note(|happened| happened.held -= 1);
    }
}
