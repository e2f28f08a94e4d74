//! Events as they happen, for the dashboard and other subscribers.

use serde_json::Value;
use std::sync::Arc;
use tokio::sync::broadcast;

/// How many events a slow watcher may be behind before it misses some.
const BEHIND: usize = 256;

/// Tells watchers.
pub(super) struct LiveEvents(broadcast::Sender<Arc<str>>);

impl Default for LiveEvents {
    fn default() -> Self {
        LiveEvents(broadcast::Sender::new(BEHIND))
    }
}

impl LiveEvents {
    pub(super) fn is_watched(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub(super) fn tell(&self, event: Value) {
        if self.is_watched() {
            let _ = self.0.send(event.to_string().into());
        }
    }

    pub(super) fn watch(&self) -> broadcast::Receiver<Arc<str>> {
        self.0.subscribe()
    }
}
